import { describeError, TransactionClosedError } from '../../../error/index.ts';
import type { FileChange, Filesystem } from '../../../filesystem/index.ts';
import { none } from '../../../internal/index.ts';
import type { PolicyResultContext, ToolPolicy } from '../../../policy/index.ts';
import type { ResourceResolver } from '../../../resource/index.ts';
import type { SessionFork, SessionView } from '../../../session/index.ts';
import type {
  BudgetTrackerPort,
  DeadlinePort,
  Logger,
  NestedAdapter,
  PromptPort,
  RenderedPromptPort,
} from '../../../tool/index.ts';
import { RunStop } from '../../limits/run-stop.ts';
import { seenPrompt } from '../../model/visible-prompt.ts';
import type { CallAttempt } from '../attempt/attempt.ts';
import { outerCallFor, outerResources } from '../attempt/outer-call-for.ts';
import type { PolicyOwner } from '../tool-call/policy-phases.ts';

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

  get '~contentReads'(): PolicyResultContext['~contentReads'] {
    const { fileReads } = this.#attempt.transaction;
    // Undefined where the file system does not say.
    return fileReads === undefined ? none : fileReads['~contentReads']?.();
  }

  get prompt(): PromptPort {
    return seenPrompt(this.#attempt.environment, () => this.session);
  }

  get renderedPrompt(): RenderedPromptPort {
    return this.#attempt.environment.display.port;
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

/** What a policy has begun to evaluate. */
interface Evaluating {
  readonly adapter: NestedAdapter;
  readonly fork: SessionFork;
  readonly stop: RunStop;
  readonly unfollow: () => void;
}

/**
 * Evaluates prompts for a policy while it judges a call. Its evaluations read what the call sees; of what they write
 * only log entries are kept, so that a judge leaves nothing that a policy could take for the work of the agent.
 */
class PolicyEvaluator {
  readonly #attempt: CallAttempt;
  readonly #policy: ToolPolicy;
  #evaluating: Evaluating | undefined;
  #isOver = false;

  constructor(attempt: CallAttempt, policy: ToolPolicy) {
    this.#attempt = attempt;
    this.#policy = policy;
  }

  /** @throws {TransactionClosedError} once the policy has answered. */
  get adapter(): NestedAdapter {
    if (this.#isOver) {
      throw new TransactionClosedError(
        'A policy can evaluate prompts only while it is being asked. Await what is evaluated before answering.',
      );
    }
    this.#evaluating ??= this.#begin();
    return this.#evaluating.adapter;
  }

  /** The policy has answered: what it still evaluates is ended. Never throws. */
  dispose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#evaluating === undefined) return;
    const { fork, stop, unfollow } = this.#evaluating;
    const { environment, tool, transaction } = this.#attempt;
    unfollow();
    stop.stop({
      kind: 'aborted',
      cause: new TransactionClosedError(
        `The policy "${this.#policy.name}" answered about the call of "${tool.name}" before what it evaluates has ended. A policy has to await what it evaluates.`,
      ),
    });
    try {
      transaction.applyPolicyFork(fork);
    } catch (error) {
      environment.logger.error('What a policy evaluated could not be recorded.', {
        policy: this.#policy.name,
        tool: tool.name,
        error: describeError(error),
      });
    }
  }

  #begin(): Evaluating {
    const { environment, transaction } = this.#attempt;
    const judging = this.#policy;
    const isOver = (): boolean => this.#isOver;
    const fork = transaction.forkForPolicies();
    const stop = new RunStop();
    const unfollow = stop.follow({ outer: environment.stop });
    const adapter = environment.evaluatorFor(
      outerCallFor(this.#attempt, {
        effects: 'read',
        get isOpen() {
          return !isOver();
        },
        session: fork.privileged,
        sessionFork: fork,
        filesystem: transaction.privilegedFilesystem,
        stop,
        policy: judging.name,
        // The policy that evaluates does not govern what it evaluates: it would ask itself without end.
        except: ({ policy }) => policy === judging,
        emit: (event) => {
          if (!isOver()) environment.passOn(event);
        },
      }),
    );
    return { adapter, fork, stop, unfollow };
  }
}
