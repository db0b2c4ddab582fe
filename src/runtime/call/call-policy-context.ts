import type { FileChange, Filesystem } from '../../filesystem/index.ts';
import type { PolicyResultContext } from '../../policy/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import type { SessionView } from '../../session/index.ts';
import type { BudgetTrackerPort, DeadlinePort, EvaluatorPort, Logger, PromptPort } from '../../tool/index.ts';
import { seenPrompt } from '../model/visible-prompt.ts';
import { around } from './call-inside.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import type { PolicyOwner } from './policy-phases.ts';

/** A call that policies are being asked about. */
export interface JudgedCall {
  readonly environment: EvaluationEnvironment;
  readonly attempt: JudgedAttempt;
  /** The adapter of the policy that is being asked. @throws {TransactionClosedError} when none is. */
  readonly adapter: EvaluatorPort;
}

/** What policies may use of an attempt. Views are made when they are looked at: few policies need them all. */
export class CallPolicyContext implements PolicyResultContext {
  readonly readPaths: readonly string[];
  readonly changes: readonly FileChange[];
  readonly innerChanges: readonly FileChange[];
  readonly #judged: JudgedCall;
  readonly #owner: PolicyOwner | undefined;

  /** @param owner whose policies get it; undefined for those of the call's own prompt. */
  constructor(
    judged: JudgedCall,
    owner: PolicyOwner | undefined,
    readPaths: readonly string[],
    changes: readonly FileChange[],
    innerChanges: readonly FileChange[],
  ) {
    this.#judged = judged;
    this.#owner = owner;
    this.readPaths = readPaths;
    this.changes = changes;
    this.innerChanges = innerChanges;
  }

  get prompt(): PromptPort {
    return seenPrompt(this.#judged.environment, () => this.session);
  }

  get adapter(): EvaluatorPort {
    return this.#judged.adapter;
  }

  get session(): SessionView {
    return this.#judged.attempt.transaction.privilegedSession;
  }

  get filesystem(): Filesystem | undefined {
    return this.#judged.attempt.transaction.privilegedFilesystem;
  }

  get resources(): ResourceResolver {
    const { environment, attempt } = this.#judged;
    const { transaction } = attempt;
    const scope =
      this.#owner === undefined
        ? transaction.policyResources
        : transaction.outerPolicyResources(this.#owner.container, around(environment.outer));
    return scope.resolver;
  }

  get deadline(): DeadlinePort | undefined {
    return this.#judged.environment.deadline;
  }

  get budgetTracker(): BudgetTrackerPort | undefined {
    return this.#judged.environment.budget.tracker;
  }

  get signal(): AbortSignal {
    return this.#judged.attempt.signal;
  }

  get logger(): Logger {
    return this.#judged.environment.logger;
  }
}
