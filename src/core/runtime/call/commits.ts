import { describeError } from '../../error/index.ts';
import type { StagedChanges } from '../../filesystem/index.ts';
import { none, present } from '../../internal/index.ts';
import type { DecidingRow } from '../../resource/index.ts';
import type { ConversationItem } from '../../tool/index.ts';
import { ToolInvoked, type ToolInvokedPayload } from '../../tool/index.ts';
import type { FeedbackRunner } from '../feedback/feedback-runner.ts';
import type { LoopState } from '../model/loop-state.ts';
import { addTokenUsage } from '../model/model.ts';
import type { CallAttempt } from './attempt/attempt.ts';
import { isThrown } from './attempt/exceptions.ts';
import {
  type AttemptName,
  awaitHook,
  type CallHooks,
  HookFailure,
  nameAttempt,
} from './environment/call-hooks.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import { toResultItem } from './result-item.ts';
import type { ToolCall, ToolCallResult } from './tool-call/tool-call.ts';
import {
  cannotCommit,
  doesNotFit,
  type FailedVerdict,
  type FinalVerdict,
  resourceFailed,
  type UncommittedCall,
  withNote,
} from './tool-call/verdict.ts';
import { applyPatch, type CallPatch, type CallTransaction, type Notify } from './transaction/transaction.ts';

/** A call at its turn to be committed or rolled back. */
export interface SettledCall extends UncommittedCall {
  readonly call: ToolCall;
  /** Its last attempt; undefined when it never began. */
  readonly attempt: CallAttempt | undefined;
  /** When it began to wait for a place, for observers. */
  readonly requestedAtMs: number;
  /** What is recorded with this verdict, and what is put on the state. */
  resultOf(verdict: FinalVerdict): ToolCallResult;
}

/** What has to hold for a call to be committed: all that it read, that its changes fit, or nothing. */
export type CommitGuard = 'reads-hold' | 'changes-fit' | 'none';

/** What it had read was changed: the call has to be repeated. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly changed: readonly string[];
}

/** A call was committed or rolled back, or has to be repeated. */
export type CommitOutcome = { readonly kind: 'settled'; readonly result: ToolCallResult } | Conflict;

/** The resources are committed, or rolled back with this verdict. */
interface ResourcesSettled {
  readonly kind: 'resources-settled';
  readonly verdict: FinalVerdict;
}

/** The changes are on the state. */
interface Applied {
  readonly kind: 'applied';
  readonly result: ToolCallResult;
  /** Calls the subscribers of the session; undefined when there is no event. */
  readonly notify: Notify | undefined;
  /** Number of the commit on the root session; undefined without observers of calls. */
  readonly seq: number | undefined;
  /** Files that wait for the decision of a journal. */
  readonly staged: StagedChanges | undefined;
}

/**
 * Where calls are committed and rolled back, and their results enter the run: the only place that puts patches on the state,
 * live and when a run is resumed.
 */
export class CallCommits {
  readonly #environment: EvaluationEnvironment;
  readonly #state: LoopState;
  readonly #conversation: ConversationItem[];

  /** @param conversation gets the answers of the calls. Default: the conversation of the run. */
  constructor(
    environment: EvaluationEnvironment,
    state: LoopState,
    conversation: ConversationItem[] = state.conversation,
  ) {
    this.#environment = environment;
    this.#state = state;
    this.#conversation = conversation;
  }

  /**
   * Commits a call that succeeded and rolls back any other: first the resources, which may fail, then session and files in one
   * synchronous stretch, then delivers the result. Rejects only when what remains of a failed call cannot be applied to the state, and
   * when a hook fails.
   */
  async settle(call: SettledCall, verdict: FinalVerdict, guard: CommitGuard): Promise<CommitOutcome> {
    const { attempt } = call;
    let final = verdict;
    let finalGuard = guard;
    if (attempt?.transaction.hasResources === true) {
      const settled = await this.#settleResources(call, attempt, verdict, guard);
      if (settled.kind === 'conflict') return settled;
      final = settled.verdict;
      // From here only what does not fit can stop a commit: the resources are in place.
      finalGuard = final.kind === 'succeeded' ? 'changes-fit' : 'none';
    }
    const committed = this.#tryCommit(call, final, finalGuard);
    if (committed.kind === 'conflict') return committed;
    const result = await this.#deliver(call, committed);
    if (result.invocation.success && attempt !== undefined) {
      this.#environment.outer?.addInnerChanges([...attempt.innerChanges, ...attempt.changes]);
    }
    const disposal = attempt?.dispose();
    if (disposal !== undefined) await disposal;
    return { kind: 'settled', result };
  }

