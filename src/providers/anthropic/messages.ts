import { none, present, readUnrounded } from '../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../core/schema/index.ts';
import type { AssistantItem, ConversationItem, ToolResultItem } from '../../core/tool/index.ts';
import { ForeignCallIds, objectsIn, plainCallIds, startOfLoop, type ThinkingReader } from '../kit/index.ts';
import { toInputBlocks, toMediaBlock } from './media-blocks.ts';
import {
  type AssistantBlock,
  type InputBlock,
  isCompaction,
  isThinking,
  type Message,
  type MessageEnd,
  type ToolReference,
  type ToolResultBlock,
  type UserBlock,
} from './wire.ts';

/** Replaces the user's message when a conversation does not begin with one; the task is in the instructions. */
const opening: Message = { role: 'user', content: [{ type: 'text', text: 'Please begin.' }] };
/** Follows an answer without a reply: the provider does not accept one as the start of the next. */
const continuation: Message = { role: 'user', content: [{ type: 'text', text: 'Please continue.' }] };

/** What a conversation depends on beside its items. */
export interface MessagesOptions {
  /** Whether the request turns off thinking: the provider then rejects thinking in the tool loop that it continues. Default: false. */
  readonly isThinkingOff?: boolean;
  /** Names of the tools that results bring. Default: none. */
  readonly inPlace?: ReadonlySet<string>;
}

/**
 * The conversation in the provider's format. Answers made under the name `provider` are sent back unchanged, including
 * thinking and hosted tools; answers of other providers are reduced to text and calls. The results of one turn become one
 * message, before other content of the user.
 *
 */
export function toMessages(
  conversation: readonly ConversationItem[],
  provider: string,
  { isThinkingOff = false, inPlace = new Set() }: MessagesOptions = {},
): Message[] {
  const messages: Message[] = [];
  const withoutThinkingFrom = isThinkingOff ? startOfLoop(conversation) : conversation.length;
  const ids = new ForeignCallIds(plainCallIds, conversation, ({ raw }) => raw?.provider === provider);
  let results: ToolResultBlock[] = [];
  let userContent: InputBlock[] = [];
  /** The replacement for the user's message if there is no user content. */
  let standIn: Message | undefined = opening;
  const endOfUser = (): void => {
    const content: UserBlock[] = [...results, ...userContent];
    if (content.length > 0) messages.push({ role: 'user', content });
    else if (standIn !== undefined) messages.push(standIn);
    results = [];
    userContent = [];
  };
  for (const [index, item] of conversation.entries()) {
    switch (item.type) {
      case 'user':
        userContent.push(...toInputBlocks(item.content));
        break;
      case 'tool-result':
        results.push(toResult(item, ids, inPlace));
        break;
      case 'assistant': {
        ids.enter(item);
        const blocks = toAssistantBlocks(item, provider, ids);
        const content = index < withoutThinkingFrom ? blocks : blocks.filter((block) => !isThinking(block));
        if (content.length === 0) break;
        endOfUser();
        messages.push({ role: 'assistant', content });
        standIn = endOf(item, provider)?.stop_reason === undefined ? continuation : undefined;
        break;
      }
      case 'approval':
        // The provider never requests approval.
        break;
    }
  }
  endOfUser();
  return messages;
}

/** How the turns of a conversation go to the provider that makes its answers under the name `provider`. */
export function thinkingReader(provider: string): ThinkingReader {
  return {
    isOwn: ({ raw }) => raw?.provider === provider,
    hasThinking: ({ raw }) => objectsIn(raw?.items).some(isThinking),
  };
}

/** The container that the provider's code ran in last. */
export function lastContainer(
  conversation: readonly ConversationItem[],
  provider: string,
): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    const container = item?.type === 'assistant' ? endOf(item, provider)?.container : undefined;
    if (container !== undefined) return container.id;
  }
  return undefined;
}

/** Data that a turn of the provider stores beside its blocks. */
function endOf({ raw }: AssistantItem, provider: string): MessageEnd | undefined {
  const last = raw?.provider === provider ? raw.items.at(-1) : undefined;
  return isMessageEnd(last) ? last : undefined;
}

function isMessageEnd(item: unknown): item is MessageEnd {
  return typeof item === 'object' && item !== null && Reflect.get(item, 'type') === 'message_end';
}

function toAssistantBlocks(item: AssistantItem, provider: string, ids: ForeignCallIds): AssistantBlock[] {
  if (item.raw?.provider === provider) {
    const blocks = item.raw.items.filter((block) => !isMessageEnd(block));
    // The provider accepts every block it makes, except empty text and an empty summary; this adapter does not inspect them.
    return (blocks as readonly AssistantBlock[]).filter((block) => !isBlank(block));
  }
  return ids.foreignParts<AssistantBlock>(item, {
    text: (text) => (text.trim() === '' ? undefined : { type: 'text', text }),
    call: ({ arguments: given, callId: id, name }) => ({ type: 'tool_use', id, name, input: toInput(given) }),
  });
}

function isBlank(block: AssistantBlock): boolean {
  const text: unknown =
    block.type === 'text' ? block.text : isCompaction(block) ? Reflect.get(block, 'content') : undefined;
  return typeof text === 'string' && text.trim() === '';
}

function toResult(
  { callId, text, isError, attachments = [], loadedTools = none }: ToolResultItem,
  ids: ForeignCallIds,
  inPlace: ReadonlySet<string>,
): ToolResultBlock {
  const content: readonly InputBlock[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  const tools = loadedTools.filter((name) => inPlace.has(name));
  const references = tools.map((name): ToolReference => ({ type: 'tool_reference', tool_name: name }));
  const media = attachments.map((part): InputBlock => {
    const block = toMediaBlock(part);
    if (block !== undefined) return block;
    const note = `(Omitted: the provider does not support the type ${part.mediaType} of this ${part.type}.)`;
    return { type: 'text', text: note };
  });
  const shown = [...media, ...references];
  return {
    type: 'tool_result',
    tool_use_id: ids.idOf(callId),
    ...present({
      content: shown.length > 0 ? [...content, ...shown] : content.length > 0 ? text : undefined,
      is_error: isError ? (true as const) : undefined,
    }),
  };
}

/** The arguments of another model's call. Arguments that are not a JSON object got an error result, which explains the problem; an integer that
 * a number does not hold is sent as the text of its digits. */
function toInput(text: string): JsonObject {
  const value = readUnrounded(text);
  return isSchemaObject(value) ? value : {};
}
