import { ModelResponseError } from '../../../core/error/index.ts';
import { isRecord, readJson } from '../../../core/internal/index.ts';
import type { SchemaProjection } from '../../../core/schema/index.ts';
import type {
  AssistantPart,
  HostedApprovalRequestPart,
  HostedTool,
  ToolCallPart,
} from '../../../core/tool/index.ts';
import {
  type DistinctCallIds,
  type HostedTurn,
  objectsIn,
  type TypedTools,
  typedCallParts,
  type WireFields,
} from '../../kit/index.ts';

/** The context in which the items of a response are read. */
interface ContentOptions {
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
  readonly hostedTools: readonly HostedTool[];
  readonly typed?: TypedTools | undefined;
  /** Ids for calls that the provider gives none. */
  readonly callIds: DistinctCallIds;
}

/** The content of the items of a response. */
interface TurnContent extends Pick<HostedTurn, 'text' | 'startOf'> {
  readonly content: readonly AssistantPart[];
}

/**
 * @param isCut whether the answer is truncated; the provider then marks each call as complete or not.
 * @throws {ModelResponseError} for a call or an approval request with missing fields.
 */
export function readContent(
  items: readonly WireFields[],
  options: ContentOptions,
  isCut: boolean,
): TurnContent {
  const { toolSchemas, answerSchema, hostedTools } = options;
  const isFinal = !items.some((item) => isRequest(item) || options.typed?.readCalls(item) !== undefined);
  // Commentary before an action is not part of the answer, unless the answer has no other items.
  const hasMore = !isFinal || items.some((item) => !isCommentary(item) && messageText(item) !== '');
  const starts = new Map<unknown, number>();
  let text = '';
  const content = items.flatMap((item): readonly AssistantPart[] => {
    switch (item['type']) {
      case 'message': {
        const itemText = messageText(item);
        if (itemText === '') return [];
        if (hasMore && isCommentary(item)) return [{ type: 'reasoning', text: itemText }];
        const restored = isFinal ? (answerSchema?.unwrap(itemText) ?? itemText) : itemText;
        // Offsets in restored text are unknown.
        if (restored === itemText) noteStarts(item, text.length, starts);
        text += restored;
        return [{ type: 'text', text: restored }];
      }
      case 'reasoning': {
        const thought = [partsText(item['summary']), partsText(item['content'])].filter((it) => it !== '');
        return thought.length === 0 ? [] : [{ type: 'reasoning', text: thought.join('\n') }];
      }
      case 'function_call':
        return [toCall(item, toolSchemas, isCut)];
      case 'mcp_approval_request':
        return [toApprovalRequest(item, hostedTools)];
      default:
        return toTypedCalls(item, options, isCut);
    }
  });
  return { content, text, startOf: (part) => starts.get(part) };
}

function isCommentary({ phase }: WireFields): boolean {
  return phase === 'commentary';
}

function messageText({ type, content }: WireFields): string {
  return type === 'message' ? partsText(content) : '';
}

function partsText(parts: unknown): string {
  return objectsIn(parts).map(textOf).join('');
}

/** The text of one part; for a refusal, its explanation. */
function textOf({ text, refusal }: WireFields): string {
  const content = text ?? refusal;
  return typeof content === 'string' ? content : '';
}

function noteStarts({ content }: WireFields, start: number, starts: Map<unknown, number>): void {
  let at = start;
  for (const part of objectsIn(content)) {
    starts.set(part, at);
    at += textOf(part).length;
  }
}

function toCall(
  item: WireFields,
  schemas: ReadonlyMap<string, SchemaProjection>,
  isCut: boolean,
): ToolCallPart {
  const { call_id: callId, name, arguments: text, status } = item;
  if (typeof callId !== 'string' || typeof name !== 'string' || typeof text !== 'string') {
    throw invalidResponse('it has a function call without name or arguments');
  }
  const call = {
    type: 'tool-call',
    callId,
    name,
    arguments: schemas.get(name)?.unwrap(text) ?? text,
  } as const;
  if (isCutOffCall(item)) return { ...call, isComplete: false };
  return isCut && status === 'completed' ? { ...call, isComplete: true } : call;
}

/** The calls of an item of the provider's shape; of any other item there are none. */
function toTypedCalls(
  item: WireFields,
  { callIds, typed }: ContentOptions,
  isCut: boolean,
): readonly ToolCallPart[] {
  const asked = typed?.readCalls(item);
  if (asked === undefined) return [];
  const { call_id: callId } = item;
  if (typeof callId !== 'string') throw invalidResponse(`it has a ${String(item['type'])} without an id`);
  const isWhole = isCut && item['status'] === 'completed' ? true : undefined;
  return typedCallParts(asked, callId, callIds, isCutOffCall(item) ? false : isWhole);
}

function toApprovalRequest(item: WireFields, hostedTools: readonly HostedTool[]): HostedApprovalRequestPart {
  const { id: approvalId, name, server_label: label, arguments: text } = item;
  if (typeof approvalId !== 'string' || typeof name !== 'string' || typeof label !== 'string') {
    throw invalidResponse('it has a request for approval without id, name or server_label');
  }
  const tool = hostedTools.find(({ kind, config }) => kind === 'mcp' && config['label'] === label);
  return {
    type: 'approval-request',
    approvalId,
    toolName: tool?.name ?? label,
    name,
    arguments: typeof text === 'string' ? text : '',
  };
}

/** @param why the problem, which follows "It is not a finished response:". */
export function invalidResponse(why: string): ModelResponseError {
  return new ModelResponseError('model-response-invalid', `It is not a finished response: ${why}.`);
}

/** Items that require an answer before the model continues. */
function isRequest({ type }: WireFields): boolean {
  return type === 'function_call' || type === 'mcp_approval_request';
}

/**
 * The items of a turn, unchanged except where the provider would not accept them in the next request. Calls without a unique
 * id get one. In a truncated answer, reasoning without a following item is removed. If a filter ended the answer, so that
 * the model cannot continue, a truncated call and its reasoning are removed, too.
 *
 * @param isCut whether the answer is truncated.
 * @param goesOn whether truncated calls get a result, so that the model continues.
 */
export function toReturnedItems(
  items: readonly WireFields[],
  options: {
    readonly callIds: DistinctCallIds;
    /** Whether an item asks for a provider tool. */
    readonly isTyped: (item: WireFields) => boolean;
    readonly isCut: boolean;
    readonly goesOn: boolean;
  },
): readonly WireFields[] {
  const { callIds, isTyped, isCut, goesOn } = options;
  const kept: WireFields[] = [];
  for (const item of items) {
    if (item['type'] !== 'function_call' && !isTyped(item)) kept.push(item);
    else if (isCutOffCall(item) && !goesOn) dropReasoningAtEnd(kept);
    else kept.push(withCallId(item, callIds));
  }
  if (isCut) dropReasoningAtEnd(kept);
  return kept;
}

/** True for a call that the provider marks as incomplete. */
function isCutOffCall({ status }: WireFields): boolean {
  return status === 'incomplete';
}

/** The item to send back: a truncated call gets valid JSON arguments, because servers parse them. */
export function withWholeArguments(item: WireFields): WireFields {
  return item['type'] === 'function_call' &&
    isCutOffCall(item) &&
    readJson(String(item['arguments'])) === undefined
    ? { ...item, arguments: '{}' }
    : item;
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