  /**
   * Takes over a call that was made before, from a journal: its handler does not run again. One that was decided and not delivered is
   * delivered now.
   *
   * @returns the result with the feedback.
   */
  async takeOver(result: ToolCallResult): Promise<ToolCallResult> {
    const { feedback, hooks, reporter, results, roots, touchedFiles } = this.#environment;
    const { patch, resumed } = result;
    const notify = patch === undefined ? undefined : applyPatch(roots, patch);
    const seq = reporter?.takenOver(result);
    let taken = result;
    if (resumed?.isDelivered === false) {
      hooks?.onRedeliver?.();
      notify?.({ again: true, ...present({ commit: seq }) });
      taken = this.#excerptOf(result);
      if (feedback !== undefined) taken = await withFeedback(taken, feedback);
    } else if (resumed === undefined) notify?.();
    else if (feedback !== undefined) taken = { ...result, invocation: feedback.restore(result.invocation) };
    if (resumed !== undefined) results?.restore(result.invocation, resumed.wholeText);
    this.#publish(taken);
    if (result.invocation.success) touchedFiles?.add(result.invocation, resumed?.reads ?? none);
    this.#environment.outer?.addInnerChanges(resumed?.changes ?? none);
    hooks?.onTakenOver?.(taken);
    return taken;
  }

  /** Whether what a call has read holds still. @returns what does not, a failure when it cannot be found out, undefined when it does. */
  async validate(call: SettledCall): Promise<Conflict | FailedVerdict | undefined> {
    const { attempt } = call;
    if (attempt === undefined || attempt.hasExternalEffects) return undefined;
    try {
      const changed = await allViolations(attempt.transaction, 'reads-hold');
      return changed.length === 0 ? undefined : { kind: 'conflict', changed };
    } catch (error) {
      return cannotCommit(call, error);
    }
  }

  /**
   * Rolls back an attempt that another one takes the place of. Never rejects.
   *
   * @param conflicts what it had read and was changed. Default: there is another reason.
   * @returns what the model has to know of it; empty when all went well.
   */
  async rollback(attempt: CallAttempt, conflicts: readonly string[] = none): Promise<string> {
    this.#emitDiscard(attempt, conflicts);
    this.#environment.reporter?.superseded(attempt, conflicts);
    await attempt.dispose();
    return this.#rollbackResources(attempt);
  }

