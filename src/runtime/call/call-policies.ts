import { describeError, TransactionClosedError } from '../../error/index.ts';
import type { FileChange } from '../../filesystem/index.ts';
import { isPromiseLike, none } from '../../internal/index.ts';
import type { PolicyCall, PolicyPhases, ToolPolicy } from '../../policy/index.ts';
import type { EvaluatorPort, ToolSuccess } from '../../tool/index.ts';
import type { ShadowFinding } from '../events/tool-invoked.ts';
import { RunStopped } from '../limits/run-stop.ts';
import { Ended } from './attempt-verdict.ts';
import { CallPolicyContext, type JudgedCall } from './call-policy-context.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import { PolicyEvaluations } from './policy-evaluations.ts';
import { askForApproval, askPolicies, askPoliciesInShadow, type GateResult, nameOf } from './policy-gate.ts';
import { type GoverningPolicy, policyPhases } from './policy-phases.ts';
import { type FailedVerdict, failed, type PolicyQuestion, withNote } from './verdict.ts';

/**
 * The policies over one attempt at one call, those of the calls around it first: what they refuse, ask and record. Answers
 * at once when all of them do.
 */
export class CallPolicies implements JudgedCall {
  readonly environment: EvaluationEnvironment;
  readonly attempt: JudgedAttempt;
  readonly #phases: PolicyPhases<GoverningPolicy>;
  #call: PolicyCall | undefined;
  #shadow: ShadowFinding[] | undefined;
  /** The policy that is being asked. */
  #asked: ToolPolicy | undefined;
  /** What it evaluates. */
  #evaluations: PolicyEvaluations | undefined;

  constructor(environment: EvaluationEnvironment, attempt: JudgedAttempt) {
    this.environment = environment;
    this.attempt = attempt;
    this.#phases = policyPhases(attempt.resolved.bound, environment.outer?.policies);
  }

  /** What they would have refused or asked, where they are not enforced. */
  get shadow(): readonly ShadowFinding[] {
    return this.#shadow ?? none;
  }

  get adapter(): EvaluatorPort {
    if (this.#asked === undefined) {
      throw new TransactionClosedError(
        'A policy can evaluate prompts only while it is being asked. Await what is evaluated before answering.',
      );
    }
    this.#evaluations ??= new PolicyEvaluations(this.environment, this.attempt, this.#asked);
    return this.#evaluations.adapter;
  }

  /** No policy is being asked any more: what it still evaluates is ended. */
  end(): void {
    this.#asked = undefined;
    const evaluations = this.#evaluations;
    if (evaluations === undefined) return;
    this.#evaluations = undefined;
    evaluations.end();
  }

