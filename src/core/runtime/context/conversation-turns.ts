import type { ConversationItem } from '../../tool/index.ts';

/** What the model said in one turn with all that answers it: the items from `start` to before `end`. */
export interface ConversationTurn {
  readonly start: number;
  readonly end: number;
  /** Whether the turn after this one belongs to it: it continues a paused answer, or follows an approval. */
  readonly isContinued: boolean;
}

/** The turns of a conversation, in order. What was said before the first one belongs to none. */
export function turnsOf(conversation: readonly ConversationItem[]): readonly ConversationTurn[] {
  const starts = [...conversation.keys()].filter((index) => conversation[index]?.type === 'assistant');
  return starts.map((start, position) => {
    const end = starts[position + 1] ?? conversation.length;
    const items = conversation.slice(start, end);
    return { start, end, isContinued: items.length === 1 || items.some(({ type }) => type === 'approval') };
  });
}

/**
 * The turns of a conversation, those that belong to each other as one: a cut may be between two of them.
 */
export function wholeTurnsOf(
  conversation: readonly ConversationItem[],
): readonly Pick<ConversationTurn, 'start' | 'end'>[] {
  const whole: { readonly start: number; readonly end: number }[] = [];
  let start: number | undefined;
  for (const turn of turnsOf(conversation)) {
    start ??= turn.start;
    // The last turn has nothing after it that could belong to it.
    if (turn.isContinued && turn.end < conversation.length) continue;
    whole.push({ start, end: turn.end });
    start = undefined;
  }
  return whole;
}
