import { describeError } from '../../error/index.ts';
import { none, present, type Writable } from '../../internal/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { AnyTool, TokenUsage } from '../../tool/index.ts';
import type { RecordedApproval } from '../events/tool-invoked.ts';
import { haltReason } from '../limits/run-budget.ts';
import type { RunStop, StopReason } from '../limits/run-stop.ts';
import { readUsage } from '../model/check-turn.ts';
import { addTokenUsage } from '../model/model.ts';
import { TokenEstimate } from '../model/token-estimate.ts';
import { type AttemptedCall, CallAttempt } from './attempt/attempt.ts';
import type { CallCommits, CommitGuard, SettledCall } from './commits.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import { approveChanges, runAttempt } from './pipeline.ts';
import { type CallFacts, recordCall } from './record-call.ts';
import { SectionOpening, tooManyOpenings } from './section-opening.ts';
import { ApprovalMemory } from './tool-call/approval-memory.ts';
import {
  type CallResolution,
  type ResolvedCall,
  resolveCall,
  type ToolCall,
  type ToolCallResult,
} from './tool-call/tool-call.ts';
import {
  type ApprovalVerdict,
  cannotRepeat,
  type FailedVerdict,
  type FinalVerdict,
  failed,
  type SectionsVerdict,
  type SucceededVerdict,
  type SuspendedVerdict,
  stoppedVerdict,
  type Verdict,
} from './tool-call/verdict.ts';
import type { CallPatch } from './transaction/transaction.ts';

/** The places for running calls. */
interface Places {
  /** Does `work` once there is room for one more running call. */
  inPlace<T>(work: () => Promise<T>): Promise<T>;
  /** Does `work` that may take long while other calls are settled. */
  outOfTurn<T>(run: CallRun, work: () => Promise<T>): Promise<T>;
}

const maxAttempts = 3;
const nothingAsked = { instructions: '', conversation: none, tools: none };

/**
 * One call from start to result. `start` begins the first attempt as soon as there is room for it; `settle` is called at the turn of the
 * call to be committed: it repeats the call while what it read has been changed since, and has it committed or rolled back.
 */
export class CallRun implements AttemptedCall, SettledCall {
  readonly call: ToolCall;
  /** When the call, or its repetition, began to wait for a place; 0 without observers of calls. */
  requestedAtMs: number;
  readonly #environment: EvaluationEnvironment;
  readonly #resolution: CallResolution;
  #conflicts: readonly string[] = none;
  #approvals: ApprovalMemory | undefined;
  /** Resources without transactions that superseded attempts asked for. */
  #plainResources: readonly string[] = none;
  /** The last attempt. */
  #attempt: CallAttempt | undefined;
  #superseded: CallAttempt | undefined;
  /** Set when the handler needed sections to be opened; the attempt is then the one that opens them. */
  #opening: SectionOpening | undefined;
  #startedAtMs: number | undefined;
  /** Tokens spent inside, by superseded attempts too. */
  #usage: TokenUsage | undefined;
  /** Answers inside that were counted and may come again. */
  #counted: Set<object> | undefined;

  /** @param stop what the call follows. Default: the run's. */
  constructor(environment: EvaluationEnvironment, call: ToolCall, stop?: RunStop) {
    this.#environment = stop === undefined ? environment : { ...environment, stop };
    this.call = call;
    this.requestedAtMs = this.#environment.reporter?.now() ?? 0;
    this.#resolution = resolveCall(call, environment);
  }

  get toolName(): string {
    return this.call.toolName;
  }

  get outerTool(): string | undefined {
    return this.#environment.outer?.toolName;
  }

  get attempt(): CallAttempt | undefined {
    return this.#attempt;
  }

  /** The tool that is called; undefined when there is none of that name, or the call cannot be run. */
  get tool(): AnyTool | undefined {
    return this.#resolution.kind === 'resolved' ? this.#resolution.resolved.bound.tool : undefined;
  }

  /** True when the call changes the outside world and therefore runs alone. */
  get isBarrier(): boolean {
    return this.tool?.effects === 'external';
  }

