import { describeError, TransactionClosedError } from '../../../error/index.ts';
import type { FileChange } from '../../../filesystem/index.ts';
import { freezeData, isPromiseLike, none } from '../../../internal/index.ts';
import type { PolicyPhases } from '../../../policy/index.ts';
import type { SessionPatch } from '../../../session/index.ts';
import type { AnyTool, TokenUsage, ToolSuccess, UnenforcedDecision } from '../../../tool/index.ts';
import { RunStop, type StopReason } from '../../limits/run-stop.ts';
import { type BeginningAttempt, nameAttempt } from '../environment/call-hooks.ts';
import type { EvaluationEnvironment } from '../environment/environment.ts';
import type { StagedCall } from '../environment/run-suspension.ts';
import type { AttemptTrace } from '../report/call-reporter.ts';
import type { ApprovalMemory } from '../tool-call/approval-memory.ts';
import { type GoverningPolicy, policyPhases } from '../tool-call/policy-phases.ts';
import type { ResolvedCall, ToolCall } from '../tool-call/tool-call.ts';
import { externalEffectsNote, failed, type Verdict, whatIsLeft } from '../tool-call/verdict.ts';
import { CallTransaction } from '../transaction/transaction.ts';
import { AttemptEnd, verdictOn } from './exceptions.ts';
import type { HeldKey } from './held-key.ts';
import type { JudgedCall } from './judged-call.ts';

/** The call of the attempts, independent of their outcomes. */
export interface AttemptedCall {
  /** What was approved in any attempt. */
  readonly approvals: ApprovalMemory;
  /** Counts what evaluations inside an attempt spent; an answer that may come again is identified, and counted once. */
  countUsage(usage: TokenUsage | undefined, answer?: object): void;
}

/** What an attempt is made of beside the arguments. */
interface AttemptOptions {
  readonly number: number;
  readonly call: AttemptedCall;
  /** When it began to wait for a place, for observers. Default: now. */
  readonly requestedAtMs?: number | undefined;
  /** Earlier log entries, which stay whatever the outcome of the attempt. Default: none. */
  readonly log?: SessionPatch;
}

/**
 * One attempt at one call: its transaction, what its steps have found out, and everything that ends with it. The steps are in
 * `pipeline.ts`; committing or discarding is up to the caller, which keeps the order of the calls.
 */
export class CallAttempt {
  readonly environment: EvaluationEnvironment;
  readonly resolved: ResolvedCall;
  readonly tool: AnyTool;
  /** Number of the attempt, from 1. */
  readonly number: number;
  readonly transaction: CallTransaction;
  /** The policies over the call. */
  readonly policies: PolicyPhases<GoverningPolicy>;
  /** The arguments as the input schema made them, for the handler alone: it may write to them. */
  params: unknown;
  /** The call for policies, from its first steps on. */
  judged: JudgedCall | undefined;
  /** What the handler returned, as it is recorded. */
  success: ToolSuccess<unknown> | undefined;
  /** The value of the success as the model gets it. */
  rendered: string | undefined;
  /** True once the handler of a tool that changes the outside world was started: running it again would do it twice. */
  hasExternalEffects = false;
  /** True once such a handler returned success: it is committed even if the run is stopped. */
  mustCommit = false;
  /** True once the handler has returned success: its part has ended. */
  hasReturned = false;
  /** True when a record answered in the place of the handler. */
  isFromRecord = false;
  /** What `once` of the tool says of the call, once it was asked. */
  onceKey: string | undefined;
  /** The key, from when the call has it until it is known what became of it. */
  heldKey: HeldKey | undefined;
  /** True when an earlier call of the key answered in the place of the handler. */
  wasDone = false;
  /** True when what it did had waited for an answer. */
  isStaged = false;
  /** What policies would have refused or asked, where they are not enforced. */
  readonly unenforced: UnenforcedDecision[] = [];
  /** How many characters of its result the model may get. */
  readonly maxResultCharacters: number;
  /** What observers of calls get of it; undefined without any. */
  readonly trace: AttemptTrace | undefined;
  readonly #call: AttemptedCall;
  #changes: readonly FileChange[] | undefined;
  #controller: AbortController | undefined;
  #innerStop: RunStop | undefined;
  /** Set when the tool has a time limit: when it has passed. */
  #expiresAtMs: number | undefined;
  /** Rejects what is awaited of the handler when the time limit has passed. */
  #expire: ((timeout: AttemptEnd) => void) | undefined;
  /** The end of a handler that has exceeded its time limit, whatever it returns later. */
  #timeout: AttemptEnd | undefined;
  #evaluations = 0;
  #innerChanges: FileChange[] | undefined;

