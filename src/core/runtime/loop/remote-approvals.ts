import { describeError } from '../../error/index.ts';
import { present, readUnrounded, wellFormed } from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { HostedApprovalRequestPart } from '../../tool/index.ts';
import { requestApproval } from '../call/approvals/approvals.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import type { RemoteApproval, RemoteApprovalRequest } from '../turn/step.ts';
import type { TurnLedger } from '../turn/turn-ledger.ts';

/** In the place of the policy that asks: it is the provider that does. */
const policy = 'provider';
/** Why no further approval is requested. */
const ended = 'the run was ended.';

/** Submits what a provider wants to run to `approve`, and adds the answers to the conversation. Without `approve`, and when it fails, the answer is no. */
export class RemoteApprovals {
  readonly #ledger: TurnLedger;

  constructor(ledger: TurnLedger) {
    this.#ledger = ledger;
  }

  /** Has the requests of a turn answered, one after the other, each as a step of the run. */
  async answer(requests: readonly HostedApprovalRequestPart[]): Promise<void> {
    const { environment, state, step } = this.#ledger;
    const { turn, conversation } = state;
    for (const [index, { approvalId, toolName, name, arguments: text }] of requests.entries()) {
      const input = { turn, approvalId, toolName, name, arguments: text };
      const key = `turn-${turn}/approval-${index}/${approvalId}`;
      const live = (): Promise<RemoteApproval> => this.#ask(input);
      const asked = step === undefined ? live() : step({ kind: 'remote-approval', key, input }, live);
      const { approved, reason } = await asked.catch((error: unknown) => this.#unanswered(error));
      const why = wellFormed(present({ reason }));
      conversation.push({ type: 'approval', approvalId, approved, ...why });
      environment.emit({ type: 'hosted-approval-answered', turn, toolName, name, approved, ...why });
    }
  }

  /** A stopped run refuses by itself: there was no answer, so a journal keeps none. */
  #unanswered(error: unknown): RemoteApproval {
    if (error instanceof RunStoppedSignal) return { approved: false, reason: ended };
    const message = `What the provider asked could not be answered: ${describeError(error)}`;
    throw this.#ledger.errors.error('evaluation-tools-failed', 'tool', message, error);
  }

  /**
   * Asks about one request.
   *
   * @throws {RunStoppedSignal} when the run is stopped before there is an answer.
   */
  async #ask({
    approvalId,
    toolName,
    name,
    arguments: text,
  }: RemoteApprovalRequest): Promise<RemoteApproval> {
    const { approve, outerCalls, stop } = this.#ledger.environment;
    if (approve !== undefined) stop.throwIfStopped();
    const request = {
      callId: approvalId,
      toolName,
      params: { name, arguments: parsed(text) },
      path: outerCalls,
      policy,
      reason: `The provider is to run "${name}" of "${toolName}", outside policies and transactions.`,
    };
    const answer = await stop.race(requestApproval(approve, request, stop.signal));
    return answer.approved ? { approved: true } : { approved: false, reason: answer.why };
  }
}

/** The arguments as a value, with the digits of an integer that a number does not hold as text; unparsed when they are not JSON. */
function parsed(text: string): JsonValue {
  if (text.trim() === '') return {};
  // What is read is a JSON value.
  const value = readUnrounded(text) as JsonValue | undefined;
  return value === undefined ? text : value;
}
