import { ModelResponseError } from '../../../core/error/index.ts';
import { restoreText, type SchemaProjection } from '../../../core/schema/index.ts';
import type {
  AssistantPart,
  HostedApprovalRequestPart,
  HostedTool,
  ToolCallPart,
} from '../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, type WireFields } from '../../kit/index.ts';
import { isCutOffCall, isRequest } from './output-items.ts';

/** The context in which the items of a response are read. */
export interface ContentOptions {
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
  readonly hostedTools: readonly HostedTool[];
}

/** The content of the items of a response. */
export interface TurnContent extends Pick<HostedTurn, 'text' | 'startOf'> {
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
  const isFinal = !items.some(isRequest);
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
        const restored = isFinal ? restoreText(itemText, answerSchema) : itemText;
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
        return [];
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
  const call = { type: 'tool-call', callId, name, arguments: restoreText(text, schemas.get(name)) } as const;
  if (isCutOffCall(item)) return { ...call, isComplete: false };
  return isCut && status === 'completed' ? { ...call, isComplete: true } : call;
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
