import { readUnrounded, spliceAll } from '../../core/internal/index.ts';
import type { ConversationEdit } from '../../core/runtime/index.ts';
import type {
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedTool,
  MediaPart,
  ModelTool,
} from '../../core/tool/index.ts';

/*
 * Messages as JSON in the form that the semantic conventions publish: a role, and parts that have a type. docs/spec/telemetry.md §7
 */

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The conversation of a run as JSON. What was written once is kept: a turn costs what it adds, and the length of the result. */
export class SpanMessages {
  #messages: string[] = [];

  apply(edits: readonly ConversationEdit[]): void {
    for (const { at, remove, insert } of edits) {
      spliceAll(
        this.#messages,
        at,
        remove,
        insert.map((item) => JSON.stringify(messageOf(item))),
      );
    }
  }

  toJson(): string {
    return `[${this.#messages.join(',')}]`;
  }
}

/** The instructions as JSON. */
export function instructionsJson(text: string): string {
  return JSON.stringify([{ type: 'text', content: text }]);
}

/** An answer of a model as JSON. */
export function answerJson(content: readonly AssistantPart[], finishReason: FinishReason): string {
  return JSON.stringify([
    { role: 'assistant', parts: content.map(assistantPart), finish_reason: finishWord(finishReason) },
  ]);
}

/** Tools as JSON. */
export function toolsJson(tools: readonly ModelTool[], hostedTools: readonly HostedTool[]): string {
  return JSON.stringify([
    ...tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
    })),
    ...hostedTools.map(({ name, description }) => ({ type: 'extension', name, description })),
  ]);
}

/** Why a model stopped, in the words of the conventions where they have one. */
export function finishWord(reason: FinishReason): string {
  return finishWords[reason] ?? reason;
}

const finishWords: { readonly [Reason in FinishReason]?: string } = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  'context-window': 'length',
};

function messageOf(item: ConversationItem): { readonly role: string; readonly parts: readonly Part[] } {
  switch (item.type) {
    case 'user':
      return {
        role: 'user',
        parts: item.content.map((part) => (part.type === 'text' ? textPart(part.text) : mediaPart(part))),
      };
    case 'assistant':
      return { role: 'assistant', parts: item.content.map(assistantPart) };
    case 'tool-result':
      return {
        role: 'tool',
        parts: [
          { type: 'tool_call_response', id: item.callId, response: item.text },
          ...(item.attachments ?? []).map(mediaPart),
        ],
      };
    case 'approval': {
      const { approvalId: approval_id, approved, reason } = item;
      return { role: 'user', parts: [{ type: 'tool_approval_response', approval_id, approved, reason }] };
    }
  }
}

function assistantPart(part: AssistantPart): Part {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return {
        type: 'tool_call',
        id: part.callId,
        name: part.name,
        arguments: argumentsOf(part.arguments),
      };
    case 'approval-request':
      return { type: 'tool_approval_request', id: part.approvalId, name: part.name };
  }
}

function textPart(content: string): Part {
  return { type: 'text', content };
}

/** An address as it is; of data only what it is and how long: an image in every later request would be most of a trace. */
function mediaPart({ type, mediaType, data }: MediaPart): Part {
  const modality = type === 'image' ? 'image' : 'file';
  return /^https?:/i.test(data)
    ? { type: 'uri', modality, mime_type: mediaType, uri: data }
    : { type: 'omitted', modality, mime_type: mediaType, characters: data.length };
}

/** Shorter texts are not nested so deep that writing them could overflow the stack. */
const maxShallowCharacters = 2_000;

/** Arguments as a model wrote them, parsed where they are JSON that can be written again; an integer that a number does not hold is text. */
function argumentsOf(text: string): unknown {
  if (text === '') return {};
  try {
    const parsed = readUnrounded(text);
    // It throws for what is nested too deep.
    if (text.length > maxShallowCharacters) JSON.stringify(parsed);
    return parsed === undefined ? text : parsed;
  } catch {
    return text;
  }
}