  async #rollbackResources({ resolved, tool, transaction }: CallAttempt): Promise<string> {
    if (!transaction.hasResources) return '';
    const { logger, stop } = this.#environment;
    const failures = await transaction.rollBackResources(stop.race);
    for (const { name, error } of failures) {
      logger.error('A resource could not be rolled back.', {
        tool: tool.name,
        callId: resolved.call.callId,
        resource: name,
        error: describeError(error),
      });
    }
    if (failures.length === 0) return '';
    const names = failures.map(({ name }) => `"${name}"`).join(', ');
    return ` Its changes in ${names} could not be rolled back and may remain.`;
  }

  /** Commits or rolls back the resources. They go first: they may fail, and what comes after them does not. */
  async #settleResources(
    call: SettledCall,
    attempt: CallAttempt,
    verdict: FinalVerdict,
    guard: CommitGuard,
  ): Promise<ResourcesSettled | Conflict> {
    const { hooks, stop } = this.#environment;
    const { tool, transaction } = attempt;
    let reached = verdict;
    let row: DecidingRow | undefined;
    try {
      let changed = await allViolations(transaction, guard);
      // What a tool with effects 'read' did is rolled back.
      const commits = verdict.kind === 'succeeded' && tool.effects !== 'read';
      if (changed.length === 0 && commits && hooks?.onBegin !== undefined) {
        const { sharedTransaction } = transaction;
        row = await awaitHook(() => hooks.onBegin?.(attempt.beginning(false), sharedTransaction));
        changed = await allViolations(transaction, guard);
      }
      if (changed.length > 0 && guard === 'reads-hold') return { kind: 'conflict', changed };
      if (changed.length > 0) reached = doesNotFit(call, changed);
      if (reached.kind === 'succeeded') {
        const failure = await transaction.commitResources(stop.race, row);
        if (failure === undefined) return { kind: 'resources-settled', verdict: reached };
        reached = resourceFailed(call, failure);
      }
    } catch (error) {
      if (isThrown(error, HookFailure)) throw error;
      // What failed for another reason stays failed for that.
      if (reached.kind === 'succeeded') reached = cannotCommit(call, error);
    }
    const note = await this.#rollbackResources(attempt);
    return {
      kind: 'resources-settled',
      verdict: reached.kind === 'failed' ? withNote(reached, note) : reached,
    };
  }

  /**
   * The synchronous stretch: what has to hold holds still, so the changes go onto the state. It awaits nothing, so nothing can change in
   * between.
   */
  #tryCommit(call: SettledCall, verdict: FinalVerdict, guard: CommitGuard): Applied | Conflict {
    const transaction = call.attempt?.transaction;
    let reached = verdict;
    if (transaction !== undefined && guard !== 'none') {
      try {
        const changed = guard === 'reads-hold' ? transaction.conflicts() : transaction.refusals();
        if (changed.length > 0 && guard === 'reads-hold') return { kind: 'conflict', changed };
        if (changed.length > 0) reached = doesNotFit(call, changed);
      } catch (error) {
        if (reached.kind === 'succeeded') reached = cannotCommit(call, error);
      }
    }
    try {
      return this.#apply(call, call.resultOf(reached));
    } catch (error) {
      if (reached.kind !== 'succeeded') throw error;
      return this.#apply(call, call.resultOf(cannotCommit(call, error)));
    }
  }

  #apply(call: SettledCall, result: ToolCallResult): Applied {
    const { hooks, reporter, roots } = this.#environment;
    const { patch, invocation } = result;
    const before = reporter?.beforeApply();
    const staged = hooks?.decides === true ? this.#stage(patch, hooks) : undefined;
    let notify: Notify | undefined;
    try {
      if (patch !== undefined)
        notify = applyPatch(roots, staged === undefined ? patch : { session: patch.session });
    } catch (error) {
      staged?.discard();
      throw error;
    }
    let seq: number | undefined;
    if (reporter !== undefined && before !== undefined) {
      if (invocation.success) seq = reporter.committed(call, result, before);
      else reporter.failed(call, result, before);
    }
    return { kind: 'applied', result, notify, seq, staged };
  }

  /** Prepares files for the disk, where a journal decides before they are brought there. */
  #stage(patch: CallPatch | undefined, hooks: CallHooks): StagedChanges | undefined {
    const { outer, roots } = this.#environment;
    if (outer !== undefined || patch?.files === undefined) return undefined;
    return roots.filesystem?.stage?.(patch.files, present({ pending: hooks.nextCommit?.() }));
  }

  /** Delivers a call to subscribers, feedback providers, the conversation, the record, observers. @returns the result with the feedback. */
  async #deliver(
    { attempt, call }: SettledCall,
    { result, notify, seq, staged }: Applied,
  ): Promise<ToolCallResult> {
    const { feedback, hooks, stop, touchedFiles } = this.#environment;
    const name = hooks === undefined ? undefined : nameAttempt(call, attempt?.number ?? 0, this.#environment);
    if (hooks !== undefined && name !== undefined) await this.#decide(hooks, name, result, staged);
    if (!result.invocation.success && attempt !== undefined) this.#emitDiscard(attempt, none);
    notify?.(hooks?.decides === true ? present({ commit: seq }) : undefined);
    const read = this.#excerptOf(result);
    const delivered = feedback === undefined ? read : await withFeedback(read, feedback);
    this.#publish(delivered);
    if (result.invocation.success)
      touchedFiles?.add(result.invocation, attempt?.transaction.fileReads?.observe?.().reads ?? none);
    if (name !== undefined) hooks?.onDelivered?.(delivered, name);
    if (delivered.interrupt !== undefined)
      stop.stop({ kind: 'interrupted', cause: delivered.interrupt.error });
    return delivered;
  }

  /** What the model reads of a result: all of it, unless it is too long. The rest is kept for as long as the conversation. */
  #excerptOf(result: ToolCallResult): ToolCallResult {
    const { results } = this.#environment;
    if (results === undefined || result.interrupt !== undefined) return result;
    const invocation = results.excerptOf(result.invocation);
    return invocation === result.invocation ? result : { ...result, invocation };
  }

  /** Waits for the decision of the journal, then brings the files to the disk. What fails from there on ends the run. */
  async #decide(
    hooks: CallHooks,
    name: AttemptName,
    result: ToolCallResult,
    staged: StagedChanges | undefined,
  ): Promise<void> {
    try {
      await awaitHook(() => hooks.onCommit?.(result, name, staged !== undefined));
    } catch (error) {
      // Whether it was decided is not known: opening the folder undoes it, and resuming the run does it again.
      staged?.discard({ isUndecided: true });
      throw error;
    }
    try {
      staged?.land();
    } catch (error) {
      hooks.onLost?.(error);
      throw new HookFailure(error);
    }
  }

  #emitDiscard({ number, resolved, transaction }: CallAttempt, conflicts: readonly string[]): void {
    const { hooks } = this.#environment;
    if (hooks?.onDiscard === undefined) return;
    const name = nameAttempt(resolved.call, number, this.#environment);
    hooks.onDiscard({ ...name, conflicts, patch: transaction.patch() });
  }

  #publish(result: ToolCallResult): void {
    const { invocation, cause } = result;
    const { logger, emit, endedCalls, eventTypes, feedback, redactor, results } = this.#environment;
    const { callId, openedSections, reason, toolName, turn } = invocation;
    // What was opened is part of the next request, live and when the run is resumed.
    if (openedSections !== undefined) this.#state.openings.push({ callId, shown: openedSections });
    if (reason === 'sections-opened' || reason === 'sections-not-opened') this.#state.expansions += 1;
    const recorded = redactor?.record(invocation) ?? invocation;
    const item = toResultItem(result, this.#environment);
    this.#conversation.push(item);
    results?.delivered(item, turn);
    if (invocation.usage !== undefined)
      this.#state.usage = addTokenUsage(this.#state.usage, invocation.usage);
    this.#record(recorded);
    endedCalls?.add(invocation);
    feedback?.record(invocation);
    if (cause !== undefined) {
      logger.debug('A tool call failed.', { tool: toolName, callId, error: describeError(cause) });
    }
    for (const record of invocation.feedback ?? []) {
      emit({ type: 'feedback-recorded', turn, callId, toolName, ...record });
    }
    if (!eventTypes.has('tool-call-end')) return;
    const end = { type: 'tool-call-end', turn, callId, toolName, invocation: recorded } as const;
    emit(cause === undefined ? end : { ...end, cause });
  }

  /** A transaction of its own: that a reducer of someone else's refuses the record changes nothing for the call. */
  #record(invocation: ToolInvokedPayload): void {
    const { roots, logger } = this.#environment;
    try {
      roots.session.dispatch(ToolInvoked, invocation);
    } catch (error) {
      const { toolName, callId } = invocation;
      logger.error('A tool call could not be recorded.', {
        tool: toolName,
        callId,
        error: describeError(error),
      });
    }
  }
}

/** The model does not read the result of a call that ends the run. */
async function withFeedback(result: ToolCallResult, feedback: FeedbackRunner): Promise<ToolCallResult> {
  if (result.interrupt !== undefined) return result;
  return { ...result, invocation: await feedback.addTo(result.invocation) };
}

/** What of the session, the files and the resources does not hold as the guard wants it. The resources come first: they may have to be awaited. */
async function allViolations(transaction: CallTransaction, guard: CommitGuard): Promise<readonly string[]> {
  if (guard === 'none') return none;
  const inResources = await transaction.resourceConflicts();
  const inViews = guard === 'reads-hold' ? transaction.conflicts() : transaction.refusals();
  return [...inViews, ...inResources];
}
