import { isRecord } from '../../../core/internal/index.ts';
import { DistinctCallIds, type WireFields } from '../../kit/index.ts';
import type { PreparedOpenAIRequest } from '../request/request.ts';

/** Items that require an answer before the model continues. */
export function isRequest({ type }: WireFields): boolean {
  return type === 'function_call' || type === 'mcp_approval_request';
}

/**
 * The items of a turn, unchanged except where the provider would not accept them in the next request. Calls without a unique
 * id get one. In a truncated answer, reasoning without a following item is removed. If a filter ended the answer, so that
 * the model cannot continue, a truncated call and its reasoning are removed, too.
 *
 * @param asked the request that is answered.
 * @param isCut whether the answer is truncated.
 * @param goesOn whether truncated calls get a result, so that the model continues.
 */
export function toReturnedItems(
  items: readonly WireFields[],
  options: {
    readonly asked: PreparedOpenAIRequest['asked'];
    readonly isCut: boolean;
    readonly goesOn: boolean;
  },
): readonly WireFields[] {
  const { asked, isCut, goesOn } = options;
  const callIds = new DistinctCallIds(asked);
  const kept: WireFields[] = [];
  for (const item of items) {
    if (item['type'] !== 'function_call') kept.push(item);
    else if (isCutOffCall(item) && !goesOn) dropReasoningAtEnd(kept);
    else kept.push(withCallId(item, callIds));
  }
  if (isCut) dropReasoningAtEnd(kept);
  return kept;
}

/** True for a call that the provider marks as incomplete. */
export function isCutOffCall({ type, status }: WireFields): boolean {
  return type === 'function_call' && status === 'incomplete';
}

/** The item to send back: a truncated call gets valid JSON arguments, because servers parse them. */
export function withWholeArguments(item: WireFields): WireFields {
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

function dropReasoningAtEnd(items: WireFields[]): void {
  while (items.at(-1)?.['type'] === 'reasoning') items.pop();
}

function withCallId(item: WireFields, callIds: DistinctCallIds): WireFields {
  const callId = callIds.take(item['call_id']);
  return callId === item['call_id'] ? item : { ...item, call_id: callId };
}

/** True for a refusal. */
export function isRefusal({ content }: WireFields): boolean {
  return Array.isArray(content) && content.some((part) => isRecord(part) && part['type'] === 'refusal');
}
