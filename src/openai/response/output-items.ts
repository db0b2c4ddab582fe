import { isRecord } from '../../internal/index.ts';
import { DistinctCallIds, type Fields } from '../../provider/internal.ts';
import type { PreparedRequest } from '../request/request.ts';

/** Items that require an answer before the model continues. */
export function isRequest({ type }: Fields): boolean {
  return type === 'function_call' || type === 'mcp_approval_request';
}

/**
 * The items that a turn is read from: as they came, but for what the provider would not take back in the next request. Calls without a name of their own
 * get one. In an answer that was cut off, reasoning that led to nothing yet is left out; where the model cannot be asked again,
 * because a filter ended the answer, so is a call that was cut off, with the reasoning that led to it.
 *
 * @param asked what is answered.
 * @param isCut whether the answer was cut off.
 * @param goesOn whether calls that were cut off are answered, so that the model goes on.
 */
export function toReplayedItems(
  items: readonly Fields[],
  options: {
    readonly asked: PreparedRequest['asked'];
    readonly isCut: boolean;
    readonly goesOn: boolean;
  },
): readonly Fields[] {
  const { asked, isCut, goesOn } = options;
  const callIds = new DistinctCallIds(asked);
  const kept: Fields[] = [];
  for (const item of items) {
    if (item['type'] !== 'function_call') kept.push(item);
    else if (isCutOffCall(item) && !goesOn) dropReasoningAtEnd(kept);
    else kept.push(withCallId(item, callIds));
  }
  if (isCut) dropReasoningAtEnd(kept);
  return kept;
}

/** True for a call that the provider says it did not finish. */
export function isCutOffCall({ type, status }: Fields): boolean {
  return type === 'function_call' && status === 'incomplete';
}

/** The item as it goes back: a call that was cut off has arguments that are JSON, because servers read them. */
export function withWholeArguments(item: Fields): Fields {
  return isCutOffCall(item) && !isJson(item['arguments']) ? { ...item, arguments: '{}' } : item;
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}

function dropReasoningAtEnd(items: Fields[]): void {
  while (items.at(-1)?.['type'] === 'reasoning') items.pop();
}

function withCallId(item: Fields, callIds: DistinctCallIds): Fields {
  const callId = callIds.take(item['call_id']);
  return callId === item['call_id'] ? item : { ...item, call_id: callId };
}

/** True for a refusal. */
export function isRefusal({ content }: Fields): boolean {
  return Array.isArray(content) && content.some((part) => isRecord(part) && part['type'] === 'refusal');
}
