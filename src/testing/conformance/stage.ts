import { PromptValidationError } from '../../core/error/index.ts';
import { type EvaluateOptions, evaluationSlices, type PromptStream } from '../../core/evaluation/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import {
  PromptEvaluationError,
  type RunEvent,
  ToolCallLog,
  type ToolInvokedPayload,
} from '../../core/runtime/index.ts';
import { type Clock, Session, systemClock } from '../../core/session/index.ts';
import type { PromptResponse } from '../../core/tool/index.ts';
import type { ManualClock } from '../doubles/manual-clock.ts';
import { checkRun, type RunToCheck } from './check-run.ts';
import { ConformanceError, expectEqual } from './expect.ts';
import { Notes, Workshop } from './fixture.ts';
import type {
  ConformanceConnection,
  ConformanceExtra,
  ConformanceFeature,
  ConformanceMode,
  ScriptedProvider,
} from './peer.ts';
import type { ConformanceRequest } from './request.ts';
import type { ConformanceTurn } from './turn.ts';

/** Options of {@link Stage}. */
export interface ConformanceStageOptions {
  readonly mode: ConformanceMode;
  readonly connection: ConformanceConnection;
  readonly provider: ScriptedProvider;
  readonly clock: ManualClock;
  readonly patience: { readonly clock: Clock; readonly limitMs: number };
  /** How long the adapter waits for the next sign of its provider. */
  readonly timeoutMs: number;
  /** The option that the adapter has to refuse. Default: none. */
  readonly refusedOption?: string | undefined;
}

/** How an evaluation ended. */
type Outcome<Output> = { readonly response: PromptResponse<Output> } | { readonly error: unknown };

/** The events of a run, and the records of its calls, in order. */
export type PlayedRun = Pick<RunToCheck, 'calls' | 'events'>;

/** A run that succeeded. */
interface FinishedRun<Output> extends PlayedRun {
  readonly response: PromptResponse<Output>;
}

/** A run that failed. */
interface FailedRun extends PlayedRun {
  readonly error: PromptEvaluationError;
}

/** The environment of one case in one mode: an adapter, its provider, a session and a manual clock. */
export class Stage implements AsyncDisposable {
  readonly mode: ConformanceMode;
  readonly clock: ManualClock;
  readonly workshop: Workshop;
  readonly #options: ConformanceStageOptions;
  readonly #session: Session;
  /** What the adapter had done when it refused the option; undefined while it has not. */
  #refusal: { readonly requests: number; readonly events: number } | undefined;
  /** Ends the runs that a failed case leaves open. */
  readonly #end = new AbortController();

