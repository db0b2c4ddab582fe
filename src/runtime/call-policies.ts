import { describeError } from '../error/index.ts';
import type { FileChange, Filesystem } from '../filesystem/index.ts';
import type { PolicyCall, PolicyContext, ToolPolicy } from '../policy/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { ToolSuccess } from '../tool/index.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import { Ended } from './attempt-verdict.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { isPromiseLike } from './is-promise-like.ts';
import { askForApproval, askPolicies, askPoliciesInShadow, type GateResult } from './policy-gate.ts';
import { RunStopped } from './run-stop.ts';
import type { ResolvedCall } from './tool-call.ts';
import type { ShadowFinding } from './tool-invoked.ts';
import type { CallTransaction } from './transaction.ts';
import { type FailedVerdict, failed, type PolicyQuestion, withNote } from './verdict.ts';

/** What policies need of the attempt that they judge. */
interface JudgedAttempt {
  readonly number: number;
  readonly approvals: ApprovalMemory;
  readonly transaction: CallTransaction;
  readonly signal: () => AbortSignal;
  /** Waits for work, but no longer than the run lasts. */
  settled<T>(work: T | PromiseLike<T>): T | Promise<T>;
  /** Behind a message: what stands although the call is rolled back; empty when nothing does. */
  standingNote(): string;
}

type Changes = () => readonly FileChange[];

/** The policies over one attempt at one call: what they refuse, ask and record. */
export class CallPolicies {
  readonly #environment: EvaluationEnvironment;
  readonly #resolved: ResolvedCall;
  readonly #attempt: JudgedAttempt;
  readonly #shadow: ShadowFinding[] = [];

  constructor(environment: EvaluationEnvironment, resolved: ResolvedCall, attempt: JudgedAttempt) {
    this.#environment = environment;
    this.#resolved = resolved;
    this.#attempt = attempt;
  }

  /** What they would have refused or asked, where they are not enforced. */
  get shadow(): readonly ShadowFinding[] {
    return this.#shadow;
  }

  /** Before the handler: asks `check` of all of them, then whoever approves. Undefined when the call may go on. */
  async checkCall(params: unknown): Promise<FailedVerdict | undefined> {
    const checking = this.#policies.filter((policy) => policy.check !== undefined);
    if (checking.length === 0) return undefined;
    const call = this.#call(params);
    const context = this.#context({});
    const gate = await this.#attempt.settled(this.#gate(checking, (policy) => policy.check?.(call, context)));
    if (gate.kind === 'denied') return gate.verdict;
    return gate.questions.length === 0 ? undefined : this.ask(gate.questions);
  }

  /**
   * After the handler: asks `checkChanges` of all of them, if there are changes.
   * @returns what has to be asked before the commit.
   * @throws {Ended} when one of them refuses.
   */
  async checkChanges(params: unknown, changes: Changes): Promise<readonly PolicyQuestion[]> {
    const checking = this.#policies.filter((policy) => policy.checkChanges !== undefined);
    if (checking.length === 0 || changes().length === 0) return [];
    const call = this.#call(params);
    const context = this.#context({ readPaths: this.#attempt.transaction.readPaths() });
    const gate = await this.#attempt.settled(
      this.#gate(checking, (policy) => policy.checkChanges?.(call, changes(), context)),
    );
    if (gate.kind === 'open') return gate.questions;
    throw new Ended(withNote(gate.verdict, this.#attempt.standingNote()));
  }

  /** Puts questions to `approve`. Whoever has to answer is not waited for beyond the end of the run. */
  async ask(
    questions: readonly PolicyQuestion[],
    changes?: readonly FileChange[],
  ): Promise<FailedVerdict | undefined> {
    const { approve, stop } = this.#environment;
    return stop.race(
      askForApproval(questions, {
        approve,
        signal: stop.signal,
        ...this.#names(),
        params: this.#resolved.params,
        memory: this.#attempt.approvals,
        emit: (event) => this.#environment.emit(event),
        ...(changes === undefined ? {} : { changes }),
      }),
    );
  }

  /**
   * Lets them record a success, inside the transaction.
   * @throws {Ended} when one of them cannot.
   */
  async record(params: unknown, result: ToolSuccess<unknown>, changes: Changes): Promise<void> {
    const recording = this.#policies.filter((policy) => policy.onResult !== undefined);
    if (recording.length === 0) return;
    const call = this.#call(params);
    const context = this.#context({
      changes: changes(),
      readPaths: this.#attempt.transaction.readPaths(),
    });
    for (const policy of recording) {
      try {
        const recorded = policy.onResult?.(call, result, context);
        if (isPromiseLike(recorded)) await this.#attempt.settled(recorded);
      } catch (error) {
        if (error instanceof RunStopped) throw error;
        this.#cannotRecord(policy, error);
      }
    }
  }

  #cannotRecord(policy: ToolPolicy, error: unknown): void {
    if (!this.#environment.enforce) {
      const reason = `it could not record the success: ${describeError(error)}`;
      this.#noteShadow({ policy: policy.name, outcome: 'deny', reason });
      return;
    }
    const { toolName } = this.#names();
    const message = `The policy "${policy.name}" could not record the success of "${toolName}", so the call was rolled back.${this.#attempt.standingNote()}\n${describeError(error)}`;
    throw new Ended(failed('rolled-back', 'policy-failed', message, { error, policy: policy.name }));
  }

  #gate(policies: readonly ToolPolicy[], decide: Parameters<typeof askPolicies>[2]): Promise<GateResult> {
    return this.#environment.enforce
      ? askPolicies(policies, this.#names().toolName, decide)
      : askPoliciesInShadow(policies, decide, (finding) => this.#noteShadow(finding));
  }

  #noteShadow(finding: ShadowFinding): void {
    this.#shadow.push(finding);
    // A policy that is left behind when the run ends tells nobody any more.
    if (this.#environment.stop.reason !== undefined) return;
    const { number } = this.#attempt;
    this.#environment.emit({ type: 'policy-shadow', ...this.#names(), attempt: number, ...finding });
  }

  get #policies(): readonly ToolPolicy[] {
    return this.#resolved.bound.policies;
  }

  #names(): { readonly callId: string; readonly toolName: string } {
    return { callId: this.#resolved.call.callId, toolName: this.#resolved.bound.tool.name };
  }

  #call(params: unknown): PolicyCall {
    return { tool: this.#resolved.bound.tool, params, callId: this.#resolved.call.callId };
  }

  #context<Extra extends object>(extra: Extra): PolicyContext & Extra {
    const { transaction, signal } = this.#attempt;
    const context: PolicyContext = {
      session: transaction.privilegedSession,
      // Made when they are looked at: few policies do.
      get resources(): ResourceResolver {
        return transaction.policyResources.resolver;
      },
      get filesystem(): Filesystem | undefined {
        return transaction.privilegedFilesystem;
      },
      get signal(): AbortSignal {
        return signal();
      },
    };
    return Object.assign(context, extra);
  }
}