  constructor(
    environment: EvaluationEnvironment,
    resolved: ResolvedCall,
    { number, call, log, requestedAtMs }: AttemptOptions,
  ) {
    this.environment = environment;
    this.resolved = resolved;
    this.tool = resolved.bound.tool;
    this.number = number;
    this.maxResultCharacters = this.tool.maxResultCharacters ?? environment.maxResultCharacters;
    this.#call = call;
    this.trace = environment.reporter?.beginAttempt(requestedAtMs);
    this.transaction = new CallTransaction(environment.roots, resolved.bound.tool.effects);
    const { outer } = environment;
    this.policies =
      outer === undefined
        ? resolved.bound['~planned'].policyPhases
        : policyPhases(resolved.bound, outer.policies);
    if (log !== undefined) this.transaction.sessionFork.apply(log);
  }

  /** The net changes to files, once the handler has returned. */
  get changes(): readonly FileChange[] {
    this.#changes ??= freezeData(this.transaction.changes());
    return this.#changes;
  }

  /** What was approved in this attempt and those before it. */
  get approvals(): ApprovalMemory {
    return this.#call.approvals;
  }

  /** Aborted when the attempt is over; made on first use, since few handlers and policies use it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const reason = this.environment.stop.reason;
      if (reason !== undefined) this.#controller.abort(reason.cause);
    }
    return this.#controller.signal;
  }

  /** What evaluations inside the handler follow, made on first use. */
  get innerStop(): RunStop {
    if (this.#innerStop === undefined) {
      this.#innerStop = new RunStop();
      const { reason } = this.environment.stop;
      if (reason !== undefined) this.#innerStop.stop(reason);
    }
    return this.#innerStop;
  }

  /** What calls inside have changed so far, in the order of their commits. */
  get innerChanges(): readonly FileChange[] {
    return this.#innerChanges === undefined ? none : Object.freeze([...this.#innerChanges]);
  }

  /** Adds what a call inside has changed. */
  addInnerChanges(changes: readonly FileChange[]): void {
    this.#innerChanges ??= [];
    for (const change of changes) this.#innerChanges.push(change);
  }

  /** What the attempt has done, once its handler has returned success, with all that its reads found. */
  staged(): StagedCall | undefined {
    const { rendered, success, transaction } = this;
    if (rendered === undefined || success === undefined) return undefined;
    return { observed: transaction.observe({ results: true }), success, rendered };
  }

  /** The same for every attempt at the call, also when the run is resumed, and for no other call. */
  get idempotencyKey(): string {
    return idempotencyKeyOf(this.environment, this.resolved.call);
  }

  /** What a journal gets before something happens that cannot be taken back. @param mayRunAgain whether the handler may run again, so that nothing waits for a row. */
  beginning(mayRunAgain: boolean): BeginningAttempt {
    const { environment, idempotencyKey: key, number, resolved } = this;
    const { call, params } = resolved;
    return { ...nameAttempt(call, number, environment), key, params, mayRunAgain };
  }

  /** Number of an evaluation that begins inside now, from 1. */
  nextEvaluation(): number {
    this.#evaluations += 1;
    return this.#evaluations;
  }

  /** Counts what evaluations inside the attempt spent. */
  countUsage(usage: TokenUsage | undefined, answer?: object): void {
    this.#call.countUsage(usage, answer);
  }

  /** `work`, awaited no longer than the run lasts, unless effects outside have to be recorded. Rejects with `RunStoppedSignal` then. */
  settled<T>(work: T | PromiseLike<T>): T | Promise<T> {
    if (!isPromiseLike(work)) return work;
    return this.mustCommit ? Promise.resolve(work) : this.environment.stop.race(work);
  }

  /** For the end of a message: the effects that remain after the rollback; empty when there are none. */
  residualNote(): string {
    return externalEffectsNote(this.hasExternalEffects);
  }

