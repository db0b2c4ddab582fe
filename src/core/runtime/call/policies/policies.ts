import { describeError } from '../../../error/index.ts';
import type { FileChange } from '../../../filesystem/index.ts';
import { isPromiseLike, none, type Writable, whenSettled } from '../../../internal/index.ts';
import type { PolicyCall, PolicyDecision, ToolPolicy } from '../../../policy/index.ts';
import type { ToolSuccess, UnenforcedDecision } from '../../../tool/index.ts';
import { RunStoppedSignal } from '../../limits/run-stop.ts';
import type { PolicyAnswer } from '../../observer/observed.ts';
import type { CallAttempt } from '../attempt/attempt.ts';
import { AttemptEnd, isThrown } from '../attempt/exceptions.ts';
import type { GoverningPolicy } from '../tool-call/policy-phases.ts';
import { failed, type PolicyQuestion } from '../tool-call/verdict.ts';
import { CallPolicyContext } from './policy-context.ts';

/** What policies are asked about beside the call: what it read and changed. */
interface Evidence {
  readonly readPaths: readonly string[];
  readonly changes: readonly FileChange[];
}

const noEvidence: Evidence = { readPaths: none, changes: none };

/** Once the handler has returned; read-only, since all policies get the same. */
function evidenceOf({ changes, transaction }: CallAttempt): Evidence {
  return { readPaths: Object.freeze(transaction.fileReads?.readPaths() ?? none), changes };
}

type Ask<Answer> = (
  policy: ToolPolicy,
  call: PolicyCall,
  context: CallPolicyContext,
) => Answer | PromiseLike<Answer>;

/** What a list of policies is asked, and about what. */
interface Round {
  readonly about: PolicyAnswer['about'];
  readonly policies: readonly GoverningPolicy[];
  readonly evidence: Evidence;
}

/** A policy's objection. A policy that throws or returns anything but a decision counts as a denial. */
type Objection = UnenforcedDecision & { readonly error?: unknown };

/**
 * Before the handler: asks `check` of the policies over the call, those of the outer calls first.
 *
 * @returns the requests for approval that precede the call.
 * @throws {AttemptEnd} when one of them denies.
 */
export function checkCall(attempt: CallAttempt): Promise<readonly PolicyQuestion[]> {
  const { checking } = attempt.policies;
  return decide(
    attempt,
    { about: 'call', policies: checking, evidence: noEvidence },
    (policy, call, context) => policy.check?.(call, context),
  );
}

/**
 * After the handler: asks `checkChanges` of them.
 *
 * @returns what has to be asked before the commit.
 * @throws {AttemptEnd} when one of them denies.
 */
export function checkChanges(attempt: CallAttempt): Promise<readonly PolicyQuestion[]> {
  const { checkingChanges } = attempt.policies;
  const evidence = evidenceOf(attempt);
  return decide(attempt, { about: 'changes', policies: checkingChanges, evidence }, (policy, call, context) =>
    policy.checkChanges?.(call, evidence.changes, context),
  );
}

/**
 * Lets them record a success, inside the transaction.
 *
 * @throws {AttemptEnd} when one of them cannot.
 */
export async function recordInPolicies(attempt: CallAttempt, result: ToolSuccess<unknown>): Promise<void> {
  const { recording } = attempt.policies;
  const evidence = evidenceOf(attempt);
  for (const governing of recording) {
    try {
      const answer = ask(attempt, governing, evidence, (policy, call, context) =>
        policy.onResult?.(call, result, context),
      );
      if (isPromiseLike(answer)) await answer;
    } catch (error) {
      if (isThrown(error, RunStoppedSignal)) throw error;
      cannotRecord(attempt, governing, error);
    }
  }
}

/** Asks in order; the first denial wins. Policies that are not enforced are all asked, and their objections only reported. */
async function decide(
  attempt: CallAttempt,
  { about, policies, evidence }: Round,
  question: Ask<PolicyDecision | undefined>,
): Promise<readonly PolicyQuestion[]> {
  const questions: PolicyQuestion[] = [];
  for (const governing of policies) {
    let objection: Objection | undefined;
    try {
      const answer = ask(attempt, governing, evidence, question);
      objection = toObjection(governing, isPromiseLike(answer) ? await answer : answer);
    } catch (error) {
      if (isThrown(error, RunStoppedSignal)) throw error;
      const reason = `its check failed: ${describeError(error)}`;
      objection = { ...nameOf(governing), outcome: 'deny', reason, error };
    }
    noteAnswer(attempt, about, governing, objection);
    if (objection === undefined) continue;
    const { outcome, error, ...rest } = objection;
    if (!attempt.environment.enforce) reportUnenforced(attempt, { outcome, ...rest });
    else if (outcome === 'ask') questions.push(rest);
    else throw denial(attempt, rest, error);
  }
  return questions;
}

