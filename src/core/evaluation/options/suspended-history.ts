import { PromptValidationError } from '../../error/index.ts';
import { processWide } from '../../internal/index.ts';
import type { ConversationItem } from '../../tool/index.ts';

/** The conversations of suspended runs, with the names of these. Shared by all copies of the package: a call would be made twice. */
function suspended(): WeakMap<readonly ConversationItem[], string> {
  return processWide('suspended-histories.1', () => new WeakMap());
}

/** Marks the conversation of a run that waits for answers. */
export function markSuspended(conversation: readonly ConversationItem[], runId: string): void {
  suspended().set(conversation, runId);
}

/**
 * A run that began with such a conversation would read that its calls were interrupted, and they would be made by `resumeRun` all the same. A copy is not recognized:
 * `pendingCalls` decides about its calls.
 *
 * @throws {PromptValidationError} for the conversation of a run that waits for answers.
 */
export function refuseSuspended(history: readonly ConversationItem[]): void {
  const runId = suspended().get(history);
  if (runId === undefined) return;
  throw new PromptValidationError(
    `The history is the conversation of the run "${runId}", which waits for answers. Answer its questions and go on with it by resumeRun().`,
    { details: { option: 'history', runId } },
  );
}
