import type { AssistantItem, ConversationItem } from '../../../core/tool/index.ts';

/** What a provider knows of the turns of a conversation. */
export interface ThinkingReader {
  /** Whether this provider made the turn, so that it is sent back unchanged. */
  isOwn(turn: AssistantItem): boolean;
  /** Whether a turn of its own goes back with thinking. */
  hasThinking(turn: AssistantItem): boolean;
}

/**
 * The turns of the tool loop that a request continues, the last one first, each with its index in the conversation. A loop begins after something that
 * was said alone: what is said after results is in one message with them.
 */
export function* openLoop(
  conversation: readonly ConversationItem[],
): Generator<readonly [index: number, turn: AssistantItem], void, undefined> {
  let isSaidAlone = false;
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.type === 'assistant') {
      if (isSaidAlone) return;
      yield [index, item];
    } else isSaidAlone = item?.type === 'user';
  }
}

/**
 * Whether Claude may think with a budget of tokens in the next turn: the tool loop that it continues, if any, needs thinking of its own, and no call of
 * another model after it. A turn without thinking after one with it is usual.
 */
export function mayThink(
  conversation: readonly ConversationItem[],
  { isOwn, hasThinking }: ThinkingReader,
): boolean {
  let isContinued = false;
  for (const [, turn] of openLoop(conversation)) {
    // An answer of another model is its end: the next turn begins anew.
    if (!isOwn(turn)) return !isContinued && !turn.content.some(({ type }) => type === 'tool-call');
    if (hasThinking(turn)) return true;
    isContinued = true;
  }
  return !isContinued;
}

/** The index of the first turn of the tool loop that a request continues; the length of the conversation where there is none. */
export function startOfLoop(conversation: readonly ConversationItem[]): number {
  let start = conversation.length;
  for (const [index] of openLoop(conversation)) start = index;
  return start;
}
