import type { FileChange, Filesystem } from '../../../filesystem/index.ts';
import type { PolicyResultContext, ToolPolicy } from '../../../policy/index.ts';
import type { ResourceResolver } from '../../../resource/index.ts';
import type { SessionView } from '../../../session/index.ts';
import type {
  BudgetTrackerPort,
  DeadlinePort,
  Logger,
  NestedAdapter,
  PromptPort,
} from '../../../tool/index.ts';
import { seenPrompt } from '../../model/visible-prompt.ts';
import type { CallAttempt } from '../attempt/attempt.ts';
import { outerResources } from '../attempt/outer-call-for.ts';
import type { PolicyOwner } from '../tool-call/policy-phases.ts';
import { PolicyEvaluator } from './policy-evaluator.ts';

/** What a policy is asked with, beside the call. */
interface Asked {
  readonly policy: ToolPolicy;
  /** Whose policy it is; undefined for one of the call's own prompt. */
  readonly owner: PolicyOwner | undefined;
  readonly readPaths: readonly string[];
  readonly changes: readonly FileChange[];
  readonly innerChanges: readonly FileChange[];
}

/** What a policy may use of an attempt. Views are made on first use: few policies need them all. */
export class CallPolicyContext implements PolicyResultContext {
  readonly readPaths: readonly string[];
  readonly changes: readonly FileChange[];
  readonly innerChanges: readonly FileChange[];
  readonly #attempt: CallAttempt;
  readonly #asked: Asked;
  /** Made when the policy evaluates a prompt, which few do. */
  #evaluator: PolicyEvaluator | undefined;
  #hasAnswered = false;

  constructor(attempt: CallAttempt, asked: Asked) {
    this.#attempt = attempt;
    this.#asked = asked;
    this.readPaths = asked.readPaths;
    this.changes = asked.changes;
    this.innerChanges = asked.innerChanges;
  }

  get prompt(): PromptPort {
    return seenPrompt(this.#attempt.environment, () => this.session);
  }

  /** The policy has answered: what it still evaluates is ended. Never throws. Not a method, which policies could call. */
  static end(context: CallPolicyContext): void {
    context.#hasAnswered = true;
    context.#evaluator?.dispose();
  }

  /** @throws {TransactionClosedError} once the policy has answered. */
  get adapter(): NestedAdapter {
    if (this.#evaluator === undefined) {
      this.#evaluator = new PolicyEvaluator(this.#attempt, this.#asked.policy);
      if (this.#hasAnswered) this.#evaluator.dispose();
    }
    return this.#evaluator.adapter;
  }

  get session(): SessionView {
    return this.#attempt.transaction.privilegedSession;
  }

  get filesystem(): Filesystem | undefined {
    return this.#attempt.transaction.privilegedFilesystem;
  }

  get resources(): ResourceResolver {
    const { environment, transaction } = this.#attempt;
    const { owner } = this.#asked;
    const scope =
      owner === undefined
        ? transaction.policyResources
        : transaction.outerPolicyResources(owner.container, outerResources(environment.outer));
    return scope.resolver;
  }

  get deadline(): DeadlinePort | undefined {
    return this.#attempt.environment.deadline;
  }

  get budgetTracker(): BudgetTrackerPort | undefined {
    return this.#attempt.environment.budget.tracker;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get logger(): Logger {
    return this.#attempt.environment.logger;
  }
}
