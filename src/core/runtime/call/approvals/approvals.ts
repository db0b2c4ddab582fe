import { describeError } from '../../../error/index.ts';
import type { FileChange } from '../../../filesystem/index.ts';
import { freezeData, present } from '../../../internal/index.ts';
import type { RecordedApproval } from '../../../tool/index.ts';
import type { CallAttempt } from '../attempt/attempt.ts';
import { awaitHook } from '../environment/call-hooks.ts';
import type { ApprovalAnswer, ApprovalHandler, ApprovalRequest } from '../environment/environment.ts';
import type { AskingCall, RunSuspension, StagedCall } from '../environment/run-suspension.ts';
import {
  type FailedVerdict,
  failed,
  type PolicyQuestion,
  type SuspendedVerdict,
} from '../tool-call/verdict.ts';

/** The answer to a question, and why it is a no. */
export type ApprovalOutcome =
  | { readonly approved: true }
  | { readonly approved: false; readonly why: string; readonly error?: unknown };

/** Submits one request to `approve`. Without one, or when it fails, the answer is no. Never rejects. */
export async function requestApproval(
  approve: ApprovalHandler | undefined,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalOutcome> {
  if (approve === undefined) return { approved: false, why: 'no approver is configured (option `approve`).' };
  let answer: ApprovalAnswer | null | undefined;
  try {
    answer = await approve(freezeData(request), { signal });
  } catch (error) {
    return { approved: false, why: `the approver failed: ${describeError(error)}`, error };
  }
  // The callback may be written without types, and only a plain yes is one.
  const { approved, reason }: { readonly approved?: unknown; readonly reason?: string } =
    typeof answer === 'object' && answer !== null ? answer : { approved: answer };
  if (approved === true) return { approved: true };
  return { approved: false, why: typeof reason === 'string' ? reason : 'it was not approved.' };
}

/**
 * Puts the questions of policies to `approve`, one after the other, but for those that were approved before.
 *
 * @param changes that the questions are about; absent: they are about the call.
 * @returns the refusal; undefined when all were approved.
 * @throws {RunStoppedSignal} when the run is stopped: no answer is awaited beyond its end.
 */
export async function askForApproval(
  attempt: CallAttempt,
  questions: readonly PolicyQuestion[],
  changes?: readonly FileChange[],
): Promise<FailedVerdict | SuspendedVerdict | undefined> {
  const { stop, suspension } = attempt.environment;
  let isWaiting = false;
  for (const question of questions) {
    // A policy that answered at once may have ended the run.
    stop.throwIfStopped();
    if (attempt.approvals.covers(question, changes)) continue;
    const known = suspension && knownAnswer(attempt, suspension, question, changes);
    if (known === 'approved') continue;
    if (known === 'waiting') {
      isWaiting = true;
      continue;
    }
    if (known !== undefined) return known;
    const refusal = await stop.race(putQuestion(attempt, question, changes));
    if (refusal !== undefined) return refusal;
  }
  return isWaiting ? { kind: 'suspended' } : undefined;
}

/** The answer that was given before. Without one the question is open from here on, where the run suspends; undefined: someone is asked. */
function knownAnswer(
  attempt: CallAttempt,
  suspension: RunSuspension,
  question: PolicyQuestion,
  changes: readonly FileChange[] | undefined,
): FailedVerdict | 'approved' | 'waiting' | undefined {
  const { approvals, tool } = attempt;
  const asking = askingCall(attempt);
  const staged = (): StagedCall | undefined => (changes === undefined ? undefined : attempt.staged());
  const answer = suspension.ask(asking, question, changes, staged);
  if (answer === undefined) return suspension.opens ? 'waiting' : undefined;
  const { approved, why = 'it was not approved.' } = answer;
  const about = changes === undefined ? 'call' : 'changes';
  approvals.record({ ...question, about, approved, ...present({ answer: approved ? undefined : why }) });
  if (!approved) return refused(tool.name, question, why);
  approvals.add(question, changes);
  return 'approved';
}

function askingCall({ environment, idempotencyKey, number, resolved }: CallAttempt): AskingCall {
  const { call, params } = resolved;
  return { call, attempt: number, params, key: idempotencyKey, path: environment.outerCalls };
}

/** The verdict on a call that was not approved. */
export function refused(
  toolName: string,
  { reason, policy, policyPrompt }: PolicyQuestion,
  why: string,
  error?: unknown,
): FailedVerdict {
  return failed(
    'denied',
    'not-approved',
    `The call of "${toolName}" needs approval by the policy "${policy}" (${reason}): ${why}`,
    { policy, ...present({ policyPrompt, error }) },
  );
}

async function putQuestion(
  attempt: CallAttempt,
  question: PolicyQuestion,
  changes: readonly FileChange[] | undefined,
): Promise<FailedVerdict | undefined> {
  const { environment, approvals, resolved, tool } = attempt;
  const { approve, clock, emit, outerCalls, hooks, stop, suspension } = environment;
  const open = suspension?.questionOf(askingCall(attempt), question, changes);
  await awaitHook(() => hooks?.onAsk?.(open));
  const { callId, turn } = resolved.call;
  const call = { callId, toolName: tool.name };
  const asked = { ...question, about: changes === undefined ? 'call' : 'changes' } as const;
  const paths = changes?.map(({ path, kind }) => ({ path, kind }));
  emit({
    type: 'approval-start',
    turn,
    ...call,
    ...asked,
    ...present({ changes: paths }),
  });
  const { params } = resolved;
  const request = {
    ...call,
    params,
    path: outerCalls,
    ...present({ changes }),
    ...question,
  };
  const fromMs = clock.now();
  const answer = await requestApproval(approve, request, stop.signal);
  attempt.trace?.approvals.push({ fromMs, toMs: clock.now() });
  // An answer after the end of the run is not part of it.
  if (!stop.signal.aborted) {
    const why = answer.approved ? {} : { answer: answer.why };
    const record: RecordedApproval = { ...asked, approved: answer.approved, ...why };
    if (open !== undefined) await awaitHook(() => hooks?.onAnswer?.(open, answer));
    approvals.record(record);
    emit({ type: 'approval-end', turn, ...call, ...record });
  }
  if (answer.approved) {
    approvals.add(question, changes);
    return undefined;
  }
  return refused(tool.name, question, answer.why, answer.error);
}