/** For observers: what a policy has answered. */
function noteAnswer(
  attempt: CallAttempt,
  about: PolicyAnswer['about'],
  governing: GoverningPolicy,
  objection: Objection | undefined,
): void {
  if (attempt.trace === undefined) return;
  const isEnforced = attempt.environment.enforce;
  const { outcome = 'allow', reason } = objection ?? {};
  const decision: Pick<PolicyAnswer, 'about' | 'outcome' | 'isEnforced'> = { about, outcome, isEnforced };
  const answer: Writable<PolicyAnswer> = Object.assign(nameOf(governing), decision);
  if (reason !== undefined) answer.reason = reason;
  attempt.trace.policies.push(answer);
}

/** Asks one policy. What it evaluates ends when it has answered. Throws or rejects with what it throws, and rejects with `RunStoppedSignal` when the run stops. */
function ask<Answer>(
  attempt: CallAttempt,
  { policy, owner }: GoverningPolicy,
  { readPaths, changes }: Evidence,
  question: Ask<Answer>,
): Answer | Promise<Answer> {
  const { judged } = attempt;
  if (judged === undefined) throw new RangeError('The arguments of the call were not read.');
  const innerChanges = policy.scope === 'own' ? none : attempt.innerChanges;
  const context = new CallPolicyContext(attempt, { policy, owner, readPaths, changes, innerChanges });
  let answer: Answer | PromiseLike<Answer>;
  try {
    answer = whenSettled(judged.forPolicy(), (call) => question(policy, call, context));
  } catch (error) {
    CallPolicyContext.end(context);
    throw error;
  }
  if (!isPromiseLike(answer)) {
    CallPolicyContext.end(context);
    return answer;
  }
  return Promise.resolve(attempt.settled(answer)).finally(() => CallPolicyContext.end(context));
}

/** Policies may be written without types, so their return values are checked. */
function toObjection(
  governing: GoverningPolicy,
  decision: Partial<PolicyDecision> | null | undefined,
): Objection | undefined {
  const outcome = decision?.outcome;
  if (outcome === 'allow') return undefined;
  if (outcome === 'ask' || outcome === 'deny') {
    return { ...nameOf(governing), outcome, reason: decision?.reason ?? 'no reason was given' };
  }
  return { ...nameOf(governing), outcome: 'deny', reason: 'its check returned no decision' };
}

/** A policy as records name it. */
function nameOf({ policy, owner }: GoverningPolicy): Pick<PolicyQuestion, 'policy' | 'policyPrompt'> {
  return owner === undefined
    ? { policy: policy.name }
    : { policy: policy.name, policyPrompt: owner.promptName };
}

function denial(attempt: CallAttempt, { reason, ...by }: PolicyQuestion, error: unknown): AttemptEnd {
  const message = `The call of "${attempt.tool.name}" was denied by the policy "${by.policy}": ${reason}${attempt.residualNote()}`;
  return new AttemptEnd(failed('denied', 'denied', message, error === undefined ? by : { ...by, error }));
}

function cannotRecord(attempt: CallAttempt, governing: GoverningPolicy, error: unknown): void {
  if (!attempt.environment.enforce) {
    const reason = `it could not record the success: ${describeError(error)}`;
    reportUnenforced(attempt, { ...nameOf(governing), outcome: 'deny', reason });
    return;
  }
  const message = `The policy "${governing.policy.name}" could not record the success of "${attempt.tool.name}", so the call was rolled back.${attempt.residualNote()}\n${describeError(error)}`;
  throw new AttemptEnd(failed('rolled-back', 'policy-failed', message, { error, ...nameOf(governing) }));
}

function reportUnenforced(attempt: CallAttempt, finding: UnenforcedDecision): void {
  const { environment, number, resolved, unenforced, tool } = attempt;
  unenforced.push(finding);
  const { callId, turn } = resolved.call;
  environment.emit({
    type: 'policy-unenforced',
    turn,
    callId,
    toolName: tool.name,
    attempt: number,
    ...finding,
  });
}