  /** Ends the handler's part when the run stops, until the returned function is called. */
  followRun(): () => void {
    return this.environment.stop.onStop((reason) => this.#endHandler(reason));
  }

  /** The handler begins now: from here its effects may remain, and its time limit and the deadline of the run count. */
  beginHandler(): void {
    const { clock, deadline } = this.environment;
    const { effects, timeoutMs } = this.tool;
    if (this.trace !== undefined) this.trace.handlerStartedAtMs = clock.now();
    this.hasExternalEffects = effects === 'external';
    if (timeoutMs !== undefined) this.#expiresAtMs = clock.now() + timeoutMs;
    if (timeoutMs !== undefined || deadline !== undefined)
      this.transaction.onAccess(() => this.#checkClock());
  }

  /** What a handler returned; neither its time limit nor the end of the run waits for it. */
  async handlerResult(returned: unknown): Promise<unknown> {
    let result = returned;
    if (isPromiseLike(returned)) {
      const work = this.environment.stop.race(returned);
      // The end of the run is checked inside the time limit, so that it clears the timer.
      result = await (this.tool.timeoutMs === undefined
        ? work
        : this.#beforeTimeout(work, this.tool.timeoutMs));
    }
    if (this.#timeout !== undefined) throw this.#timeout;
    return result;
  }

  /** The handler has returned success: work that it did not await ends here. */
  endHandler(): void {
    if (this.#innerStop !== undefined) this.#endInner(this.#innerStop);
    if (this.trace !== undefined) this.#noteEnd(this.trace);
    this.hasReturned = true;
    this.mustCommit = this.hasExternalEffects;
  }

  /** The verdict on what was thrown in the attempt. */
  verdictOn(thrown: unknown): Verdict {
    if (this.#innerStop !== undefined) this.#endInner(this.#innerStop);
    if (this.trace !== undefined) this.#noteEnd(this.trace);
    return verdictOn(this.#timeout ?? thrown, this.environment, {
      toolName: this.tool.name,
      hasExternalEffects: this.hasExternalEffects,
      note: this.hasReturned ? this.residualNote() : '',
    });
  }

  /**
   * Takes the views from everyone and disposes what the attempt built; undefined when it built nothing. Failures are logged. Never rejects, never
   * outlasts the run.
   */
  dispose(): Promise<void> | undefined {
    this.transaction.sealAll();
    return this.transaction.needsDisposal ? this.#disposeBuilt() : undefined;
  }

  async #disposeBuilt(): Promise<void> {
    let failures: readonly unknown[];
    try {
      failures = await this.environment.stop.race(this.transaction.dispose());
    } catch {
      // The run has ended; pending disposals continue unawaited.
      return;
    }
    for (const error of failures) {
      this.environment.logger.warn('A resource of a call could not be disposed.', {
        tool: this.tool.name,
        error: describeError(error),
      });
    }
  }

  #noteEnd(trace: AttemptTrace): void {
    if (trace.handlerStartedAtMs !== undefined) trace.handlerEndedAtMs ??= this.environment.clock.now();
  }

  /** `work`, or the end of the attempt as soon as the tool's own time limit has passed. */
  async #beforeTimeout(work: Promise<unknown>, timeoutMs: number): Promise<unknown> {
    let cancel: (() => void) | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      this.#expire = reject;
      cancel = this.environment.clock.schedule(timeoutMs, () => this.#endByTimeout());
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      cancel?.();
    }
  }

  /**
   * Ends the handler when its time is up, whenever it touches what belongs to the call: a handler that leaves no room for timers would
   * never notice otherwise.
   */
  #checkClock(): void {
    const { clock, deadline, stop } = this.environment;
    if (this.hasReturned || this.#timeout !== undefined) return;
    if (this.#expiresAtMs !== undefined && clock.now() >= this.#expiresAtMs) this.#endByTimeout();
    else stop.check(deadline);
  }

  #endByTimeout(): void {
    if (this.#timeout !== undefined) return;
    const message = `The tool "${this.tool.name}" timed out after ${this.tool.timeoutMs} ms. ${whatIsLeft(this.hasExternalEffects)}`;
    this.#timeout = new AttemptEnd(failed('rolled-back', 'timeout', message));
    this.#endHandler({ kind: 'aborted', cause: new DOMException(message, 'TimeoutError') });
    this.#expire?.(this.#timeout);
  }

  /** Takes the views from a handler that has not returned, before its signal is aborted. */
  #endHandler(reason: StopReason): void {
    if (!this.hasReturned) this.transaction.seal();
    this.#controller?.abort(reason.cause);
    this.#innerStop?.stop(reason);
  }

  /** Ends evaluations and questions that the handler has not awaited. */
  #endInner(inner: RunStop): void {
    inner.stop({
      kind: 'aborted',
      cause: new TransactionClosedError(
        `The call of "${this.tool.name}" ended before an evaluation or a question inside it did. A handler has to await what it evaluates and asks.`,
      ),
    });
  }
}

/**
 * A text that identifies a call: run, turn and id, for a call inside another one after those of that one. The same for every attempt, also after
 * the run was resumed.
 */
function idempotencyKeyOf(
  { outerCalls, hooks, origin, outer }: EvaluationEnvironment,
  { callId, turn }: Pick<ToolCall, 'callId' | 'turn'>,
): string {
  const outerKey =
    outer === undefined
      ? encodeURIComponent(hooks?.runId ?? origin.evaluationId)
      : `${outer.idempotencyKey}/${outerCalls.at(-1)?.evaluation ?? 0}`;
  return `${outerKey}/${turn}/${encodeURIComponent(callId)}`;
}
