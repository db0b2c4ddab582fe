import { describeError } from '../../error/index.ts';
import { none, type Writable } from '../../internal/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { AnyTool, TokenUsage } from '../../tool/index.ts';
import { haltReason } from '../limits/run-budget.ts';
import type { RunStop, StopReason } from '../limits/run-stop.ts';
import { readUsage } from '../model/check-turn.ts';
import { addTokenUsage } from '../model/model.ts';
import { TokenEstimate } from '../model/token-estimate.ts';
import { type AttemptedCall, CallAttempt } from './attempt/attempt.ts';
import { callSubject } from './call-subject.ts';
import type { CallCommits, CommitGuard, SettledCall } from './commits.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import { approveChanges, runAttempt } from './pipeline.ts';
import { recordCall } from './record-call.ts';
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

/** What a call does next, once an attempt has ended. */
type CallState =
  /** It is dropped without a result: the run ends, and makes it again when it is resumed. */
  | { readonly kind: 'dropped'; readonly attempt: CallAttempt | undefined }
  /** It can continue only with an answer, or with opened sections. */
  | {
      readonly kind: 'asking';
      readonly attempt: CallAttempt;
      readonly verdict: ApprovalVerdict | SectionsVerdict | SuspendedVerdict;
    }
  /** It has its verdict, which is committed while the guard holds. */
  | { readonly kind: 'settling'; readonly verdict: FinalVerdict; readonly guard: CommitGuard }
  /** What it had read was changed. */
  | { readonly kind: 'outdated'; readonly changed: readonly string[] };

/**
 * One call from start to result. `start` begins the first attempt when there is room; `settle`, at its turn to commit, goes through these states:
 *
 * ```
 *                attempt has ended <-------------- attempt again, or with what it asked for
 *                        |                                   ^              ^
 *       +----------------+----------------+                  |              |
 *       v                v                v                  |              |
 *    dropped          settling          asking ---- reads hold: answer      |
 *       |              |    |             |                                 |
 *       v        commit|    |conflict     |reads do not hold                |
 *  rolled back         v    v             v                                 |
 *                  settled  outdated <----+                                 |
 *                              +--- at most three attempts -----------------+
 *                              +--- no more: settling, as a failure that nothing has to hold for
 * ```
 */