  constructor(options: ConformanceStageOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.clock = options.clock;
    this.#session = new Session({ clock: options.clock });
    for (const slice of [...evaluationSlices, Notes]) this.#session.install(slice);
    this.workshop = new Workshop(this.#session);
  }

  /** The requests that the provider received. */
  get requests(): readonly ConformanceRequest[] {
    return this.#options.provider.requests;
  }

  get adapterName(): string {
    return this.#options.connection.adapter.name;
  }

  /** Times of the requests. */
  get requestTimesMs(): readonly number[] {
    return this.#options.provider.requestTimesMs;
  }

  /** One request, by its number from 1. */
  request(number: number): ConformanceRequest {
    const request = this.requests[number - 1];
    if (request !== undefined) return request;
    throw new ConformanceError(
      `The provider received ${this.requests.length} requests, fewer than ${number}.`,
    );
  }

  /** Evaluates to the end. */
  async finish<Output>(prompt: Prompt<Output>, options: EvaluateOptions = {}): Promise<FinishedRun<Output>> {
    return this.start(prompt, options).finished();
  }

  /** Evaluates to an error. */
  async fail(prompt: Prompt, options: EvaluateOptions = {}): Promise<FailedRun> {
    return this.start(prompt, options).failed();
  }

  /** Begins an evaluation. By default the input is `Go.` and requests are not retried. */
  start<Output>(prompt: Prompt<Output>, options: EvaluateOptions = {}): StartedRun<Output> {
    const requestsBefore = this.requests.length;
    const { signal } = options;
    let events = 0;
    return new StartedRun<Output>(this, async (onEvent) => {
      const counting = (event: RunEvent): void => {
        events += 1;
        onEvent(event);
      };
      const outcome = await this.#evaluate(prompt, {
        ...this.#common(),
        ...options,
        signal: signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal]),
        observers: [{ onEvent: counting }, ...(options.observers ?? [])],
      });
      this.#noteRefusal(outcome, { requests: this.requests.length - requestsBefore, events });
      return outcome;
    });
  }

  /** Begins a stream without checking the invariants of the run. Calls run one after the other. */
  stream(
    prompt: Prompt<undefined>,
    options: Pick<EvaluateOptions, 'observers'> = {},
  ): PromptStream<undefined> {
    const { adapter } = this.#options.connection;
    return adapter.stream(prompt, {
      ...this.#common(),
      ...options,
      limits: { maxConcurrentCalls: 1 },
    });
  }

  #common() {
    const { signal } = this.#end;
    return { input: 'Go.', retry: false, session: this.#session, clock: this.clock, signal } as const;
  }

  /** The records of all calls. */
  get calls(): readonly ToolInvokedPayload[] {
    return this.#session.slice(ToolCallLog).all();
  }

  /** Waits until the answer of the provider hangs, and in a stream also until part of it was emitted. */
  async hanging(run: StartedRun<unknown>): Promise<void> {
    await this.waitFor('the provider gets the request', this.#options.provider.isHanging);
    if (this.mode === 'streamed')
      await this.waitFor('a delta of the answer is emitted', run.emitted('text-delta'));
  }

  /** Lets the longest wait of the adapter pass, again where it began anew meanwhile, until something is there. */
  async afterSilence<Value>(what: string, awaited: Promise<Value>): Promise<Value> {
    const passage = { isOver: false };
    const over = (): void => {
      passage.isOver = true;
    };
    awaited.then(over, over);
    const pass = async (): Promise<void> => {
      while (!passage.isOver) {
        this.clock.advance(this.#options.timeoutMs);
        await this.turns(5);
      }
    };
    const passing = pass();
    try {
      return await this.waitFor(what, awaited);
    } finally {
      over();
      await passing;
    }
  }

  /** Waits until the provider has noticed that a request was aborted. */
  async wasCutOff(): Promise<void> {
    await this.waitFor('the request is aborted', this.#options.provider.wasCutOff);
  }

  /** Yields to the event loop this many times. */
  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await systemClock.yieldToTimers?.();
  }

  /** Waits for an event with a time limit, which only an adapter that does not conform reaches. */
  async waitFor<Value>(what: string, awaited: Promise<Value>): Promise<Value> {
    const { clock, limitMs } = this.#options.patience;
    let cancel: () => void = () => undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      cancel = clock.schedule(limitMs, () =>
        reject(new ConformanceError(`Timed out after ${limitMs} ms of waiting until ${what}.`)),
      );
    });
    try {
      return await Promise.race([awaited, limit]);
    } finally {
      cancel();
    }
  }

  /** Checks the number of requests. */
  expectRequests(count: number): void {
    expectEqual('the number of requests', this.requests.length, count);
    for (const { isStreaming } of this.requests) {
      expectEqual('whether a streamed answer was requested', isStreaming, this.mode === 'streamed');
    }
  }

  /** Checks that the adapter has refused the option, and had done nothing before. @param failure what the case failed with. */
  expectRefusal(failure: unknown): void {
    const { refusedOption: option } = this.#options;
    if (this.#refusal === undefined) {
      throw new ConformanceError(
        `Expected that the adapter refuses the option ${option} with a PromptValidationError that names it.`,
        { cause: failure },
      );
    }
    expectEqual(`what was done before ${option} was refused`, this.#refusal, { requests: 0, events: 0 });
  }

  #noteRefusal(
    outcome: Outcome<unknown>,
    done: { readonly requests: number; readonly events: number },
  ): void {
    const { refusedOption } = this.#options;
    if (refusedOption === undefined || 'response' in outcome) return;
    const { error } = outcome;
    if (PromptValidationError.isInstance(error) && error.details['option'] === refusedOption)
      this.#refusal ??= done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#options.connection[Symbol.asyncDispose]();
    await this.#session[Symbol.asyncDispose]();
  }

  async #evaluate<Output>(prompt: Prompt<Output>, options: EvaluateOptions): Promise<Outcome<Output>> {
    const { adapter } = this.#options.connection;
    try {
      if (this.mode === 'whole') return { response: await adapter.evaluate(prompt, options) };
      let response: PromptResponse<Output> | undefined;
      for await (const event of adapter.stream(prompt, options)) {
        if (event.type === 'run-result') response = event.response;
      }
      if (response !== undefined) return { response };
      return { error: new ConformanceError('The stream ended without a result.') };
    } catch (error) {
      return { error };
    }
  }
}

