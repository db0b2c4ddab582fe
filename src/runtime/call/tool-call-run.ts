import { describeError } from '../../error/index.ts';
import { none, type Writable } from '../../internal/index.ts';
import type { Patience, ResourceFailure } from '../../resource/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { AnyTool, MediaPart, TokenUsage } from '../../tool/index.ts';
import type { RecordedApproval, ToolInvokedPayload } from '../events/tool-invoked.ts';
import type { RunStop } from '../limits/run-stop.ts';
import { addUsage } from '../model/model.ts';
import { ApprovalMemory } from './approval-memory.ts';
import { cannotCommit, cannotRepeat, doesNotFit, resourceFailed } from './commit-verdict.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { Expansion, tooManyExpansions } from './expansion.ts';
import { haltReason } from './halt-reason.ts';
import { recordCall } from './record-call.ts';
import { type Resolution, type ResolvedCall, resolveCall, type ToolCall } from './tool-call.ts';
import { type AttemptedCall, ToolCallAttempt } from './tool-call-attempt.ts';
import type { CallPatch } from './transaction.ts';
import {
  type ExpandingVerdict,
  type FailedVerdict,
  failed,
  type SucceededVerdict,
  stoppedVerdict,
  type Verdict,
  withNote,
} from './verdict.ts';

/** A verdict that nobody has to be asked about any more. */
type FinalVerdict = Exclude<Verdict, { kind: 'asking' | 'expanding' }>;

/** What a call comes to at its turn: what the model reads, what is recorded, and what has to be put on the state. */
export interface ToolCallResult {
  readonly invocation: ToolInvokedPayload;
  /** Images and files that the model gets behind the text. Absent: none. */
  readonly attachments?: readonly MediaPart[];
  /** The changes of a committed call, the log entries of any other; absent when the call never opened a transaction. */
  readonly patch?: CallPatch;
  /** What the handler threw, as it was thrown. Not kept by a journal. */
  readonly cause?: unknown;
  /** Ends the evaluation after this call: thrown by the handler for that purpose. */
  readonly interrupt?: { readonly error: unknown };
}

/** Puts a result on the state. @returns it as it was told, with the feedback. */
type Commit = (result: ToolCallResult) => ToolCallResult | Promise<ToolCallResult>;

/** Does `work` once there is room for one more running call. */
type InPlace = <T>(work: () => Promise<T>) => Promise<T>;

const maxAttempts = 3;

const notBegun: Promise<undefined> = Promise.resolve(undefined);

/**
 * One call of a turn from start to result. `start` begins the first attempt as soon as there is room for it; `settle`
 * is called when every earlier call is committed or rolled back, repeats the call while what it read has changed since,
 * and says what to commit.
 */
export class ToolCallRun implements AttemptedCall {
  readonly #environment: EvaluationEnvironment;
  readonly #call: ToolCall;
  readonly #resolution: Resolution;
  #conflicts: readonly string[] = none;
  #approvals: ApprovalMemory | undefined;
  /** Resources without transactions that superseded attempts asked for. */
  #plainResources: readonly string[] = none;
  /** A resource that is just being begun is not waited for beyond the end of the run. */
  readonly #patience: Patience;
  #attempt: ToolCallAttempt | undefined;
  #superseded: ToolCallAttempt | undefined;
  /** Set when the handler wanted sections to be opened; the attempt is then the one that opens them. */
  #expansion: Expansion | undefined;
  #startedAtMs: number | undefined;
  /** Tokens spent inside, by superseded attempts too. */
  #usage: TokenUsage | undefined;

  /** @param stop what the call follows, which must follow the run's. Default: the run's. */
  constructor(environment: EvaluationEnvironment, call: ToolCall, stop?: RunStop) {
    this.#environment = stop === undefined ? environment : { ...environment, stop };
    this.#call = call;
    // The calls behind one that was given up go on, with the same resources.
    this.#patience = environment.stop.race;
    this.#resolution = resolveCall(call, environment.display.rendered, environment.outer);
  }

  /** The tool that is called; undefined when there is none of that name, or the call cannot be run. */
  get tool(): AnyTool | undefined {
    return this.#resolution.kind === 'resolved' ? this.#resolution.resolved.bound.tool : undefined;
  }

  /** True when the call changes the outside world and therefore runs alone. */
  get isBarrier(): boolean {
    return (
      this.#resolution.kind === 'resolved' && this.#resolution.resolved.bound.tool.effects === 'external'
    );
  }

