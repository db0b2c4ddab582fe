import { isSchemaObject, type JsonObject } from '../schema/index.ts';
import type { AssistantItem, ConversationItem, ToolResultItem } from '../tool/index.ts';
import { toInputBlocks, toMediaBlock } from './media-blocks.ts';
import type {
  AssistantBlock,
  ContainerItem,
  InputBlock,
  Message,
  ToolResultBlock,
  UserBlock,
} from './wire.ts';

/** Stands in for the user where a conversation does not begin with one; the task is in the instructions. */
const opening: Message = { role: 'user', content: [{ type: 'text', text: 'Please begin.' }] };

/**
 * The conversation as the provider takes it. What it said itself, under the name `provider`, goes back exactly as it came,
 * thinking and the work of hosted tools included; what another provider said is told from its text and its calls. The results
 * of one turn become one message, in front of whatever the user said besides.
 */
export function toMessages(conversation: readonly ConversationItem[], provider: string): Message[] {
  const messages: Message[] = [];
  let results: ToolResultBlock[] = [];
  let said: InputBlock[] = [];
  const endOfUser = (): void => {
    const content: UserBlock[] = [...results, ...said];
    if (content.length > 0) messages.push({ role: 'user', content });
    results = [];
    said = [];
  };
  for (const item of conversation) {
    switch (item.type) {
      case 'user':
        said.push(...toInputBlocks(item.content));
        break;
      case 'tool-result':
        results.push(toResult(item));
        break;
      case 'assistant': {
        const content = toAssistantBlocks(item, provider);
        if (content.length === 0) break;
        endOfUser();
        messages.push({ role: 'assistant', content });
        break;
      }
      case 'approval':
        // The provider never asks for one.
        break;
    }
  }
  endOfUser();
  return messages[0]?.role === 'user' ? messages : [opening, ...messages];
}

/** The container that the provider's code ran in last. */
export function lastContainer(
  conversation: readonly ConversationItem[],
  provider: string,
): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.type !== 'assistant' || item.raw?.provider !== provider) continue;
    const found = item.raw.items.find(isContainer);
    if (found !== undefined) return found.id;
  }
  return undefined;
}

function isContainer(item: unknown): item is ContainerItem {
  return typeof item === 'object' && item !== null && Reflect.get(item, 'type') === 'container';
}

function toAssistantBlocks(item: AssistantItem, provider: string): AssistantBlock[] {
  if (item.raw?.provider === provider) {
    const blocks = item.raw.items.filter((block) => !isContainer(block));
    // The provider takes back every block it makes, except texts without a text; this adapter does not look into them.
    return (blocks as readonly AssistantBlock[]).filter(
      ({ type, ...block }) => type !== 'text' || !isBlank(block),
    );
  }
  return item.content.flatMap((part): readonly AssistantBlock[] => {
    switch (part.type) {
      case 'text':
        return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
      case 'tool-call':
        return [
          {
            type: 'tool_use',
            id: toToolUseId(part.callId),
            name: part.name,
            input: toInput(part.arguments),
          },
        ];
      case 'approval-request':
      case 'reasoning':
        // The reasoning of another model is not this model's to go on with.
        return [];
    }
  });
}

function isBlank(block: object): boolean {
  const text: unknown = Reflect.get(block, 'text');
  return typeof text === 'string' && text.trim() === '';
}

function toResult({ callId, text, isError, attachments = [] }: ToolResultItem): ToolResultBlock {
  const told: readonly InputBlock[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  const shown = attachments.map((part): InputBlock => {
    const block = toMediaBlock(part);
    if (block !== undefined) return block;
    const note = `(Left out: the provider takes no ${part.type} of the type ${part.mediaType}.)`;
    return { type: 'text', text: note };
  });
  return {
    type: 'tool_result',
    tool_use_id: toToolUseId(callId),
    ...(shown.length > 0 ? { content: [...told, ...shown] } : told.length > 0 ? { content: text } : {}),
    ...(isError ? { is_error: true } : {}),
  };
}

/** The provider takes letters, digits, `_` and `-`; its own names are of these. */
function toToolUseId(callId: string): string {
  return callId.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** What another model wrote as arguments. What is no JSON object was answered with a failure, which tells of it. */
function toInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isSchemaObject(value) ? value : {};
  } catch {
    return {};
  }
}
