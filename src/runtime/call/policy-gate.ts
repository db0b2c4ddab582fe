import { describeError } from '../../error/index.ts';
import type { FileChange } from '../../filesystem/index.ts';
import { isPromiseLike } from '../../internal/index.ts';
import type { PolicyDecision } from '../../policy/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { EnclosingCall } from '../../tool/index.ts';
import type { RunEvent } from '../events/run-event.ts';
import type { RecordedApproval, ShadowFinding } from '../events/tool-invoked.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import type { Approval, Approve } from './environment.ts';
import type { GoverningPolicy } from './policy-phases.ts';
import { type FailedVerdict, failed, type PolicyQuestion } from './verdict.ts';

/** What the policies of a call say together: a denial by one of them, or what has to be asked. */
export type GateResult =
  | { readonly kind: 'denied'; readonly verdict: FailedVerdict }
  | { readonly kind: 'open'; readonly questions: readonly PolicyQuestion[] };

const open: GateResult = { kind: 'open', questions: [] };

type Decide = (
  policy: GoverningPolicy,
) => PolicyDecision | undefined | PromiseLike<PolicyDecision | undefined>;

/** What a policy has against a call: whoever throws denies, and so does whoever answers with anything but a decision. */
type Objection = ShadowFinding & { readonly error?: unknown };

/**
 * Asks every policy in order; the first denial wins. Answers at once when all of them do.
 *
 * @param decide the question put to one policy.
 */
export function askPolicies(
  policies: readonly GoverningPolicy[],
  toolName: string,
  decide: Decide,
): GateResult | Promise<GateResult> {
  const questions: PolicyQuestion[] = [];
  const denied = findInOrder(policies, decide, ({ outcome, error, ...question }) => {
    if (outcome === 'deny') return denial(question, toolName, error);
    questions.push(question);
    return undefined;
  });
  const result = (verdict: FailedVerdict | undefined): GateResult => {
    if (verdict !== undefined) return { kind: 'denied', verdict };
    return questions.length === 0 ? open : { kind: 'open', questions };
  };
  return denied instanceof Promise ? denied.then(result) : result(denied);
}

/** Asks every policy in order, also behind one that would deny, and only tells `report` what they would have done. */
export function askPoliciesInShadow(
  policies: readonly GoverningPolicy[],
  decide: Decide,
  report: (finding: ShadowFinding) => void,
): GateResult | Promise<GateResult> {
  const asked = findInOrder(policies, decide, ({ error: _error, ...finding }): undefined => {
    report(finding);
  });
  return asked instanceof Promise ? asked.then(() => open) : open;
}

/** Hands the objections of the policies to `take`, in order, until it answers with something. */
function findInOrder<Found>(
  policies: readonly GoverningPolicy[],
  decide: Decide,
  take: (objection: Objection) => Found | undefined,
  start = 0,
): Found | undefined | Promise<Found | undefined> {
  for (let index = start; index < policies.length; index += 1) {
    const policy = policies[index];
    if (policy === undefined) continue;
    const objection = objectionOf(policy, decide);
    if (objection === undefined) continue;
    if (objection instanceof Promise) {
      return objection.then(
        (late) =>
          (late === undefined ? undefined : take(late)) ?? findInOrder(policies, decide, take, index + 1),
      );
    }
    const found = take(objection);
    if (found !== undefined) return found;
  }
  return undefined;
}

function objectionOf(
  policy: GoverningPolicy,
  decide: Decide,
): Objection | undefined | Promise<Objection | undefined> {
  try {
    const decision = decide(policy);
    if (
      decision !== null &&
      typeof decision === 'object' &&
      'outcome' in decision &&
      decision.outcome === 'allow'
    ) {
      return undefined;
    }
    if (!isPromiseLike(decision)) return toObjection(policy, decision);
    return Promise.resolve(decision).then(
      (late) => toObjection(policy, late),
      (error: unknown) => failedCheck(policy, error),
    );
  } catch (error) {
    return failedCheck(policy, error);
  }
}

/** A policy as records name it. */
export function nameOf({ policy, owner }: GoverningPolicy): Pick<PolicyQuestion, 'policy' | 'policyPrompt'> {
  return owner === undefined
    ? { policy: policy.name }
    : { policy: policy.name, policyPrompt: owner.promptName };
}

function failedCheck(policy: GoverningPolicy, error: unknown): Objection {
  const reason = `its check failed: ${describeError(error)}`;
  return { ...nameOf(policy), outcome: 'deny', reason, error };
}

/** Policies may be written without types: whatever they answer is looked at. */
function toObjection(
  policy: GoverningPolicy,
  decision: Partial<PolicyDecision> | null | undefined,
): Objection | undefined {
  const outcome = decision?.outcome;
  if (outcome === 'allow') return undefined;
  if (outcome === 'ask' || outcome === 'deny') {
    return { ...nameOf(policy), outcome, reason: decision?.reason ?? 'no reason was given' };
  }
  return { ...nameOf(policy), outcome: 'deny', reason: 'its check came to no decision' };
}

function denial({ reason, ...by }: PolicyQuestion, toolName: string, error?: unknown): FailedVerdict {
  const message = `The call of "${toolName}" was denied by the policy "${by.policy}": ${reason}`;
  return failed('denied', 'denied', message, error === undefined ? by : { ...by, error });
}

/** Who is asked, and about what. */
export interface ApprovalSituation {
  readonly approve: Approve | undefined;
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly toolName: string;
  readonly params: JsonObject;
  /** The calls that it runs inside of, outermost first. */
  readonly path: readonly EnclosingCall[];
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
    const { reason, ...by } = question;
    return failed(
      'denied',
      'not-approved',
      `The call of "${toolName}" needs approval by the policy "${by.policy}" (${reason}): ${why}`,
      error === undefined ? by : { ...by, error },
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
