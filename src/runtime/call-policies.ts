import { none } from '../collection/index.ts';
import { describeError } from '../error/index.ts';
import type { FileChange } from '../filesystem/index.ts';
import type { PolicyCall, ToolPolicy } from '../policy/index.ts';
import type { ToolSuccess } from '../tool/index.ts';
import { Ended } from './attempt-verdict.ts';
import { CallPolicyContext } from './call-policy-context.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { isPromiseLike } from './is-promise-like.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import { askForApproval, askPolicies, askPoliciesInShadow, type GateResult } from './policy-gate.ts';
import { type PolicyPhases, policyPhases } from './policy-phases.ts';
import { RunStopped } from './run-stop.ts';
import type { ShadowFinding } from './tool-invoked.ts';
import { type FailedVerdict, failed, type PolicyQuestion, withNote } from './verdict.ts';

/**
 * The policies over one attempt at one call: what they refuse, ask and record. Answers at once when all of them do.
 */
export class CallPolicies {
  readonly #environment: EvaluationEnvironment;
  readonly #attempt: JudgedAttempt;
  readonly #phases: PolicyPhases;
  #call: PolicyCall | undefined;
  #shadow: ShadowFinding[] | undefined;

  constructor(environment: EvaluationEnvironment, attempt: JudgedAttempt) {
    this.#environment = environment;
    this.#attempt = attempt;
    this.#phases = policyPhases(attempt.resolved.bound);
  }

  /** What they would have refused or asked, where they are not enforced. */
  get shadow(): readonly ShadowFinding[] {
    return this.#shadow ?? none;
  }

  /** Before the handler: asks `check` of all of them, then whoever approves. Undefined when the call may go on. */
  checkCall(params: unknown): FailedVerdict | undefined | Promise<FailedVerdict | undefined> {
    const { checking } = this.#phases;
    if (checking.length === 0) return undefined;
    const call = this.#callWith(params);
    const context = new CallPolicyContext(this.#attempt, none, none);
    const gate = this.#gate(checking, (policy) => policy.check?.(call, context));
    return gate instanceof Promise
      ? this.#attempt.settled(gate).then((result) => this.#open(result))
      : this.#open(gate);
  }

  /**
   * After the handler: asks `checkChanges` of all of them, if there are changes.
   * @returns what has to be asked before the commit.
   * @throws {Ended} when one of them refuses.
   */
  checkChanges(params: unknown): readonly PolicyQuestion[] | Promise<readonly PolicyQuestion[]> {
    const { checkingChanges } = this.#phases;
    if (checkingChanges.length === 0) return none;
    const { changes, transaction } = this.#attempt;
    if (changes.length === 0) return none;
    const call = this.#callWith(params);
    const context = new CallPolicyContext(this.#attempt, transaction.readPaths(), changes);
    const gate = this.#gate(checkingChanges, (policy) => policy.checkChanges?.(call, changes, context));
    return gate instanceof Promise
      ? this.#attempt.settled(gate).then((result) => this.#questionsOf(result))
      : this.#questionsOf(gate);
  }

  /** Puts questions to `approve`. Whoever has to answer is not waited for beyond the end of the run. */
  async ask(
    questions: readonly PolicyQuestion[],
    changes?: readonly FileChange[],
  ): Promise<FailedVerdict | undefined> {
    const { approve, stop } = this.#environment;
    const { approvals: memory, resolved } = this.#attempt;
    // A policy that answers at once may have ended the run.
    if (stop.reason !== undefined) throw new RunStopped(stop.reason);
    return stop.race(
      askForApproval(questions, {
        approve,
        signal: stop.signal,
        ...this.#names(),
        params: resolved.params,
        memory,
        emit: (event) => this.#environment.emit(event),
        ...(changes === undefined ? {} : { changes }),
      }),
    );
  }

  /**
   * Lets them record a success, inside the transaction.
   * @throws {Ended} when one of them cannot; rejects with it when it was waited for.
   */
  record(params: unknown, result: ToolSuccess<unknown>): void | Promise<void> {
    const { recording } = this.#phases;
    if (recording.length === 0) return undefined;
    const { changes, transaction } = this.#attempt;
    const call = this.#callWith(params);
    const context = new CallPolicyContext(this.#attempt, transaction.readPaths(), changes);
    return this.#recordFrom(0, recording, (policy) => policy.onResult?.(call, result, context));
  }

  #recordFrom(
    start: number,
    policies: readonly ToolPolicy[],
    ask: (policy: ToolPolicy) => unknown,
  ): void | Promise<void> {
    for (let index = start; index < policies.length; index += 1) {
      const policy = policies[index];
      if (policy === undefined) continue;
      let recorded: unknown;
      try {
        recorded = ask(policy);
      } catch (error) {
        this.#cannotRecord(policy, error);
      }
      if (!isPromiseLike(recorded)) continue;
      return this.#attempt
        .settled(recorded)
        .catch((error: unknown) => this.#cannotRecord(policy, error))
        .then(() => this.#recordFrom(index + 1, policies, ask));
    }
    return undefined;
  }

  #cannotRecord(policy: ToolPolicy, error: unknown): void {
    if (error instanceof RunStopped) throw error;
    if (!this.#environment.enforce) {
      const reason = `it could not record the success: ${describeError(error)}`;
      this.#noteShadow({ policy: policy.name, outcome: 'deny', reason });
      return;
    }
    const { toolName } = this.#names();
    const message = `The policy "${policy.name}" could not record the success of "${toolName}", so the call was rolled back.${this.#attempt.standingNote()}\n${describeError(error)}`;
    throw new Ended(failed('rolled-back', 'policy-failed', message, { error, policy: policy.name }));
  }

  #gate(
    policies: readonly ToolPolicy[],
    decide: Parameters<typeof askPolicies>[2],
  ): GateResult | Promise<GateResult> {
    return this.#environment.enforce
      ? askPolicies(policies, this.#attempt.resolved.bound.tool.name, decide)
      : askPoliciesInShadow(policies, decide, (finding) => this.#noteShadow(finding));
  }

  #open(gate: GateResult): FailedVerdict | undefined | Promise<FailedVerdict | undefined> {
    if (gate.kind === 'denied') return gate.verdict;
    return gate.questions.length === 0 ? undefined : this.ask(gate.questions);
  }

  #questionsOf(gate: GateResult): readonly PolicyQuestion[] {
    if (gate.kind === 'open') return gate.questions;
    throw new Ended(withNote(gate.verdict, this.#attempt.standingNote()));
  }

  #noteShadow(finding: ShadowFinding): void {
    this.#shadow ??= [];
    this.#shadow.push(finding);
    // A policy that is left behind when the run ends tells nobody any more.
    if (this.#environment.stop.reason !== undefined) return;
    const { number } = this.#attempt;
    this.#environment.emit({ type: 'policy-shadow', ...this.#names(), attempt: number, ...finding });
  }

  #names(): { readonly callId: string; readonly toolName: string } {
    const { call, bound } = this.#attempt.resolved;
    return { callId: call.callId, toolName: bound.tool.name };
  }

  #callWith(params: unknown): PolicyCall {
    const { call, bound } = this.#attempt.resolved;
    this.#call ??= { tool: bound.tool, params, callId: call.callId };
    return this.#call;
  }
}