  /** Before the handler: asks `check` of all of them, then whoever approves. Undefined when the call may go on. */
  checkCall(params: unknown): FailedVerdict | undefined | Promise<FailedVerdict | undefined> {
    const { checking } = this.#phases;
    if (checking.length === 0) return undefined;
    const call = this.#callWith(params);
    const decide = this.#asking((policy, context) => policy.check?.(call, context), none, none);
    const gate = this.#gate(checking, decide);
    return gate instanceof Promise
      ? this.attempt.settled(gate).then((result) => this.#open(result))
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
    const { changes, transaction } = this.attempt;
    if (changes.length === 0) return none;
    const call = this.#callWith(params);
    const decide = this.#asking(
      (policy, context) => policy.checkChanges?.(call, changes, context),
      transaction.readPaths(),
      changes,
    );
    const gate = this.#gate(checkingChanges, decide);
    return gate instanceof Promise
      ? this.attempt.settled(gate).then((result) => this.#questionsOf(result))
      : this.#questionsOf(gate);
  }

  /** Puts questions to `approve`. Whoever has to answer is not waited for beyond the end of the run. */
  async ask(
    questions: readonly PolicyQuestion[],
    changes?: readonly FileChange[],
  ): Promise<FailedVerdict | undefined> {
    const { approve, stop } = this.environment;
    const { approvals: memory, resolved } = this.attempt;
    // A policy that answers at once may have ended the run.
    if (stop.reason !== undefined) throw new RunStopped(stop.reason);
    return stop.race(
      askForApproval(questions, {
        approve,
        signal: stop.signal,
        ...this.#names(),
        params: resolved.params,
        path: this.environment.enclosing,
        memory,
        emit: (event) => this.environment.emit(event),
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
    const { changes, transaction } = this.attempt;
    const call = this.#callWith(params);
    const ask = this.#asking(
      (policy, context) => policy.onResult?.(call, result, context),
      transaction.readPaths(),
      changes,
    );
    return this.#recordFrom(0, recording, ask);
  }

  #recordFrom(
    start: number,
    policies: readonly GoverningPolicy[],
    ask: (policy: GoverningPolicy) => unknown,
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
      return this.attempt
        .settled(recorded)
        .catch((error: unknown) => this.#cannotRecord(policy, error))
        .then(() => this.#recordFrom(index + 1, policies, ask));
    }
    this.end();
    return undefined;
  }

  #cannotRecord(policy: GoverningPolicy, error: unknown): void {
    if (error instanceof RunStopped) throw error;
    if (!this.environment.enforce) {
      const reason = `it could not record the success: ${describeError(error)}`;
      this.#noteShadow({ ...nameOf(policy), outcome: 'deny', reason });
      return;
    }
    const { toolName } = this.#names();
    const message = `The policy "${policy.policy.name}" could not record the success of "${toolName}", so the call was rolled back.${this.attempt.standingNote()}\n${describeError(error)}`;
    throw new Ended(failed('rolled-back', 'policy-failed', message, { error, ...nameOf(policy) }));
  }

  #gate(
    policies: readonly GoverningPolicy[],
    decide: Parameters<typeof askPolicies>[2],
  ): GateResult | Promise<GateResult> {
    return this.environment.enforce
      ? askPolicies(policies, this.attempt.resolved.bound.tool.name, decide)
      : askPoliciesInShadow(policies, decide, (finding) => this.#noteShadow(finding));
  }

  /** Asks `ask` of a policy, with what it gets to read. */
  #asking<Answer>(
    ask: (policy: ToolPolicy, context: CallPolicyContext) => Answer,
    readPaths: readonly string[],
    changes: readonly FileChange[],
  ): (governing: GoverningPolicy) => Answer {
    const own = new CallPolicyContext(this, undefined, readPaths, changes, none);
    return ({ policy, owner }) => {
      // The one before has answered.
      this.end();
      this.#asked = policy;
      const innerChanges = policy.scope === 'own' ? none : this.attempt.innerChanges;
      const isPlain = owner === undefined && innerChanges.length === 0;
      return ask(
        policy,
        isPlain ? own : new CallPolicyContext(this, owner, readPaths, changes, innerChanges),
      );
    };
  }

  #open(gate: GateResult): FailedVerdict | undefined | Promise<FailedVerdict | undefined> {
    this.end();
    if (gate.kind === 'denied') return gate.verdict;
    return gate.questions.length === 0 ? undefined : this.ask(gate.questions);
  }

  #questionsOf(gate: GateResult): readonly PolicyQuestion[] {
    this.end();
    if (gate.kind === 'open') return gate.questions;
    throw new Ended(withNote(gate.verdict, this.attempt.standingNote()));
  }

  #noteShadow(finding: ShadowFinding): void {
    this.#shadow ??= [];
    this.#shadow.push(finding);
    // A policy that is left behind when the run ends tells nobody any more.
    if (this.environment.stop.reason !== undefined) return;
    const { number } = this.attempt;
    this.environment.emit({ type: 'policy-shadow', ...this.#names(), attempt: number, ...finding });
  }

  #names(): { readonly callId: string; readonly toolName: string } {
    const { call, bound } = this.attempt.resolved;
    return { callId: call.callId, toolName: bound.tool.name };
  }

  #callWith(params: unknown): PolicyCall {
    const { call, bound } = this.attempt.resolved;
    this.#call ??= { tool: bound.tool, params, callId: call.callId, path: this.environment.enclosing };
    return this.#call;
  }
}
