import { describeError, PromptValidationError } from '../../core/error/index.ts';
import type {
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOutput,
} from '../../core/evaluation/index.ts';
import { present, wellFormed } from '../../core/internal/index.ts';
import {
  Conclusion,
  type EvaluationEnvironment,
  type LoopOptions,
  type LoopResult,
  type LoopState,
  type ModelDelta,
  PromptEvaluationError,
  RunStoppedSignal,
  type StopReason,
  TurnLedger,
} from '../../core/runtime/index.ts';
import type {
  AgentHarness,
  HarnessAnswer,
  HarnessOutcome,
  HarnessRequest,
  HarnessRunOptions,
} from './agent-harness.ts';
import { FinishTool, freeName } from './finish-tool.ts';
import { FinishedAnswer } from './finished-answer.ts';
import { HarnessCalls } from './harness-calls.ts';
import { harnessFiles } from './harness-files.ts';
import { HarnessTurns } from './harness-turns.ts';
import type { HarnessEvents } from './served-tools.ts';
import { servedTools } from './served-tools.ts';

/** How long a harness may take to end after it was stopped, before the run ends without it. */
const endGraceMs = 30_000;

const ignore = (): void => undefined;

/** A harness, and what of an evaluation it needs beside its environment. */
export interface HarnessRun {
  readonly harness: AgentHarness;
  readonly events: HarnessEvents;
  /** Whether the prompt has a tool of this name, shown or not. */
  readonly isToolName: (name: string) => boolean;
}

