import { describeError } from '../error/index.ts';
import type { FileChange } from '../filesystem/index.ts';
import type { PolicyDecision, ToolPolicy } from '../policy/index.ts';
import type { JsonObject } from '../schema/index.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import type { Approval, Approve } from './environment.ts';
import type { RunEvent } from './run-event.ts';
import type { RecordedApproval, ShadowFinding } from './tool-invoked.ts';
import { type FailedVerdict, failed, type PolicyQuestion } from './verdict.ts';

/** What the policies of a call say together: a denial by one of them, or what has to be asked. */
export type GateResult =
  | { readonly kind: 'denied'; readonly verdict: FailedVerdict }
  | { readonly kind: 'open'; readonly questions: readonly PolicyQuestion[] };

const open: GateResult = { kind: 'open', questions: [] };

type Decide = (policy: ToolPolicy) => PolicyDecision | undefined | PromiseLike<PolicyDecision | undefined>;

/** What one policy says: whoever throws denies, and so does whoever answers with anything but a decision. */
type Finding = Omit<ShadowFinding, 'outcome'> & {
  readonly outcome: PolicyDecision['outcome'];
  readonly error?: unknown;
};

/**
 * Asks every policy in order; the first denial wins.
 *
 * @param decide the question put to one policy.
 */
export async function askPolicies(
  policies: readonly ToolPolicy[],
  toolName: string,
  decide: Decide,
): Promise<GateResult> {
  let questions: PolicyQuestion[] | undefined;
  for (const policy of policies) {
    const { outcome, reason, error } = await findingOf(policy, decide);
    if (outcome === 'deny') {
      return { kind: 'denied', verdict: denial(policy.name, toolName, reason, error) };
    }
    if (outcome !== 'ask') continue;
    questions ??= [];
    questions.push({ policy: policy.name, reason });
  }
  return questions === undefined ? open : { kind: 'open', questions };
}

/** Asks every policy in order, also behind one that would deny, and only tells `report` what they would have done. */
export async function askPoliciesInShadow(
  policies: readonly ToolPolicy[],
  decide: Decide,
  report: (finding: ShadowFinding) => void,
): Promise<GateResult> {
  for (const policy of policies) {
    const { outcome, reason } = await findingOf(policy, decide);
    if (outcome !== 'allow') report({ policy: policy.name, outcome, reason });
  }
  return open;
}

async function findingOf(policy: ToolPolicy, decide: Decide): Promise<Finding> {
  let decision: Partial<PolicyDecision> | null | undefined;
  try {
    decision = await decide(policy);
  } catch (error) {
    const reason = `its check failed: ${describeError(error)}`;
    return { policy: policy.name, outcome: 'deny', reason, error };
  }
  const reason = decision?.reason ?? 'no reason was given';
  switch (decision?.outcome) {
    case 'allow':
    case 'ask':
    case 'deny':
      return { policy: policy.name, outcome: decision.outcome, reason };
    default:
      return { policy: policy.name, outcome: 'deny', reason: 'its check came to no decision' };
  }
}

function denial(policy: string, toolName: string, reason: string, error?: unknown): FailedVerdict {
  const message = `The call of "${toolName}" was denied by the policy "${policy}": ${reason}`;
  return failed('denied', 'denied', message, error === undefined ? { policy } : { policy, error });
}

/** Who is asked, and about what. */
export interface ApprovalSituation {
  readonly approve: Approve | undefined;
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly toolName: string;
  readonly params: JsonObject;
  /** What was approved for the call already. */
  readonly memory: ApprovalMemory;
  readonly changes?: readonly FileChange[];
  /** Told of each question and its answer. */
  readonly emit: (event: RunEvent) => void;
}

/** Puts questions that were not approved before to `approve`, one after the other. Undefined when all were approved. Nobody to ask, or a failing answer, denies. */
export async function askForApproval(
  questions: readonly PolicyQuestion[],
  situation: ApprovalSituation,
): Promise<FailedVerdict | undefined> {
  for (const question of questions) {
    if (situation.memory.covers(question, situation.changes)) continue;
    const refusal = await putQuestion(question, situation);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function putQuestion(
  question: PolicyQuestion,
  situation: ApprovalSituation,
): Promise<FailedVerdict | undefined> {
  const { approve, signal, memory, emit, ...request } = situation;
  const { callId, toolName, changes } = request;
  const asked = { ...question, about: changes === undefined ? 'call' : 'changes' } as const;
  const settle = (approved: boolean, answer?: string): void => {
    // What is answered when the run has ended is no part of it.
    if (signal.aborted) return;
    const record: RecordedApproval = { ...asked, approved, ...(answer === undefined ? {} : { answer }) };
    memory.record(record);
    emit({ type: 'approval-end', callId, toolName, ...record });
  };
  const refuse = (why: string, error?: unknown): FailedVerdict => {
    settle(false, why);
    const { policy, reason } = question;
    return failed(
      'denied',
      'not-approved',
      `The call of "${toolName}" needs approval by the policy "${policy}" (${reason}): ${why}`,
      error === undefined ? { policy } : { policy, error },
    );
  };
  emit({
    type: 'approval-start',
    callId,
    toolName,
    ...asked,
    ...(changes === undefined ? {} : { changes: changes.map(({ path, kind }) => ({ path, kind })) }),
  });
  if (approve === undefined) return refuse('nobody can be asked here.');
  let answer: Approval | null | undefined;
  try {
    answer = await approve({ ...request, ...question }, { signal });
  } catch (error) {
    return refuse(`asking failed: ${describeError(error)}`, error);
  }
  // Whoever answers may be written without types, and only a plain yes is one.
  const { approved, reason: why }: { readonly approved?: unknown; readonly reason?: string } =
    typeof answer === 'object' && answer !== null ? answer : { approved: answer };
  if (approved !== true) return refuse(typeof why === 'string' ? why : 'it was not approved.');
  memory.add(question, changes);
  settle(true);
  return undefined;
}