  /** What was approved in any attempt. */
  get approvals(): ApprovalMemory {
    this.#approvals ??= new ApprovalMemory(
      { toolName: this.#call.toolName, params: this.#params() ?? {} },
      this.#environment.outer?.approvals,
    );
    return this.#approvals;
  }

  /** Takes down what evaluations inside an attempt spent. */
  countUsage(usage: TokenUsage | undefined): void {
    if (usage !== undefined) this.#usage = addUsage(this.#usage ?? {}, usage);
    this.#environment.outer?.countUsage(usage);
  }

  /** Begins the first attempt. Resolves when it has ended; with undefined when there is none. Throws only when the session cannot be forked: it was disposed. */
  start(): Promise<Verdict | undefined> {
    this.#startedAtMs = this.#environment.clock.now();
    if (this.#environment.isObserved) this.#tellStart();
    if (this.#resolution.kind === 'rejected' || haltReason(this.#environment) !== undefined) return notBegun;
    this.#attempt = this.#newAttempt(this.#resolution.resolved, 1);
    return this.#attempt.verdict;
  }

  #tellStart(): void {
    const { turn, callId, toolName } = this.#call;
    const params = this.#params();
    this.#environment.emit({
      type: 'tool-call-start',
      turn,
      callId,
      toolName,
      ...(params === undefined ? {} : { params }),
    });
  }

  #newAttempt(resolved: ResolvedCall, number: number): ToolCallAttempt {
    return new ToolCallAttempt(this.#environment, resolved, { number, call: this });
  }

  /**
   * The result of the call on the present state, handed to `commit` in the same synchronous stretch in which the reads
   * were found to hold. Rejects only when
   * `commit` throws for a call that failed anyway, or the session was disposed.
   *
   * @param first what `start` came to.
   * @param inPlace does one more attempt when there is room for it.
   */
  async settle(first: Verdict | undefined, commit: Commit, inPlace: InPlace): Promise<ToolCallResult> {
    let verdict = first;
    for (;;) {
      const attempt = this.#attempt;
      if (attempt === undefined || verdict === undefined) return this.#commit(this.#neverStarted(), commit);
      const { reason } = this.#environment.stop;
      if (reason !== undefined && (verdict.kind === 'asking' || !attempt.mustCommit)) {
        const effectsStand = attempt.effectsStand || this.#expansion?.thrower.effectsStand === true;
        return this.#commit(stoppedVerdict(this.#call.toolName, reason, effectsStand), commit);
      }
      // Awaited only when it must be: from here to the commit nothing else may run.
      let changed: readonly string[] | Promise<readonly string[]>;
      try {
        changed = attempt.effectsStand ? none : attempt.transaction.conflicts();
        if (changed instanceof Promise) changed = await changed;
      } catch (error) {
        const failure = verdict.kind === 'failed' || verdict.kind === 'interrupting' ? verdict : undefined;
        return this.#commit(failure ?? cannotCommit(this.#committing, error), commit);
      }
      if (changed.length > 0) {
        verdict = await this.#again(attempt, changed, inPlace);
        // Not begun again: nothing that was read needs to hold any more.
        if (this.#attempt === attempt && verdict.kind !== 'asking' && verdict.kind !== 'expanding') {
          return this.#commit(verdict, commit);
        }
        continue;
      }
      if (verdict.kind === 'asking') {
        verdict = await attempt.approveChanges(verdict.result, verdict.questions);
        continue;
      }
      if (verdict.kind === 'expanding') {
        verdict = await this.#expand(attempt, verdict, inPlace);
        continue;
      }
      if (verdict.kind === 'succeeded' && attempt.effectsStand) {
        const unfit = this.#findRefusal(attempt);
        return this.#commit((unfit instanceof Promise ? await unfit : unfit) ?? verdict, commit);
      }
      return this.#commit(verdict, commit);
    }
  }

  /** Undoes what the call did, whatever became of it: the turn broke off before it was settled. Never rejects. */
  async abandon(): Promise<void> {
    await this.#attempt?.discard();
    await this.#attempt?.transaction.rollBackResources(this.#patience);
  }

  /** Opens the sections that the handler wants, on the present state, in the place of what it did. */
  async #expand(thrower: ToolCallAttempt, { signal }: ExpandingVerdict, inPlace: InPlace): Promise<Verdict> {
    const { display } = this.#environment;
    if (!display.mayExpand) {
      return tooManyExpansions(this.#call.toolName, display.maxExpansions, thrower.effectsStand);
    }
    const outside = thrower.effectsStand ? ' What it did outside of session and files stands.' : '';
    const note = `${outside}${await this.#rollBack()}`;
    this.#plainResources = [...this.#plainResources, ...thrower.transaction.plainResources];
    const expansion = new Expansion(this.#environment, this.#call, { thrower, signal, note });
    this.#expansion = expansion;
    return inPlace(() => {
      this.#attempt = expansion.open(thrower.number);
      return this.#attempt.verdict;
    });
  }

  /** Repeats the call on the present state; without another attempt when it cannot or must not be repeated any more. */
  async #again(superseded: ToolCallAttempt, changed: readonly string[], inPlace: InPlace): Promise<Verdict> {
    this.#conflicts = [...this.#conflicts, ...changed];
    await superseded.discard();
    const stuck = await superseded.transaction.rollBackResources(this.#patience);
    this.#superseded = superseded;
    const { number } = superseded;
    if (stuck.length > 0 || number >= maxAttempts || this.#resolution.kind === 'rejected')
      return cannotRepeat(this.#committing, changed);
    this.#plainResources = [...this.#plainResources, ...superseded.transaction.plainResources];
    const { resolved } = this.#resolution;
    return inPlace(async () => {
      const { emit } = this.#environment;
      const halt = haltReason(this.#environment);
      if (halt !== undefined) return stoppedVerdict(this.#call.toolName, halt, false);
      const { callId, toolName, turn } = this.#call;
      this.#approvals?.beginAgain();
      emit({ type: 'tool-call-rerun', turn, callId, toolName, attempt: number + 1, conflicts: changed });
      // What made the handler ask for sections held when it was looked at; only their opening is repeated.
      this.#attempt = this.#expansion?.open(number + 1) ?? this.#newAttempt(resolved, number + 1);
      return this.#attempt.verdict;
    });
  }

  /** Awaits only what it must: whatever runs in between may change what the patch was found to fit. */
  #commit(reached: FinalVerdict, commit: Commit): ToolCallResult | Promise<ToolCallResult> {
    const settled = this.#settleResources(reached);
    return settled instanceof Promise
      ? settled.then((verdict) => this.#commitSettled(verdict, commit))
      : this.#commitSettled(settled, commit);
  }

  #commitSettled(verdict: FinalVerdict, commit: Commit): ToolCallResult | Promise<ToolCallResult> {
    const commitFailure = (error: unknown): ToolCallResult | Promise<ToolCallResult> => {
      if (verdict.kind !== 'succeeded') throw error;
      return commit(this.#resultOf(cannotCommit(this.#committing, error)));
    };
    let told: ToolCallResult | Promise<ToolCallResult>;
    try {
      told = commit(this.#resultOf(verdict));
    } catch (error) {
      told = commitFailure(error);
    }
    return told instanceof Promise
      ? told.catch(commitFailure).then((result) => this.#ended(result))
      : this.#ended(told);
  }

  #ended(told: ToolCallResult): ToolCallResult | Promise<ToolCallResult> {
    const { outer } = this.#environment;
    const attempt = this.#attempt;
    if (outer !== undefined && attempt !== undefined && told.invocation.success) {
      outer.noteInnerChanges([...attempt.innerChanges, ...attempt.changes]);
    }
    return this.#discarded(told);
  }

  /** The result, once what the attempt had built is disposed. */
  #discarded(told: ToolCallResult): ToolCallResult | Promise<ToolCallResult> {
    const discarded = this.#attempt?.discard();
    return discarded instanceof Promise ? discarded.then(() => told) : told;
  }

  /** Commits or rolls back the resources. They go first: they may fail, and what comes behind them does not. */
  #settleResources(verdict: FinalVerdict): FinalVerdict | Promise<FinalVerdict> {
    const transaction = this.#attempt?.transaction;
    if (transaction === undefined) return verdict;
    if (verdict.kind !== 'succeeded') return this.#rollBackResources(verdict);
    const committed = transaction.commitResources(this.#patience);
    if (!(committed instanceof Promise)) {
      return committed === undefined
        ? verdict
        : this.#rollBackResources(resourceFailed(this.#committing, committed));
    }
    return committed.then(async (failure) => {
      if (failure !== undefined) return this.#rollBackResources(resourceFailed(this.#committing, failure));
      // The state may have been changed from outside meanwhile, and the resources are in place.
      return (await this.#findRefusal({ transaction })) ?? verdict;
    });
  }

  #rollBackResources(verdict: FinalVerdict): FinalVerdict | Promise<FinalVerdict> {
    const told = (note: string): FinalVerdict =>
      verdict.kind === 'failed' ? withNote(verdict, note) : verdict;
    const note = this.#rollBack();
    return note instanceof Promise ? note.then(told) : told(note);
  }

  /** Rolls back what resources did. @returns what the model has to know of it, empty when all went well. */
  #rollBack(): string | Promise<string> {
    const told = (failures: readonly ResourceFailure[]): string => {
      for (const { name, error } of failures) {
        this.#environment.logger.error('A resource could not be rolled back.', {
          tool: this.#call.toolName,
          callId: this.#call.callId,
          resource: name,
          error: describeError(error),
        });
      }
      if (failures.length === 0) return '';
      const names = failures.map(({ name }) => `"${name}"`).join(', ');
      return ` What it changed in ${names} could not be rolled back and may stand.`;
    };
    const failures = this.#attempt?.transaction.rollBackResources(this.#patience) ?? none;
    return failures instanceof Promise ? failures.then(told) : told(failures);
  }

  /** The verdict over changes that cannot be put on the present state; undefined when they can. */
  #findRefusal({
    transaction,
  }: Pick<ToolCallAttempt, 'transaction'>): FailedVerdict | undefined | Promise<FailedVerdict | undefined> {
    const verdictOn = (refusals: readonly string[]): FailedVerdict | undefined =>
      refusals.length === 0 ? undefined : doesNotFit(this.#committing, refusals);
    const onError = (error: unknown): FailedVerdict => cannotCommit(this.#committing, error);
    try {
      const refusals = transaction.refusals();
      return refusals instanceof Promise ? refusals.then(verdictOn, onError) : verdictOn(refusals);
    } catch (error) {
      return onError(error);
    }
  }

  #resultOf(verdict: FinalVerdict): ToolCallResult {
    const { toolName } = this.#call;
    const reached = verdict.kind === 'interrupting' ? interruptedVerdict(toolName, verdict.error) : verdict;
    const kept = this.#expansion?.verdict(toolName, reached) ?? reached;
    const opening = kept !== reached && reached.kind === 'succeeded' ? reached : undefined;
    const invocation = this.#invocation(kept, opening);
    const { attachments } = kept.result;
    const transaction = this.#attempt?.transaction;
    const patch = reached.kind === 'succeeded' ? transaction?.patch() : this.#survivingLog();
    const result: Writable<ToolCallResult> = { invocation };
    if (attachments !== undefined) result.attachments = attachments;
    if (patch !== undefined) result.patch = patch;
    if (kept.kind === 'failed' && kept.error !== undefined) result.cause = kept.error;
    if (verdict.kind === 'interrupting') result.interrupt = { error: verdict.error };
    return result;
  }

  /** Log entries outlive a rollback; those of an attempt whose reads do not hold were never made. */
  #survivingLog(): CallPatch | undefined {
    if (this.#attempt !== this.#superseded) return this.#attempt?.transaction.discardedPatch();
    return this.#expansion?.thrower.transaction.discardedPatch();
  }

  #invocation(verdict: FailedVerdict | SucceededVerdict, opening?: SucceededVerdict): ToolInvokedPayload {
    return recordCall(this.#environment, verdict, {
      call: this.#call,
      tool: this.tool,
      params: this.#params(),
      attempt: this.#attempt,
      expansion: this.#expansion,
      opening,
      conflicts: this.#conflicts,
      approvals: this.#approvalRecords(),
      plainResources: this.#plainResources,
      startedAtMs: this.#startedAtMs,
      usage: this.#usage,
    });
  }

  #approvalRecords(): readonly RecordedApproval[] {
    const own = this.#approvals?.records ?? none;
    return this.#expansion === undefined ? own : [...own, ...this.#expansion.approvals.records];
  }

  #neverStarted(): FailedVerdict {
    if (this.#resolution.kind === 'rejected') return this.#resolution.verdict;
    const reason = haltReason(this.#environment) ?? { kind: 'interrupted', cause: undefined };
    return stoppedVerdict(this.#call.toolName, reason, false);
  }

  /** The call as the verdicts over its commit tell of it. */
  get #committing(): Parameters<typeof cannotCommit>[0] {
    const { outer } = this.#environment;
    return { toolName: this.#call.toolName, attempt: this.#attempt, outerTool: outer?.toolName };
  }

  #params(): JsonObject | undefined {
    return this.#resolution.kind === 'resolved' ? this.#resolution.resolved.params : this.#resolution.params;
  }
}

function interruptedVerdict(toolName: string, error: unknown): FailedVerdict {
  const message = `The call of "${toolName}" ended the run: ${describeError(error)}`;
  return failed('aborted', 'interrupted', message, { error });
}
