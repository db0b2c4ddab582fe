import { describeError, TransactionClosedError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { SessionFork, SessionView } from '../../session/index.ts';
import type { EvaluatorPort } from '../../tool/index.ts';
import type { RunEvent } from '../events/run-event.ts';
import { RunStop } from '../limits/run-stop.ts';
import { callInside } from './call-inside.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { JudgedAttempt } from './judged-attempt.ts';

/**
 * What a policy evaluates while it is being asked about a call. It reads what the call sees; of what it writes only what is logged is
 * kept, so that a judge leaves nothing that a policy could take for the work of the agent.
 */
export class PolicyEvaluations {
  readonly adapter: EvaluatorPort;
  readonly effects = 'read';
  readonly session: SessionView;
  readonly sessionFork: SessionFork;
  readonly filesystem: Filesystem | undefined;
  readonly stop: RunStop = new RunStop();
  readonly policy: string;
  readonly #environment: EvaluationEnvironment;
  readonly #attempt: JudgedAttempt;
  readonly #judging: ToolPolicy;
  readonly #unfollow: () => void;
  #isOver = false;

  constructor(environment: EvaluationEnvironment, attempt: JudgedAttempt, judging: ToolPolicy) {
    const { transaction } = attempt;
    this.#environment = environment;
    this.#attempt = attempt;
    this.#judging = judging;
    this.policy = judging.name;
    this.sessionFork = transaction.forkForPolicies();
    this.session = this.sessionFork.privileged;
    this.filesystem = transaction.privilegedFilesystem;
    this.#unfollow = environment.stop.onStop((reason) => this.stop.stop(reason));
    this.adapter = environment.evaluatorFor(callInside(environment, attempt, this));
  }

  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** The policy that evaluates does not govern what it evaluates: it would ask itself without end. */
  readonly except = ({ policy }: { readonly policy: ToolPolicy }): boolean => policy === this.#judging;

  /** What goes on after the policy has answered is heard of by nobody. */
  tell(event: RunEvent): void {
    if (!this.#isOver) this.#environment.emit(event);
  }

  /** The policy has answered: what it still evaluates is ended. Never throws. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unfollow();
    const { toolName } = this.#attempt.resolved.call;
    this.stop.stop({
      kind: 'aborted',
      cause: new TransactionClosedError(
        `The policy "${this.policy}" answered about the call of "${toolName}" before what it evaluates has ended. A policy has to await what it evaluates.`,
      ),
    });
    try {
      this.#attempt.transaction.endForkForPolicies(this.sessionFork);
    } catch (error) {
      this.#environment.logger.error('What a policy evaluated could not be recorded.', {
        policy: this.policy,
        tool: toolName,
        error: describeError(error),
      });
    }
  }
}
