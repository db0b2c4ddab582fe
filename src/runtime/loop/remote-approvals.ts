import { describeError } from '../../error/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { ApprovalRequestPart } from '../../tool/index.ts';
import type { Approval, EvaluationEnvironment } from '../call/environment.ts';
import { RunStopped } from '../limits/run-stop.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { RemoteApproval, RemoteApprovalRequest, RunContext } from './run-context.ts';
import type { RunErrors } from './run-errors.ts';

/** What stands for the policy that asks: it is the provider that does. */
const policy = 'provider';
/** Why nobody is asked any more. */
const ended = 'the run was ended.';

/** What of a run answers are put on, and what it ends with. */
interface RunParts {
  readonly state: LoopState;
  readonly errors: RunErrors;
}

/** Puts what a provider wants to run to `approve`, and the answers on the conversation. Nobody to ask, or a failing answer, denies. */
export class RemoteApprovals {
  readonly #environment: EvaluationEnvironment;
  readonly #state: LoopState;
  readonly #errors: RunErrors;

  constructor(environment: EvaluationEnvironment, { state, errors }: RunParts) {
    this.#environment = environment;
    this.#state = state;
    this.#errors = errors;
  }

  /** Has the requests of a turn answered, one after the other, each as a step of the run. */
  async answer(requests: readonly ApprovalRequestPart[], context: RunContext): Promise<void> {
    const { emit } = this.#environment;
    const { turn, conversation } = this.#state;
    for (const [index, { approvalId, toolName, name, arguments: text }] of requests.entries()) {
      const { approved, reason } = await context
        .step({
          kind: 'remote-approval',
          key: `turn-${turn}/approval-${index}/${approvalId}`,
          input: { turn, approvalId, toolName, name, arguments: text },
        })
        .catch((error: unknown) => this.#unanswered(error));
      const why = reason === undefined ? {} : { reason };
      conversation.push({ type: 'approval', approvalId, approved, ...why });
      emit({ type: 'hosted-approval', turn, toolName, name, approved, ...why });
    }
  }

  /** A run that was stopped refuses for itself: nobody has answered, and a journal keeps no answer. */
  #unanswered(error: unknown): RemoteApproval {
    if (error instanceof RunStopped) return refused(ended);
    const message = `What the provider asked could not be answered: ${describeError(error)}`;
    throw this.#errors.error('evaluation-tools-failed', 'tool', message, error);
  }

  /**
   * Asks about one request.
   *
   * @throws {RunStopped} when the run is stopped before there is an answer.
   */
  async ask({ approvalId, toolName, name, arguments: text }: RemoteApprovalRequest): Promise<RemoteApproval> {
    const { approve, stop } = this.#environment;
    if (approve === undefined) return refused('nobody can be asked here.');
    if (stop.reason !== undefined) throw new RunStopped(stop.reason);
    const reason = `The provider is to run "${name}" of "${toolName}", outside policies and transactions.`;
    let answer: Approval | null | undefined;
    try {
      const request = {
        callId: approvalId,
        toolName,
        params: { name, arguments: parsed(text) },
        path: this.#environment.enclosing,
        policy,
        reason,
      };
      answer = await stop.race(Promise.resolve(approve(request, { signal: stop.signal })));
    } catch (error) {
      if (stop.reason !== undefined) throw new RunStopped(stop.reason);
      return refused(`asking failed: ${describeError(error)}`);
    }
    // Whoever answers may be written without types, and only a plain yes is one.
    const { approved, reason: why }: { readonly approved?: unknown; readonly reason?: string } =
      typeof answer === 'object' && answer !== null ? answer : { approved: answer };
    if (approved === true) return { approved: true };
    return refused(typeof why === 'string' ? why : 'it was not approved.');
  }
}

function refused(reason: string): RemoteApproval {
  return { approved: false, reason };
}

/** The arguments as a value; as the model wrote them when they are no JSON. */
function parsed(text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    // What JSON.parse makes is a JSON value.
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
