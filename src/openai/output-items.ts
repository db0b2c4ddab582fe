import { DistinctCallIds, type Fields, isFields } from '../adapter/index.ts';
import type { PreparedRequest } from './request.ts';

/** Items that ask for something to be done here, which has to be answered before the model goes on. */
export function isRequest({ type }: Fields): boolean {
  return type === 'function_call' || type === 'mcp_approval_request';
}

/**
 * The items as they are sent back in the next request: as they came, but for what the provider would not take back. Calls that
 * were cut off are left out, since nobody can answer them, and with them the reasoning that led to them; so is, in an
 * answer that was cut off, reasoning that led to nothing yet. Calls without a name of their own get one.
 *
 * @param asked what is answered.
 */
export function toReplayedItems(
  items: readonly Fields[],
  { asked, isCut }: { readonly asked: PreparedRequest['asked']; readonly isCut: boolean },
): readonly Fields[] {
  const callIds = new DistinctCallIds(asked);
  const kept: Fields[] = [];
  for (const item of items) {
    if (item['type'] !== 'function_call') kept.push(item);
    else if (item['status'] === 'incomplete') dropReasoningAtEnd(kept);
    else kept.push(withCallId(item, callIds));
  }
  if (isCut) dropReasoningAtEnd(kept);
  return kept;
}

function dropReasoningAtEnd(items: Fields[]): void {
  while (items.at(-1)?.['type'] === 'reasoning') items.pop();
}

function withCallId(item: Fields, callIds: DistinctCallIds): Fields {
  const callId = callIds.take(item['call_id']);
  return callId === item['call_id'] ? item : { ...item, call_id: callId };
}

/** True for an item that says no to what was asked. */
export function isRefusal({ content }: Fields): boolean {
  return Array.isArray(content) && content.some((part) => isFields(part) && part['type'] === 'refusal');
}
