import {
  assertArgument,
  describeError,
  PromptValidationError,
  TransactionClosedError,
} from '../../error/index.ts';
import type { RenderedPrompt } from '../../prompt/index.ts';
import {
  type EvaluationEnvironment,
  findTurnFault,
  type ModelTool,
  recordError,
  type TokenUsage,
  type ToolCallPart,
  type TurnLedger,
  tokenCounts,
} from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
import type { AnyTool, BudgetExcess, HostedTool } from '../../tool/index.ts';
import { parseAnswer } from '../answer/parse-answer.ts';
import type { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { RuntimeSurroundings } from '../scope/evaluation-scope.ts';
import type { HeldRun } from '../scope/hold-session.ts';
import { GatheredCalls, toCallPart } from './gathered-calls.ts';
import type {
  ReportedUsage,
  ToolRuntime,
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOutput,
} from './tool-runtime-types.ts';

/** What a runtime is made of. */
interface RuntimeParts<Output> {
  readonly held: HeldRun;
  readonly environment: EvaluationEnvironment;
  readonly rendered: RenderedPrompt<Output>;
  readonly ledger: TurnLedger;
  readonly record: EvaluationRecord;
  readonly surroundings: RuntimeSurroundings;
}

/** A runtime on a session that is held for it. */
export class HeldToolRuntime<Output> implements ToolRuntime<Output> {
  readonly #parts: RuntimeParts<Output>;
  readonly #calls: GatheredCalls;
  /** What ended the run. */
  #failure: { readonly error: unknown } | undefined;
  #disposal: Promise<void> | undefined;

  constructor(parts: RuntimeParts<Output>) {
    const { held, ledger } = parts;
    this.#parts = parts;
    this.#calls = new GatheredCalls({
      ledger,
      waitsForTimer: true,
      holdWatch: held.holdWatch,
      inTurn: (work) => this.#inTurn(work),
    });
  }

  /** Begins the run; one that cannot begin is over. Before its first call. */
  async begin(): Promise<void> {
    const { environment, surroundings } = this.#parts;
    try {
      await surroundings.journaling?.onBegun(environment);
      await surroundings.journaling?.flush();
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
    return this.#parts.environment.display.offered(name)?.tool;
  }

  get hostedTools(): readonly HostedTool[] {
    return this.#parts.environment.display.rendered.hostedTools;
  }

  get signal(): AbortSignal {
    return this.#parts.environment.stop.signal;
  }

  get usage(): TokenUsage {
    return this.#parts.ledger.state.usage;
  }

  get budgetExceeded(): BudgetExcess | undefined {
    return this.#parts.environment.budget.exceeded;
  }

  get '~offered'(): NonNullable<ToolRuntime['~offered']> {
    const { display, roots } = this.#parts.environment;
    return { filesystem: roots.filesystem, sections: display.rendered['~sections'] };
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
      return this.#calls.turn(parts.map((part) => ({ part, signal, trace })));
    });
  }

  async call(
    call: ToolRuntimeCall,
    { signal, trace }: ToolRuntimeCallOptions = {},
  ): Promise<ToolRuntimeOutput> {
    return this.#redactErrors(async () => {
      this.#assertOpen();
      return this.#calls.join({ part: toCallPart(call), signal, trace });
    });
  }

  countUsage(usage: ReportedUsage | undefined): BudgetExcess | undefined {
    if (usage !== undefined) assertArgument('countUsage()', 'usage', usage, 'object');
    const { environment, ledger } = this.#parts;
    ledger.count(readUsage(usage));
    return environment.budget.exceeded;
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
    const { environment, held, ledger, record, surroundings } = this.#parts;
    if (this.#calls.isBusy) environment.stop.stop({ kind: 'aborted', cause: this.#closed() });
    await this.#calls.settled();
    const loss = surroundings.journaling?.loss;
    if (loss !== undefined) this.#failure ??= { error: loss };
    const { state } = ledger;
    if (this.#failure === undefined) record.closed(state);
    else record.failed(this.#failure.error, state);
    environment.reporter?.end();
    const end =
      this.#failure === undefined
        ? ({ outcome: 'finished' } as const)
        : ({ outcome: 'failed', error: recordError(this.#failure.error) } as const);
    environment.emit({ type: 'run-end', ...end, turns: state.turn, usage: state.usage });
    try {
      await surroundings.journaling?.flush();
    } catch (error) {
      environment.logger.error('The end of a tool runtime could not be kept in its journal.', {
        error: describeError(error),
      });
    }
    await held.dispose();
    await surroundings.onReleased?.();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { surroundings } = this.#parts;
    this.#assertOpen();
    try {
      const outcomes = await work();
      await surroundings.journaling?.flush();
      return outcomes;
    } catch (error) {
      this.#failure ??= { error };
      // The error holds the answers of the turn. Without a journal they cannot be kept, and the caller gets its error.
      await surroundings.journaling?.flush().catch(() => undefined);
      throw error;
    }
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
    return surroundings.journaling?.loss ?? held.toThrown(error);
  }

  #toParts(calls: readonly ToolRuntimeCall[]): readonly ToolCallPart[] {
    const parts = calls.map(toCallPart);
    this.#calls.assertGood(findTurnFault({ content: parts, finishReason: 'tool-calls' }));
    return parts;
  }

  #assertOpen(): void {
    const loss = this.#parts.surroundings.journaling?.loss;
    if (loss !== undefined) throw loss;
    if (this.#disposal !== undefined) throw this.#closed();
  }

  #closed(): TransactionClosedError {
    const { name } = this.#parts.environment.prompt;
    return new TransactionClosedError(`The tool runtime of the prompt "${name}" was disposed.`);
  }
}

/** @throws {PromptValidationError} for an invalid count. */
function readUsage(usage: ReportedUsage | undefined): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  const counted: TokenUsage = Object.fromEntries(
    tokenCounts.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])),
  );
  const fault = findTurnFault({ content: [], finishReason: 'stop', usage: counted });
  if (fault === undefined) return counted;
  throw new PromptValidationError(`What the model took cannot be counted: the answer ${fault}.`);
}
