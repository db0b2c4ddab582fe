import { describeError, TransactionClosedError } from '../../../error/index.ts';
import { untilAborted } from '../../../internal/index.ts';
import {
  readUserAnswer,
  readUserQuestion,
  type UserAnswer,
  type UserQuestion,
  unavailable,
} from '../../../tool/index.ts';
import type { CallAttempt } from './attempt.ts';

/**
 * Puts a question of a handler to a person. What was answered in an earlier attempt at the call is the answer again.
 *
 * @throws {PromptValidationError} for a question that cannot be asked.
 * @throws {TransactionClosedError} when the handler's part has ended.
 * @throws the reason of the signal of the call when that is aborted.
 */
export async function askUser(attempt: CallAttempt, given: UserQuestion): Promise<UserAnswer> {
  const { approvals, environment, innerStop, tool, transaction } = attempt;
  if (!transaction.isOpen)
    throw new TransactionClosedError(
      `The call of "${tool.name}" has ended, so no user can be asked inside it any more.`,
    );
  const question = readUserQuestion(given);
  const known = approvals.answerAgain(question);
  if (known !== undefined) return known;
  if (environment.askUser === undefined)
    return unavailable('No user can be asked: the run has no option askUser.');
  // It ends with the handler's part, too: a question that is no longer awaited is taken back.
  const answer = await untilAborted(ask(attempt, question), innerStop.signal);
  if (answer.kind !== 'unavailable') approvals.addAnswer(question, answer);
  return answer;
}

/** Never rejects: an asker that fails has not asked. */
async function ask(attempt: CallAttempt, question: UserQuestion): Promise<UserAnswer> {
  const { environment, innerStop, resolved, tool } = attempt;
  const { askUser: asker, logger, outerCalls } = environment;
  const call = { callId: resolved.call.callId, toolName: tool.name, path: outerCalls };
  try {
    return readUserAnswer(question, await asker?.(question, { ...call, signal: innerStop.signal }));
  } catch (error) {
    // After an abort this is its echo.
    if (!innerStop.signal.aborted)
      logger.error('The function askUser failed, so a handler got no answer.', {
        tool: tool.name,
        error: describeError(error),
      });
    return unavailable('The function askUser failed.');
  }
}
