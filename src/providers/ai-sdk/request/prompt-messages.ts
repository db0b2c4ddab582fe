import { present, readJson } from '../../../core/internal/index.ts';
import type {
  AssistantItem,
  ConversationItem,
  InputPart,
  ToolResultItem,
} from '../../../core/runtime/index.ts';
import { type CallIdForm, ForeignCallIds } from '../../kit/index.ts';
import type {
  AiSdkVersion,
  AnswerPart,
  ApprovalResponsePart,
  FilePart,
  PromptMessage,
  ResultOutput,
  ResultPart,
  TextPart,
  WireJson,
} from '../wire/call-options.ts';
import type { FileForm, KeptFile } from '../wire/files.ts';
import { isPart, type KeptPart } from '../wire/kept-part.ts';

/** The provider's format, and the name that identifies the model's own answers. */
export interface PromptContext<Version extends AiSdkVersion> {
  readonly instructions: string;
  readonly provider: string;
  readonly files: FileForm<Version>;
  /** The form of call ids that the provider accepts. */
  readonly callIds: CallIdForm;
}

/** Replaces the user's message in an empty conversation; the task is in the instructions. */
const opening = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Please begin.' }] };

/**
 * The conversation in the model's format. Answers made under the name `provider` are sent back unchanged, with the
 * provider's metadata; answers of other models are reduced to text and calls.
 */
export function toPrompt<Version extends AiSdkVersion>(
  conversation: readonly ConversationItem[],
  context: PromptContext<Version>,
): PromptMessage<Version>[] {
  const { instructions, provider } = context;
  const messages: PromptMessage<Version>[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions }];
  if (!conversation.some(({ type }) => type === 'user')) messages.push(opening);
  const ids = new ForeignCallIds(context.callIds, conversation, ({ raw }) => raw?.provider === provider);
  const ownApprovals = new Set(
    conversation
      .flatMap((item) => (item.type === 'assistant' ? ownParts(item, provider) : []))
      .map(approvalIdOf),
  );
  for (const item of conversation) {
    switch (item.type) {
      case 'user':
        messages.push({ role: 'user', content: item.content.map((part) => toUserPart(part, context.files)) });
        break;
      case 'assistant': {
        ids.enter(item);
        const content = fromAssistant(item, context, ids);
        if (content.length > 0) messages.push({ role: 'assistant', content });
        break;
      }
      case 'tool-result':
        pushAnswer(messages, toResult(item, context.files, ids));
        break;
      case 'approval': {
        const { approvalId, approved, reason } = item;
        if (!ownApprovals.has(approvalId)) break;
        pushAnswer(messages, {
          type: 'tool-approval-response',
          approvalId,
          approved,
          ...present({ reason }),
        });
        break;
      }
    }
  }
  return messages;
}

/** The replies to one turn of the model form one message. */
function pushAnswer<Version extends AiSdkVersion>(
  messages: PromptMessage<Version>[],
  part: ResultPart<Version> | ApprovalResponsePart,
): void {
  const last = messages.at(-1);
  if (last?.role === 'tool') last.content.push(part);
  else messages.push({ role: 'tool', content: [part] });
}

function toUserPart<Version extends AiSdkVersion>(
  part: InputPart,
  files: FileForm<Version>,
): TextPart | FilePart<Version> {
  return part.type === 'text' ? { type: 'text', text: part.text } : files.toPart(part);
}

function toResult<Version extends AiSdkVersion>(
  { callId, toolName, text, isError, attachments = [] }: ToolResultItem,
  files: FileForm<Version>,
  ids: ForeignCallIds,
): ResultPart<Version> {
  const output: ResultOutput<Version> =
    attachments.length === 0
      ? { type: isError ? 'error-text' : 'text', value: text }
      : {
          type: 'content',
          value: [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...attachments.map((media) => files.toResultFile(media)),
          ],
        };
  return { type: 'tool-result', toolCallId: ids.idOf(callId), toolName, output };
}

function fromAssistant<Version extends AiSdkVersion>(
  item: AssistantItem,
  { provider, files }: PromptContext<Version>,
  ids: ForeignCallIds,
): AnswerPart<Version>[] {
  if (item.raw?.provider === provider)
    return ownParts(item, provider).flatMap((part) => giveBack(part, files));
  return ids.foreignParts<AnswerPart<Version>>(item, {
    text: (text) => (text === '' ? undefined : { type: 'text', text }),
    call: ({ arguments: given, callId: toolCallId, name: toolName }) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: parseInput(given),
    }),
  });
}

function ownParts({ raw }: AssistantItem, provider: string): readonly KeptPart[] {
  return raw?.provider === provider ? raw.items.filter(isPart) : [];
}

function approvalIdOf(part: KeptPart): unknown {
  return part.type === 'tool-approval-request' ? part['approvalId'] : undefined;
}

/** A part of an answer as a part of the prompt: its provider metadata becomes provider options. */
function giveBack<Version extends AiSdkVersion>(
  part: KeptPart,
  files: FileForm<Version>,
): AnswerPart<Version>[] {
  const { providerMetadata, ...rest } = part;
  const metadata = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  const given = (fields: object): AnswerPart<Version>[] =>
    // The model accepts every part that it makes; only parts that differ in a prompt are converted.
    [{ ...fields, ...metadata } as AnswerPart<Version>];
  switch (part.type) {
    case 'tool-call': {
      const { dynamic: _dynamic, input, ...call } = rest as KeptPart;
      return given({ ...call, input: parseInput(typeof input === 'string' ? input : '') });
    }
    case 'tool-result': {
      const { toolCallId, toolName, result, isError } = part;
      const output = { type: isError === true ? 'error-json' : 'json', value: result };
      return given({ type: 'tool-result', toolCallId, toolName, output });
    }
    case 'file':
    case 'reasoning-file':
      // In the form that `keepParts` made.
      return given({ ...rest, data: files.toAnswerData(part['data'] as KeptFile) });
    case 'text': {
      const { citations: _citations, ...text } = rest as KeptPart;
      return given(text);
    }
    case 'reasoning':
    case 'custom':
      return given(rest);
    default:
      // Sources and approval requests cannot be in a prompt.
      return [];
  }
}

/** The arguments of a call as a value. Invalid JSON becomes an empty value: the result explains the error. */
function parseInput(text: string): WireJson {
  // What is read is a JSON value.
  return (readJson(text) ?? {}) as WireJson;
}
