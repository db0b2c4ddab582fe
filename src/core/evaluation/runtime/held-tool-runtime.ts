import {
  assertArgument,
  describeError,
  PromptValidationError,
  TransactionClosedError,
} from '../../error/index.ts';
import type { RenderedPrompt } from '../../prompt/index.ts';
import {
  addTokenUsage,
  createPartCheck,
  type EvaluationEnvironment,
  findTurnFault,
  type LoopState,
  type ModelTool,
  RunErrors,
  recordError,
  type TokenUsage,
  type ToolCallPart,
  tokenCounts,
} from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
import type { AnyTool, BudgetExcess, HostedTool } from '../../tool/index.ts';
import { parseAnswer } from '../answer/parse-answer.ts';
import type { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { HeldRun } from '../scope/hold-session.ts';
import { toCallPart } from './call-part.ts';
import type { RuntimeSurroundings } from './runtime-surroundings.ts';
import { type GatheredCallOutcome, type PendingCall, RuntimeTurns } from './runtime-turns.ts';
import type {
  ReportedUsage,
  ToolRuntime,
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOutput,
} from './tool-runtime-types.ts';
import { TurnQueue } from './turn-queue.ts';

/** What a runtime is made of. */
interface RuntimeParts<Output> {
  readonly held: HeldRun;
  readonly environment: EvaluationEnvironment;
  readonly rendered: RenderedPrompt<Output>;
  readonly state: LoopState;
  readonly record: EvaluationRecord;
  readonly surroundings: RuntimeSurroundings;
}

/** A runtime on a session that is held for it. */
export class HeldToolRuntime<Output> implements ToolRuntime<Output> {
  readonly #parts: RuntimeParts<Output>;
  readonly #errors: RunErrors;
  readonly #queue: TurnQueue<PendingCall, GatheredCallOutcome>;
  /** What ended the run. */
  #failure: { readonly error: unknown } | undefined;
  #disposal: Promise<void> | undefined;

  constructor(parts: RuntimeParts<Output>) {
    const { environment, held, state } = parts;
    this.#parts = parts;
    this.#errors = new RunErrors(environment.prompt.name, state);
    const turns = new RuntimeTurns(environment, { state, errors: this.#errors, holdWatch: held.holdWatch });
    this.#queue = new TurnQueue({
      gather: () => this.#gather(),
      createCheck: () => {
        const findFault = createPartCheck();
        return ({ part }) => this.#assertGood(findFault(part));
      },
      run: (calls) => this.#runTurn(turns, calls),
    });
  }

  /** Begins the run; one that cannot begin is over. Before its first call. */
  async begin(): Promise<void> {
    const { environment, surroundings } = this.#parts;
    try {
      await surroundings.onBegun?.(environment);
      await surroundings.flush?.();
    } catch (error) {
      this.#failure = { error };
      await this[Symbol.asyncDispose]();
      throw this.#toThrown(error);
    }
  }

  get session(): Session {
    return this.#parts.held.scope.host;
  }

  get instructions(): string {
    return this.#parts.environment.display.rendered.text;
  }

  get tools(): readonly ModelTool[] {
    return this.#parts.environment.display.tools;
  }

  toolNamed(name: string): AnyTool | undefined {
    return this.#parts.environment.display.rendered.boundTools.get(name)?.tool;
  }

  get hostedTools(): readonly HostedTool[] {
    return this.#parts.environment.display.rendered.hostedTools;
  }

  get signal(): AbortSignal {
    return this.#parts.environment.stop.signal;
  }

  get usage(): TokenUsage {
    return this.#parts.state.usage;
  }

  get budgetExceeded(): BudgetExcess | undefined {
    return this.#parts.environment.budget.exceeded;
  }

  async runCalls(
    calls: readonly ToolRuntimeCall[],
    { signal, trace }: ToolRuntimeCallOptions = {},
  ): Promise<readonly ToolRuntimeOutput[]> {
    return this.#redactErrors(async () => {
      this.#assertOpen();
      assertArgument('runCalls()', 'calls', calls, 'array');
      const parts = this.#toParts(calls);
      if (parts.length === 0) return [];
      const outcomes = await this.#queue.turn(parts.map((part) => ({ part, signal, trace })));
      return outcomes.map(outputOf);
    });
  }

  async call(
    call: ToolRuntimeCall,
    { signal, trace }: ToolRuntimeCallOptions = {},
  ): Promise<ToolRuntimeOutput> {
    return this.#redactErrors(async () => {
      this.#assertOpen();
      return outputOf(await this.#queue.join({ part: toCallPart(call), signal, trace }));
    });
  }

  countUsage(usage: ReportedUsage | undefined): BudgetExcess | undefined {
    const { environment, state } = this.#parts;
    const { budget, emit, logger } = environment;
    if (usage !== undefined) assertArgument('countUsage()', 'usage', usage, 'object');
    const counted = readUsage(usage);
    state.usage = addTokenUsage(state.usage, counted);
    for (const excess of budget.count(counted, logger)) {
      emit({ type: 'budget-exceeded', turn: state.turn, ...excess });
    }
    return budget.exceeded;
  }

  async parseOutput(text: string): Promise<Output> {
    const { output } = this.#parts.rendered;
    // Without an output schema the type of the output is undefined.
    if (output === undefined) return undefined as Output;
    return this.#redactErrors(async () => (await parseAnswer(text, output)).output);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const { environment, held, record, state, surroundings } = this.#parts;
    if (this.#queue.isBusy) environment.stop.stop({ kind: 'aborted', cause: this.#closed() });
    await this.#queue.settled();
    const loss = surroundings.loss?.();
    if (loss !== undefined) this.#failure ??= { error: loss };
    if (this.#failure === undefined) record.closed(state);
    else record.failed(this.#failure.error, state);
    environment.reporter?.end();
    const end =
      this.#failure === undefined
        ? ({ outcome: 'finished' } as const)
        : ({ outcome: 'failed', error: recordError(this.#failure.error) } as const);
    environment.emit({ type: 'run-end', ...end, turns: state.turn, usage: state.usage });
    try {
      await surroundings.flush?.();
    } catch (error) {
      environment.logger.error('The end of a tool runtime could not be kept in its journal.', {
        error: describeError(error),
      });
    }
    await held.dispose();
    await surroundings.onReleased?.();
  }

  async #runTurn(
    turns: RuntimeTurns,
    calls: readonly PendingCall[],
  ): Promise<readonly GatheredCallOutcome[]> {
    const { surroundings } = this.#parts;
    this.#assertOpen();
    try {
      const outcomes = await turns.run(calls);
      await surroundings.flush?.();
      return outcomes;
    } catch (error) {
      this.#failure ??= { error };
      // The error holds the answers of the turn. Without a journal they cannot be kept, and the caller gets its error.
      await surroundings.flush?.().catch(() => undefined);
      throw error;
    }
  }

  async #gather(): Promise<void> {
    const { clock, stop } = this.#parts.environment;
    const gathered =
      clock.yieldToTimers?.() ??
      new Promise<void>((resolve) => {
        clock.schedule(0, resolve);
      });
    // A run that has ended gathers nothing more.
    await stop.race(gathered).catch(() => undefined);
  }

  /** Runs the work of a caller; its errors are redacted. */
  async #redactErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#toThrown(error);
    }
  }

  #toThrown(error: unknown): unknown {
    const { held, surroundings } = this.#parts;
    return surroundings.loss?.() ?? held.toThrown(error);
  }

  #toParts(calls: readonly ToolRuntimeCall[]): readonly ToolCallPart[] {
    const parts = calls.map(toCallPart);
    this.#assertGood(findTurnFault({ content: parts, finishReason: 'tool-calls' }));
    return parts;
  }

  /** @throws {PromptEvaluationError} `evaluation-response-invalid` for a fault. */
  #assertGood(fault: string | undefined): void {
    if (fault === undefined) return;
    throw this.#errors.error(
      'evaluation-response-invalid',
      'response',
      `No call of this turn was run: it ${fault}.`,
    );
  }

  #assertOpen(): void {
    const loss = this.#parts.surroundings.loss?.();
    if (loss !== undefined) throw loss;
    if (this.#disposal !== undefined) throw this.#closed();
  }

  #closed(): TransactionClosedError {
    const { name } = this.#parts.environment.prompt;
    return new TransactionClosedError(`The tool runtime of the prompt "${name}" was disposed.`);
  }
}

function outputOf(outcome: GatheredCallOutcome): ToolRuntimeOutput {
  if ('error' in outcome) throw outcome.error;
  return outcome.output;
}

/** @throws {PromptValidationError} for a count that is none. */
function readUsage(usage: ReportedUsage | undefined): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  const counted: TokenUsage = Object.fromEntries(
    tokenCounts.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])),
  );
  const fault = findTurnFault({ content: [], finishReason: 'stop', usage: counted });
  if (fault === undefined) return counted;
  throw new PromptValidationError(`What the model took cannot be counted: the answer ${fault}.`);
}