  /** What was approved in any attempt. */
  get approvals(): ApprovalMemory {
    this.#approvals ??= new ApprovalMemory(
      { toolName: this.toolName, params: this.#params ?? {} },
      this.#environment.outer?.approvals,
    );
    return this.#approvals;
  }

  /** Counts what evaluations inside an attempt spent; an answer that may come again is identified, and counted once. */
  countUsage(usage: TokenUsage | undefined, answer?: object): void {
    if (answer === undefined || this.#counted?.has(answer) !== true) {
      if (usage !== undefined) this.#usage = addTokenUsage(this.#usage ?? {}, usage);
      if (answer !== undefined) (this.#counted ??= new Set()).add(answer);
    }
    this.#environment.outer?.countUsage(usage, answer);
  }

  /** Counts what was spent inside before the run was resumed, whatever becomes of the call now. */
  countPaid(): void {
    const { budget, logger, origin, earlier } = this.#environment;
    for (const answer of earlier?.innerPaid?.(origin.evaluationId, this.call) ?? none) {
      const { request = nothingAsked, turn } = answer;
      const usage = readUsage(turn);
      budget.count(usage, logger, () => new TokenEstimate().usageOf(request, turn), answer);
      this.countUsage(usage, answer);
    }
  }

  /** Begins the first attempt. Resolves when it has ended; undefined when there is none. Throws only when the session cannot be forked: it was disposed. */
  start(): Promise<Verdict> | undefined {
    const { clock, emit, isObserved } = this.#environment;
    const { turn, callId, toolName, trace } = this.call;
    const params = this.#params;
    this.#startedAtMs = clock.now();
    if (isObserved) {
      emit({
        type: 'tool-call-start',
        turn,
        callId,
        toolName,
        ...present({ params, trace }),
      });
    }
    const resolution = this.#resolution;
    if (resolution.kind === 'rejected' || haltReason(this.#environment) !== undefined) return undefined;
    return this.#begin(resolution.resolved, 1);
  }

  /**
   * The result of the call on the present state, once it is committed or rolled back. Rejects only when what remains of a failed call
   * cannot be put on the state, a hook failed, or the session was disposed.
   *
   * @param first how the first attempt ended.
   * @param commits where it is committed.
   * @param places where one more attempt is made when there is room for it.
   */
  async settle(first: Verdict | undefined, commits: CallCommits, places: Places): Promise<ToolCallResult> {
    let verdict = first;
    for (;;) {
      const attempt = this.#attempt;
      if (attempt === undefined || verdict === undefined) return this.#end(this.#neverStarted(), commits);
      if (this.#isHeldBack(verdict)) return this.#suspend(attempt, commits);
      const { reason } = this.#environment.stop;
      if (reason !== undefined && (verdict.kind === 'needs-approval' || !attempt.mustCommit)) {
        return this.#end(this.#stoppedVerdict(reason, attempt), commits);
      }
      let conflicts: readonly string[];
      if (isUnfinished(verdict)) {
        // No approval is requested, and nothing is opened, based on reads that no longer hold.
        const invalid = await commits.validate(this);
        if (invalid?.kind === 'failed') return this.#end(invalid, commits);
        if (invalid === undefined && verdict.kind === 'suspended') {
          if (this.#environment.suspension?.isWaiting(this.call) === true)
            return this.#suspend(attempt, commits);
          // It was held back by a call that waits no longer.
          conflicts = none;
        } else if (invalid === undefined && verdict.kind !== 'suspended') {
          verdict = await this.#answer(attempt, verdict, commits, places);
          continue;
        } else conflicts = invalid?.changed ?? none;
        this.#environment.suspension?.retract(this.call);
      } else {
        const outcome = await commits.settle(this, verdict, guardOf(verdict, attempt));
        if (outcome.kind === 'settled') return outcome.result;
        conflicts = outcome.changed;
      }
      const repeated = await this.#repeat(attempt, conflicts, commits, places);
      if (repeated.kind === 'failed') return this.#end(repeated, commits);
      verdict = repeated.verdict;
    }
  }

  /** Whether a call before this one waits for an answer: what this one did is dropped. */
  #isHeldBack(verdict: Verdict): boolean {
    const { suspension } = this.#environment;
    if (suspension?.holdsBack(this.call) !== true) return false;
    // What has happened outside is recorded in any case.
    return verdict.kind === 'suspended' || this.#attempt?.hasExternalEffects !== true;
  }

  /** Rolls the call back without a result: the run ends, and does it again when it is resumed. */
  async #suspend(attempt: CallAttempt, commits: CallCommits): Promise<ToolCallResult> {
    await commits.rollback(attempt);
    this.#superseded = attempt;
    const verdict = failed('aborted', 'suspended', 'The run waits for an answer.');
    return { invocation: recordCall(this.#environment, verdict, this.#facts(undefined)), isSuspended: true };
  }

  /** Rolls the call back, whatever its outcome: the turn ended before the call was settled. Never rejects. */
  async rollback(): Promise<void> {
    await this.#attempt?.dispose();
    await this.#attempt?.transaction.rollBackResources(this.#environment.stop.race);
  }

  /** What is recorded with this verdict, and what is put on the state. */
  resultOf(verdict: FinalVerdict): ToolCallResult {
    const reached = verdict.kind === 'fatal' ? fatalVerdict(this.toolName, verdict.error) : verdict;
    const recorded = this.#opening?.verdict(this.toolName, reached) ?? reached;
    const opened = recorded !== reached && reached.kind === 'succeeded' ? reached : undefined;
    const patch = reached.kind === 'succeeded' ? this.#attempt?.transaction.patch() : this.#survivingLog();
    const { attachments, excludeValueFromContext } = recorded.result;
    const cause = recorded.kind === 'failed' ? recorded.error : undefined;
    const result: Writable<ToolCallResult> = {
      invocation: recordCall(this.#environment, recorded, this.#facts(opened)),
    };
    if (patch !== undefined) result.patch = patch;
    if (attachments !== undefined) result.attachments = attachments;
    if (excludeValueFromContext === true) result.isValueExcluded = true;
    if (cause !== undefined) result.cause = cause;
    if (verdict.kind === 'fatal') result.interrupt = { error: verdict.error };
    return result;
  }

  /** Ends the call with a verdict that nothing has to hold for. */
  async #end(verdict: FinalVerdict, commits: CallCommits): Promise<ToolCallResult> {
    const outcome = await commits.settle(this, verdict, 'none');
    if (outcome.kind === 'conflict')
      throw new RangeError('A call that nothing has to hold for has a conflict.');
    return outcome.result;
  }

  #begin(resolved: ResolvedCall, number: number): Promise<Verdict> {
    const { requestedAtMs } = this;
    this.#attempt = new CallAttempt(this.#environment, resolved, { number, call: this, requestedAtMs });
    return runAttempt(this.#attempt);
  }

  /** Gives an attempt what it needs: answers to the questions of policies, or opened sections. */
  #answer(
    attempt: CallAttempt,
    verdict: ApprovalVerdict | SectionsVerdict,
    commits: CallCommits,
    places: Places,
  ): Promise<Verdict> {
    if (verdict.kind === 'needs-sections') return this.#openSections(attempt, verdict, commits, places);
    return places.outOfTurn(this, () => approveChanges(attempt, verdict.questions));
  }

  /** Opens the sections that the handler needs, on the present state, in the place of what it did. */
  async #openSections(
    thrower: CallAttempt,
    { signal }: SectionsVerdict,
    commits: CallCommits,
    places: Places,
  ): Promise<Verdict> {
    const { display } = this.#environment;
    if (!display.canOpenSections) {
      return tooManyOpenings(this.toolName, display.maxSectionOpenings, thrower.residualNote());
    }
    const note = `${thrower.residualNote()}${await commits.rollback(thrower)}`;
    this.#plainResources = [...this.#plainResources, ...thrower.transaction.plainResources];
    const opening = new SectionOpening(this.#environment, this.call, {
      thrower,
      signal,
      note,
      countUsage: (usage, answer) => this.countUsage(usage, answer),
    });
    this.#opening = opening;
    return places.inPlace(() => this.#beginOpening(opening, thrower.number));
  }

  #beginOpening(opening: SectionOpening, number: number): Promise<Verdict> {
    this.#attempt = opening.newAttempt(number);
    return runAttempt(this.#attempt);
  }

  /** Runs the call again on the present state. @returns why it cannot be, or the verdict on the new attempt. */
  async #repeat(
    superseded: CallAttempt,
    changed: readonly string[],
    commits: CallCommits,
    places: Places,
  ): Promise<FailedVerdict | { readonly kind: 'repeated'; readonly verdict: Verdict }> {
    this.#conflicts = [...this.#conflicts, ...changed];
    await commits.rollback(superseded, changed);
    this.#superseded = superseded;
    const { number, transaction } = superseded;
    const isStuck = transaction.stuckResources.length > 0;
    const resolution = this.#resolution;
    if (isStuck || number >= maxAttempts || resolution.kind === 'rejected')
      return cannotRepeat(this, changed);
    this.#plainResources = [...this.#plainResources, ...transaction.plainResources];
    this.requestedAtMs = this.#environment.reporter?.now() ?? 0;
    return places.inPlace(async () => {
      const halt = haltReason(this.#environment);
      if (halt !== undefined) return stoppedVerdict(this.toolName, halt, false);
      const { callId, toolName, turn } = this.call;
      this.#approvals?.beginAgain();
      this.#environment.emit({
        type: 'tool-call-retry',
        turn,
        callId,
        toolName,
        attempt: number + 1,
        conflicts: changed,
      });
      // The state that made the handler request sections was verified; only their opening is repeated.
      const verdict =
        this.#opening === undefined
          ? await this.#begin(resolution.resolved, number + 1)
          : await this.#beginOpening(this.#opening, number + 1);
      return { kind: 'repeated', verdict };
    });
  }

  /** Log entries outlive a rollback; those of an attempt whose reads do not hold were never made. */
  #survivingLog(): CallPatch | undefined {
    if (this.#attempt !== this.#superseded) return this.#attempt?.transaction.discardedPatch();
    return this.#opening?.thrower.transaction.discardedPatch();
  }

  #facts(opened: SucceededVerdict | undefined): CallFacts {
    return {
      call: this.call,
      tool: this.tool,
      params: this.#params,
      attempt: this.#attempt,
      opening: this.#opening,
      opened,
      conflicts: this.#conflicts,
      approvals: this.#approvalRecords(),
      plainResources: this.#plainResources,
      startedAtMs: this.#startedAtMs,
      usage: this.#usage,
    };
  }