/** An evaluation that has begun. The invariants of every run are checked when it ends. */
export class StartedRun<Output> {
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #stage: Stage;
  readonly #requestsBefore: number;
  readonly #callsBefore: number;
  readonly #outcome: Promise<Outcome<Output>>;

  /** @param evaluate is called at once, and never rejects. */
  constructor(stage: Stage, evaluate: (onEvent: (event: RunEvent) => void) => Promise<Outcome<Output>>) {
    this.#stage = stage;
    this.#requestsBefore = stage.requests.length;
    this.#callsBefore = stage.calls.length;
    this.#outcome = evaluate((event) => {
      // What is checked is the run itself.
      if (event.path.length > 0) return;
      this.#events.push(event);
      for (const listener of this.#listeners) listener();
    });
  }

  /** Resolves once an event of this type was emitted. */
  async emitted(type: RunEvent['type']): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        if (this.#events.some((event) => event.type === type)) resolve();
      };
      this.#listeners.add(listener);
      listener();
    });
  }

  /** The response of the evaluation, which must not fail. */
  async finished(): Promise<FinishedRun<Output>> {
    const outcome = await this.#settled();
    if ('response' in outcome) return { ...this.#check(outcome.response), response: outcome.response };
    const { error } = outcome;
    throw new ConformanceError(`The evaluation failed: ${String(error)}`, { cause: error });
  }

  /** The error that the evaluation must end with. */
  async failed(): Promise<FailedRun> {
    const outcome = await this.#settled();
    if ('response' in outcome) {
      throw new ConformanceError('The evaluation succeeded; expected it to fail.');
    }
    const { error } = outcome;
    if (PromptEvaluationError.isInstance(error)) return { ...this.#check(error), error };
    const what = 'The evaluation rejected with an error that is not a PromptEvaluationError';
    throw new ConformanceError(`${what}: ${String(error)}`, { cause: error });
  }

  #settled(): Promise<Outcome<Output>> {
    return this.#stage.waitFor('the evaluation ends', this.#outcome);
  }

  #check({ conversation }: Pick<RunToCheck, 'conversation'>): PlayedRun {
    const events = this.#events;
    const { mode, adapterName } = this.#stage;
    const calls = this.#stage.calls.slice(this.#callsBefore);
    const requests = this.#stage.requests.slice(this.#requestsBefore);
    checkRun({ mode, adapterName, events, calls, requests, conversation });
    return { events, calls };
  }
}

/** A case, independent of the peer. */
export interface CaseDefinition {
  readonly name: string;
  /** Features that the case needs. Default: none. */
  readonly needs?: readonly (ConformanceFeature | ConformanceExtra)[];
  /** Default: both. */
  readonly modes?: readonly ConformanceMode[];
  /** The answers of the provider, one per request; the run must make exactly as many requests. */
  readonly script: readonly ConformanceTurn[];
  /** May throw: the case fails. */
  play(stage: Stage): Promise<void>;
}