/** Runs an evaluation on a harness: the harness asks its model, and what the model calls runs here. */
export class HarnessLoop<Output> {
  readonly #harness: AgentHarness;
  readonly #events: HarnessEvents;
  /** The name of the calls that keep what the harness has changed itself. */
  readonly #filesName: string;
  readonly #options: LoopOptions<Output>;
  readonly #ledger: TurnLedger;
  readonly #turns: HarnessTurns;
  readonly #calls: HarnessCalls;
  readonly #conclusion: Conclusion<Output>;
  readonly #finished: FinishedAnswer<Output> | undefined;
  #result: LoopResult<Output> | undefined;
  /** What the run ends with, whatever the harness still does. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    { harness, events, isToolName }: HarnessRun,
    environment: EvaluationEnvironment,
    options: LoopOptions<Output>,
    state: LoopState,
  ) {
    const { capabilities, name } = harness;
    const { completion, maxRepeatedFailures, streaming } = options;
    const { output } = environment.display.rendered;
    const fail = (error: unknown): void => this.#fail(error);
    const reportsTurns = capabilities.turns === true;
    const finish =
      output === undefined || capabilities.outputSchema === true
        ? undefined
        : new FinishTool(output, isToolName);
    const ledger = new TurnLedger(environment, state, { name, isHarness: true, streaming });
    const turns = new HarnessTurns({
      ledger,
      fail,
      finish,
      reportsTurns,
      loop: options,
      answeredIn: () => this.#finished?.taken?.turn,
    });
    const answer = {
      ...options.answer,
      // A model that takes no further message is not asked again.
      ...present({
        maxRepairs: capabilities.followUps === true ? undefined : 0,
        correction: finish === undefined ? undefined : (problem: string) => finish.correction(problem),
      }),
    };
    this.#harness = harness;
    this.#events = events;
    this.#filesName = freeName('harness_files', isToolName);
    this.#options = options;
    this.#ledger = ledger;
    this.#turns = turns;
    this.#calls = new HarnessCalls({ ledger, fail, turns, reportsTurns, maxRepeatedFailures });
    this.#conclusion = new Conclusion({ answer, completion }, ledger);
    this.#finished = finish && new FinishedAnswer(finish, { ledger, fail, turns, answer: options.answer });
  }

  /** @throws {PromptEvaluationError} with the phase in which the run ended. */
  async run(): Promise<LoopResult<Output>> {
    const { deadline, stop } = this.#ledger.environment;
    const reason = stop.check(deadline);
    if (reason !== undefined) throw this.#ledger.errors.stopped(reason, 'request');
    const running = this.#start();
    try {
      const outcome = await stop.race(running);
      this.#logEnd(outcome);
      // A harness that takes no follow-ups leaves its one answer to this.
      if (this.#result === undefined) await this.#conclude(outcome);
      else if (outcome.usage !== undefined) this.#turns.countTotal(outcome.usage);
      await this.#calls.abort();
      if (this.#failure === undefined && this.#result !== undefined) return this.#result;
      throw this.#notGoneOn();
    } catch (error) {
      await this.#ended(running);
      await this.#calls.settled();
      this.#turns.close(true);
      throw this.#toError(error);
    } finally {
      this.#calls.close();
    }
  }

  async #start(): Promise<HarnessOutcome> {
    const { stop, logger, clock, ready, display } = this.#ledger.environment;
    const { settings, outputSchema, streaming } = this.#options;
    const { capabilities } = this.#harness;
    const whenReady = (): Promise<void> | undefined => {
      const wait = ready?.();
      return wait === undefined ? undefined : stop.race(wait).catch(ignore);
    };
    const options: HarnessRunOptions = {
      signal: stop.signal,
      logger,
      clock,
      onTurnStart: () => this.#guarded(() => void this.#turns.begin()) ?? whenReady(),
      onTurn: (turn) => this.#guarded(() => this.#turns.report(turn)) ?? whenReady(),
      onUsage: (usage) => this.#countUsage(usage),
      hasAnswer: () => this.#finished?.taken !== undefined,
      onAnswer: (answer) => this.#answered(answer),
      ...present({
        onDelta:
          streaming === true
            ? (delta: ModelDelta) => this.#guarded(() => this.#turns.delta(delta))
            : undefined,
      }),
    };
    const finish = this.#finished?.tool;
    const request: HarnessRequest = {
      instructions: [display.rendered.text, finish?.instructions ?? '']
        .filter((text) => text !== '')
        .join('\n\n'),
      input: this.#ledger.state.conversation.flatMap((item) => (item.type === 'user' ? item.content : [])),
      tools: servedTools({
        display,
        events: this.#events,
        finish,
        call: (call, callOptions) => this.#call(call, callOptions),
      }),
      settings,
      ...(capabilities.outputSchema === true ? present({ outputSchema }) : {}),
      ...present({
        files: harnessFiles(this.#ledger.environment, { name: this.#filesName, calls: this.#calls }),
      }),
    };
    return this.#harness.run(request, options);
  }

  async #call(call: ToolRuntimeCall, options: ToolRuntimeCallOptions): Promise<ToolRuntimeOutput> {
    const finished = this.#finished;
    if (call.name === this.#filesName) throw new PromptValidationError(`There is no tool "${call.name}".`);
    try {
      if (finished !== undefined && call.name === finished.tool.name) return await finished.take(call);
      if (finished?.taken !== undefined) return finished.refuse(call);
      return await this.#calls.run(call, options);
    } catch (error) {
      if (error instanceof RunStoppedSignal) throw this.#ledger.errors.stopped(error.reason, 'tool');
      throw error;
    }
  }

  /** The harness may learn that the run ends by its signal only. */
  #guarded<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof RunStoppedSignal)) this.#fail(error);
      return undefined;
    }
  }