  #approvalRecords(): readonly RecordedApproval[] {
    const own = this.#approvals?.records ?? none;
    return this.#opening === undefined ? own : [...own, ...this.#opening.approvals.records];
  }

  #neverStarted(): FailedVerdict {
    if (this.#resolution.kind === 'rejected') return this.#resolution.verdict;
    const reason = haltReason(this.#environment) ?? { kind: 'interrupted', cause: undefined };
    return stoppedVerdict(this.toolName, reason, false);
  }

  #stoppedVerdict(reason: StopReason, { hasExternalEffects }: CallAttempt): FailedVerdict {
    const isDone = hasExternalEffects || this.#opening?.thrower.hasExternalEffects === true;
    return stoppedVerdict(this.toolName, reason, isDone);
  }

  get #params(): JsonObject | undefined {
    return this.#resolution.kind === 'resolved' ? this.#resolution.resolved.params : this.#resolution.params;
  }
}

/** Verdicts that need something before the call can be settled. */
function isUnfinished(verdict: Verdict): verdict is ApprovalVerdict | SectionsVerdict | SuspendedVerdict {
  return (
    verdict.kind === 'needs-approval' || verdict.kind === 'needs-sections' || verdict.kind === 'suspended'
  );
}

/** What a handler with effects outside has done cannot be repeated: its reads need not hold, and its failure leaves nothing to fit. */
function guardOf(verdict: FinalVerdict, { hasExternalEffects }: CallAttempt): CommitGuard {
  if (!hasExternalEffects) return 'reads-hold';
  return verdict.kind === 'succeeded' ? 'changes-fit' : 'none';
}

function fatalVerdict(toolName: string, error: unknown): FailedVerdict {
  const message = `The call of "${toolName}" ended the run: ${describeError(error)}`;
  return failed('aborted', 'interrupted', message, { error });
}
