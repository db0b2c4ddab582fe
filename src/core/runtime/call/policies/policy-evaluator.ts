import { describeError, TransactionClosedError } from '../../../error/index.ts';
import type { ToolPolicy } from '../../../policy/index.ts';
import type { SessionFork } from '../../../session/index.ts';
import type { NestedAdapter } from '../../../tool/index.ts';
import { RunStop } from '../../limits/run-stop.ts';
import type { CallAttempt } from '../attempt/attempt.ts';
import { outerCallFor } from '../attempt/outer-call-for.ts';

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
export class PolicyEvaluator {
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
    const unfollow = environment.stop.onStop((reason) => stop.stop(reason));
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