  #countUsage(usage: HarnessAnswer['usage'] & object): void {
    this.#guarded(() => this.#turns.countTotal(usage));
    const { budget, stop } = this.#ledger.environment;
    // Without turns nothing says when the model is asked once more.
    const refusal =
      budget.isUnlimited || this.#harness.capabilities.turns === true ? undefined : budget.refuse();
    if (refusal !== undefined) stop.stop({ kind: 'budget', cause: refusal });
  }

  /** @returns the next message to the model. */
  async #answered(answer: HarnessAnswer): Promise<string | undefined> {
    try {
      return await this.#conclude(wellFormed(answer));
    } catch (error) {
      this.#fail(
        error instanceof RunStoppedSignal ? this.#ledger.errors.stopped(error.reason, 'request') : error,
      );
      throw error;
    }
  }

  async #conclude(answer: HarnessAnswer): Promise<string | undefined> {
    const { deadline, stop } = this.#ledger.environment;
    await this.#calls.abort();
    stop.throwIfStopped(deadline);
    const taken = this.#finished?.taken;
    const text = taken?.text ?? (answer.output === undefined ? answer.text : JSON.stringify(answer.output));
    const finishReason = taken === undefined ? answer.finishReason : 'stop';
    if (taken === undefined) this.#turns.end(text);
    else this.#turns.close();
    if (answer.usage !== undefined) this.#turns.countTotal(answer.usage);
    stop.throwIfStopped(deadline);
    this.#result = await this.#conclusion.of({
      text,
      finishReason,
      read: taken?.read,
      wasParsed: answer.output !== undefined,
    });
    if (this.#result !== undefined) return undefined;
    this.#finished?.discard();
    return this.#lastMessage();
  }

  /** What the conversation ends with. */
  #lastMessage(): string {
    const last = this.#ledger.state.conversation.at(-1);
    if (last?.type !== 'user') throw new RangeError('A run continues without a message to the model.');
    return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#ledger.environment.stop.stop({ kind: 'interrupted', cause: error });
  }

  /** Waits for a harness that was stopped. */
  async #ended(running: Promise<unknown>): Promise<void> {
    const { clock, logger, stop } = this.#ledger.environment;
    // It ended by itself, and what it left runs no longer.
    if (stop.reason === undefined) {
      await this.#calls.abort();
      return;
    }
    let cancel: () => void = ignore;
    const late = new Promise<'late'>((resolve) => {
      cancel = clock.schedule(endGraceMs, () => resolve('late'));
    });
    const end = await Promise.race([running.then(ignore, ignore), late]);
    cancel();
    if (end === 'late')
      logger.error('A harness did not end after it was stopped. The run ends without it.', {
        harness: this.#harness.name,
      });
  }

  /** The harness ended although there was another message to its model. */
  #notGoneOn(): unknown {
    const message = `The harness "${this.#harness.name}" ended without telling its model what was missing in its answer.`;
    return (
      this.#failure?.error ?? this.#ledger.errors.error('evaluation-response-invalid', 'response', message)
    );
  }

  #logEnd({ costUsd, sessionId, turns }: HarnessOutcome): void {
    const { logger } = this.#ledger.environment;
    logger.info('A harness has ended.', {
      harness: this.#harness.name,
      ...present({ costUsd, sessionId, turns }),
    });
  }

  /** What the evaluation rejects with: with all that was said. */
  #toError(error: unknown): unknown {
    const { stop } = this.#ledger.environment;
    if (this.#failure !== undefined) return this.#withConversation(this.#failure.error);
    if (stop.reason !== undefined) return this.#stopped(stop.reason);
    if (PromptEvaluationError.isInstance(error)) return this.#withConversation(error);
    return this.#ledger.unanswered(error);
  }

  #stopped(reason: StopReason): unknown {
    return reason.kind === 'interrupted' && PromptEvaluationError.isInstance(reason.cause)
      ? this.#withConversation(reason.cause)
      : this.#ledger.errors.stopped(reason, 'request');
  }

  /** Errors of calls know the calls of their turn only. */
  #withConversation(error: unknown): unknown {
    if (!PromptEvaluationError.isInstance(error)) {
      const message = `The run could not be brought to its end: ${describeError(error)}`;
      return this.#ledger.errors.error('evaluation-tools-failed', 'tool', message, error);
    }
    const { cause, code, details, message, phase, promptName } = error;
    const { conversation, usage } = this.#ledger.state;
    return new PromptEvaluationError(code, message, {
      phase,
      promptName,
      conversation,
      usage,
      cause,
      details,
    });
  }
}