export class CallRun implements AttemptedCall, SettledCall {
  readonly call: ToolCall;
  /** When the call, or its repetition, began to wait for a place; 0 without observers of calls. */
  requestedAtMs: number;
  /** The tool that is called; undefined when there is none of that name, or the call cannot be run. */
  readonly tool: AnyTool | undefined;
  /** True when the call changes the outside world and therefore runs alone. */
  readonly isBarrier: boolean;
  /** The last attempt; undefined when there was none. */
  attempt: CallAttempt | undefined;
  readonly #environment: EvaluationEnvironment;
  readonly #resolution: CallResolution;
  readonly #params: JsonObject | undefined;
  #conflicts: readonly string[] = none;
  #approvals: ApprovalMemory | undefined;
  /** Resources without transactions that superseded attempts asked for. */
  #plainResources: readonly string[] = none;
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
    const resolution = resolveCall(call, environment);
    const resolved = resolution.kind === 'resolved' ? resolution.resolved : undefined;
    this.#resolution = resolution;
    this.#params = resolution.kind === 'resolved' ? resolution.resolved.params : resolution.params;
    this.tool = resolved?.bound.tool;
    this.isBarrier = this.tool?.effects === 'external';
  }

  get toolName(): string {
    return this.call.toolName;
  }

  get outerTool(): string | undefined {
    return this.#environment.outer?.toolName;
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
      const estimate = (): TokenUsage => new TokenEstimate().usageOf(request, turn);
      budget.count(usage, logger, estimate, answer, turn.answeredBy);
      this.countUsage(usage, answer);
    }
  }

  /** Begins the first attempt. Resolves when it has ended; undefined when there is none. Throws only when the session cannot be forked: it was disposed. */
  start(): Promise<Verdict> | undefined {
    const { clock, emit, eventTypes } = this.#environment;
    const { turn, callId, toolName, trace } = this.call;
    const params = this.#params;
    this.#startedAtMs = clock.now();
    if (eventTypes.has('tool-call-start')) {
      const begun = { type: 'tool-call-start', turn, callId, toolName } as const;
      const read = params === undefined ? begun : { ...begun, params };
      const subject = callSubject(this.tool, params, this.#environment);
      const named = subject === undefined ? read : { ...read, subject };
      emit(trace === undefined ? named : { ...named, trace });
    }
    const resolution = this.#resolution;
    if (resolution.kind === 'rejected' || haltReason(this.#environment) !== undefined) return undefined;
    return this.#begin(resolution.resolved, 1);
  }

  /**
   * The result of the call on the present state, once it is committed or rolled back. Rejects only when what remains of a failed call cannot be put on the state, a hook failed, or the
   * session was disposed.
   *
   * @param first how the first attempt ended. @param commits where it is committed.
   * @param places where one more attempt is made when there is room for it.
   */
  async settle(first: Verdict | undefined, commits: CallCommits, places: Places): Promise<ToolCallResult> {
    let state = this.#stateAfter(first);
    for (;;) {
      switch (state.kind) {
        case 'dropped':
          return this.#suspend(state.attempt, commits);
        case 'settling': {
          const outcome = await commits.settle(this, state.verdict, state.guard);
          if (outcome.kind === 'settled') return outcome.result;
          state = { kind: 'outdated', changed: outcome.changed };
          break;
        }
        case 'asking':
          state = await this.#ask(state.attempt, state.verdict, commits, places);
          break;
        case 'outdated':
          state = await this.#repeat(state.changed, commits, places);
      }
    }
  }

  /** Decides what follows from how the last attempt has ended; undefined when there was none. */
  #stateAfter(verdict: Verdict | undefined): CallState {
    const { stop, suspension } = this.#environment;
    const { attempt } = this;
    // What has happened outside is recorded in any case.
    const isRecorded = attempt?.hasExternalEffects === true && verdict?.kind !== 'suspended';
    if (!isRecorded && suspension?.holdsBack(this.call) === true) return { kind: 'dropped', attempt };
    if (attempt === undefined || verdict === undefined)
      return { kind: 'settling', verdict: this.#neverStarted(), guard: 'none' };
    const { hasExternalEffects, mustCommit } = attempt;
    if (stop.reason !== undefined && (verdict.kind === 'needs-approval' || !mustCommit))
      return { kind: 'settling', verdict: this.#stoppedVerdict(stop.reason, attempt), guard: 'none' };
    switch (verdict.kind) {
      case 'needs-approval':
      case 'needs-sections':
      case 'suspended':
        return { kind: 'asking', attempt, verdict };
      case 'succeeded':
        // What a handler with effects outside has done cannot be repeated: its reads need not hold.
        return { kind: 'settling', verdict, guard: hasExternalEffects ? 'changes-fit' : 'reads-hold' };
      case 'failed':
      case 'fatal':
        return { kind: 'settling', verdict, guard: hasExternalEffects ? 'none' : 'reads-hold' };
    }
  }

  /** Gives an attempt what it needs. No approval is requested, and nothing is opened, based on reads that no longer hold. */
  async #ask(
    attempt: CallAttempt,
    verdict: ApprovalVerdict | SectionsVerdict | SuspendedVerdict,
    commits: CallCommits,
    places: Places,
  ): Promise<CallState> {
    const { suspension } = this.#environment;
    const invalid = await commits.validate(this);
    if (invalid?.kind === 'failed') return { kind: 'settling', verdict: invalid, guard: 'none' };
    if (invalid === undefined && verdict.kind !== 'suspended')
      return this.#stateAfter(await this.#answer(attempt, verdict, commits, places));
    if (invalid === undefined && suspension?.isWaiting(this.call) === true)
      return { kind: 'dropped', attempt };
    suspension?.retract(this.call);
    // Without a change it was held back by a call that waits no longer.
    return { kind: 'outdated', changed: invalid?.changed ?? none };
  }

  /** Rolls the call back without a result: the run ends, and does it again when it is resumed. */
  async #suspend(attempt: CallAttempt | undefined, commits: CallCommits): Promise<ToolCallResult> {
    if (attempt !== undefined) await commits.rollback(attempt);
    this.#superseded = attempt;
    const { invocation } = this.resultOf(failed('aborted', 'suspended', 'The run waits for an answer.'));
    return { invocation, isSuspended: true };
  }

  /** Rolls the call back, whatever its outcome: the turn ended before the call was settled. Never rejects. */
  async rollback(): Promise<void> {
    await this.attempt?.dispose();
    await this.attempt?.transaction.rollBackResources(this.#environment.stop.race);
  }

  /** What is recorded with this verdict, and what is put on the state. */
  resultOf(verdict: FinalVerdict): ToolCallResult {
    const reached = verdict.kind === 'fatal' ? fatalVerdict(this.toolName, verdict.error) : verdict;
    const opening = this.#opening;
    const approvals = this.#approvals?.records ?? none;
    const recorded = opening?.verdict(this.toolName, reached) ?? reached;
    const opened = recorded !== reached && reached.kind === 'succeeded' ? reached : undefined;
    const patch = reached.kind === 'succeeded' ? this.attempt?.transaction.patch() : this.#survivingLog();
    const { attachments, excludeValueFromContext } = recorded.result;
    const cause = recorded.kind === 'failed' ? recorded.error : undefined;
    const result: Writable<ToolCallResult> = {
      invocation: recordCall(this.#environment, recorded, {
        call: this.call,
        tool: this.tool,
        params: this.#params,
        attempt: this.attempt,
        opening,
        opened,
        conflicts: this.#conflicts,
        approvals: opening === undefined ? approvals : [...approvals, ...opening.approvals.records],
        plainResources: this.#plainResources,
        startedAtMs: this.#startedAtMs,
        usage: this.#usage,
      }),
    };
    if (patch !== undefined) result.patch = patch;
    if (attachments !== undefined) result.attachments = attachments;
    if (excludeValueFromContext === true) result.isValueExcluded = true;
    if (cause !== undefined) result.cause = cause;
    if (verdict.kind === 'fatal') result.interrupt = { error: verdict.error };
    return result;
  }

  #begin(resolved: ResolvedCall, number: number): Promise<Verdict> {
    const { requestedAtMs } = this;
    this.attempt = new CallAttempt(this.#environment, resolved, { number, call: this, requestedAtMs });
    return runAttempt(this.attempt);
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
    this.attempt = opening.newAttempt(number);
    return runAttempt(this.attempt);
  }

  /** Runs the call again on the present state, where it can be. */
  async #repeat(changed: readonly string[], commits: CallCommits, places: Places): Promise<CallState> {
    const { attempt: superseded } = this;
    if (superseded === undefined) throw new RangeError('A call without an attempt cannot be repeated.');
    this.#conflicts = [...this.#conflicts, ...changed];
    await commits.rollback(superseded, changed);
    this.#superseded = superseded;
    const { number, transaction } = superseded;
    const isStuck = transaction.stuckResources.length > 0;
    const resolution = this.#resolution;
    if (isStuck || number >= maxAttempts || resolution.kind === 'rejected')
      return { kind: 'settling', verdict: cannotRepeat(this, changed), guard: 'none' };
    this.#plainResources = [...this.#plainResources, ...transaction.plainResources];
    this.requestedAtMs = this.#environment.reporter?.now() ?? 0;
    return places.inPlace(async () => {
      const halt = haltReason(this.#environment);
      if (halt !== undefined)
        return { kind: 'settling', verdict: stoppedVerdict(this.toolName, halt, false), guard: 'none' };
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
      return this.#stateAfter(verdict);
    });
  }

  /** Log entries outlive a rollback; those of an attempt whose reads do not hold were never made. */
  #survivingLog(): CallPatch | undefined {
    if (this.attempt !== this.#superseded) return this.attempt?.transaction.discardedPatch();
    return this.#opening?.thrower.transaction.discardedPatch();
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
}

function fatalVerdict(toolName: string, error: unknown): FailedVerdict {
  const message = `The call of "${toolName}" ended the run: ${describeError(error)}`;
  return failed('aborted', 'interrupted', message, { error });
}
