import type { ConversationItem, ToolResultItem } from '../../tool/index.ts';

/** Replaces a result that was dropped to make room. */
const note =
  '[This result was dropped: the conversation had become too long. Call the tool again if it is needed.]';

/** What was dropped of a conversation. */
export interface DroppedResults {
  readonly callIds: readonly string[];
  /** Characters less. */
  readonly characters: number;
}

/**
 * Puts a note in the place of the oldest tool results, until at least half of what they take is gone. Calls and results
 * stay in pairs.
 *
 * @param isKept true for a result that stays.
 * @returns undefined when there is nothing to drop.
 */
export function dropToolResults(
  conversation: ConversationItem[],
  isKept: (result: ToolResultItem) => boolean,
): DroppedResults | undefined {
  const sizes = conversation.map((item) =>
    item.type === 'tool-result' && !isKept(item) ? sizeOf(item) - note.length : 0,
  );
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  const callIds: string[] = [];
  let characters = 0;
  for (const [index, item] of conversation.entries()) {
    if (characters * 2 >= total) break;
    const size = sizes[index] ?? 0;
    if (item.type !== 'tool-result' || size <= 0) continue;
    const { attachments: _attachments, ...rest } = item;
    conversation[index] = { ...rest, text: note };
    callIds.push(item.callId);
    characters += size;
  }
  return callIds.length === 0 ? undefined : { callIds, characters };
}

function sizeOf({ text, attachments = [] }: ToolResultItem): number {
  return attachments.reduce((sum, { data }) => sum + data.length, text.length);
}
