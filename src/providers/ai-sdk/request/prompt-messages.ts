import { present, readUnrounded } from '../../../core/internal/index.ts';
import type {
  AssistantItem,
  ConversationItem,
  InputPart,
  ToolResultItem,
} from '../../../core/runtime/index.ts';
import {
  type CallIdForm,
  ForeignCallIds,
  fieldsIn,
  type ProviderToolRegistry,
  type ToolNamespace,
  TypedItems,
  type WireFields,
} from '../../kit/index.ts';
import { isToolSearch } from '../typed/codecs.ts';
import type {
  AiSdkVersion,
  AnswerPart,
  ApprovalResponsePart,
  FilePart,
  PromptMessage,
  ProviderOptions,
  ResultOutput,
  ResultPart,
  TextPart,
  WireJson,
  WireObject,
} from '../wire/call-options.ts';
import type { FileForm, KeptFile } from '../wire/files.ts';
import { isOwnCall, isPart, type KeptPart } from '../wire/kept-part.ts';
import type { BroughtTools } from './opened-tools.ts';
import { mergeProviderOptions } from './request-settings.ts';

/** The provider's format, and the name that identifies the model's own answers. */
export interface PromptContext<Version extends AiSdkVersion> {
  readonly instructions: string;
  readonly provider: string;
  readonly files: FileForm<Version>;
  /** The form of call ids that the provider accepts. */
  readonly callIds: CallIdForm;
  /** Writes the answers to calls in the provider's shape. */
  readonly providerTools: Pick<ProviderToolRegistry, 'writeResult'>;
  /** The name of a call that another provider made. */
  readonly foreignName: (name: string) => string;
  /** The index of the first turn that goes back without reasoning. */
  readonly withoutThinkingFrom: number;
  /** The tools that a result brings. */
  readonly broughtBy: (item: ToolResultItem) => BroughtTools;
  /** The tools that a search has brought, by their sections. */
  readonly namespacesOf: (names: readonly string[]) => readonly ToolNamespace[];
}

/** Replaces a message of the user that says nothing; the task is in the instructions. */
const opening = { type: 'text' as const, text: 'Please begin.' };
/** Replaces one after an answer. */
const continuation = { type: 'text' as const, text: 'Please continue.' };

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
    instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];
  if (!conversation.some(({ type }) => type === 'user')) messages.push({ role: 'user', content: [opening] });
  const ids = new ForeignCallIds(context.callIds, conversation, ({ raw }) => raw?.provider === provider);
  const ownApprovals = new Set(
    conversation
      .flatMap((item) => (item.type === 'assistant' ? ownParts(item, provider) : []))
      .map(approvalIdOf),
  );
  let callers: ReadonlyMap<unknown, ProviderOptions> = new Map();
  let typed: TypedItems | undefined;
  for (const [index, item] of conversation.entries()) {
    switch (item.type) {
      case 'user': {
        const content = toUserParts(item.content, context.files);
        if (content.length > 0) messages.push({ role: 'user', content });
        // A message that says nothing is needed only where the model would otherwise not be asked.
        else if (messages.length === 0 || messages.at(-1)?.role === 'system')
          messages.push({ role: 'user', content: [opening] });
        else if (messages.at(-1)?.role === 'assistant')
          messages.push({ role: 'user', content: [continuation] });
        break;
      }
      case 'assistant': {
        ids.enter(item);
        const own = ownParts(item, provider);
        callers = callersIn(own);
        typed = new TypedItems(item, own, callIdOf);
        const parts = fromAssistant(item, context, ids);
        const hasThinking = index < context.withoutThinkingFrom;
        const content = hasThinking ? parts : parts.filter(({ type }) => type !== 'reasoning');
        if (content.length > 0) messages.push({ role: 'assistant', content });
        break;
      }
      case 'tool-result': {
        const answered = typed?.take(item);
        // A call that has become several is answered once.
        if (answered === 'waiting') break;
        if (answered !== undefined && isToolSearch(answered.item)) {
          pushAnswer(messages, toSearchResult(item, answered.item, context));
          // The answer to a search has no place for the text of the sections.
          messages.push({ role: 'system', content: item.text });
          break;
        }
        const brought = context.broughtBy(item);
        const caller = callers.get((answered && callIdOf(answered.item)) ?? item.callId);
        pushAnswer(messages, {
          ...toResult(item, context.files, ids, brought),
          ...(answered && toTypedResult(answered, context)),
          ...present({
            providerOptions:
              brought.providerOptions === undefined
                ? caller
                : mergeProviderOptions(caller ?? {}, brought.providerOptions),
          }),
        });
        break;
      }
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

function callIdOf({ toolCallId }: WireFields): string | undefined {
  return typeof toolCallId === 'string' ? toolCallId : undefined;
}

function toSearchResult<Version extends AiSdkVersion>(
  { callId, loadedTools = [] }: ToolResultItem,
  { toolName }: WireFields,
  { namespacesOf }: Pick<PromptContext<Version>, 'namespacesOf'>,
): ResultPart<Version> {
  // Functions in the form of the provider, as JSON.
  const tools = namespacesOf(loadedTools) as unknown as WireJson[];
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: String(toolName),
    output: { type: 'json', value: { tools } },
  };
}

/** What the answer to a call in the provider's shape has in place of that to any call: the name that the provider has for the tool, and its shape where it has one. */
function toTypedResult<Version extends AiSdkVersion>(
  { item, results }: { readonly item: WireFields; readonly results: readonly ToolResultItem[] },
  { providerTools }: Pick<PromptContext<Version>, 'providerTools'>,
): Partial<ResultPart<Version>> {
  // In the form that the codec gives it.
  const output = providerTools.writeResult(item, results) as ResultOutput<Version> | undefined;
  const toolCallId = callIdOf(item);
  return present({ toolCallId, toolName: String(item['toolName']), output });
}

/** The programs of the provider that made calls, by the ids of the calls, as results have to name them. */
function callersIn(parts: readonly KeptPart[]): ReadonlyMap<unknown, ProviderOptions> {
  return new Map(
    parts.filter(isOwnCall).flatMap(({ toolCallId, providerMetadata }): [unknown, ProviderOptions][] => {
      const named = Object.entries(fieldsIn(providerMetadata)).flatMap(([provider, data]) => {
        const { caller } = fieldsIn(data);
        // It goes back as it came, as JSON.
        return fieldsIn(caller)['type'] === 'program' ? [[provider, { caller: caller as WireObject }]] : [];
      });
      return named.length === 0 ? [] : [[toolCallId, Object.fromEntries(named)]];
    }),
  );
}

/** The content of a message of the user, without empty text, which providers reject. */
function toUserParts<Version extends AiSdkVersion>(
  parts: readonly InputPart[],
  files: FileForm<Version>,
): (TextPart | FilePart<Version>)[] {
  return parts.flatMap((part): (TextPart | FilePart<Version>)[] => {
    if (part.type !== 'text') return [files.toPart(part)];
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  });
}

function toResult<Version extends AiSdkVersion>(
  { callId, toolName, text, isError, attachments = [] }: ToolResultItem,
  files: FileForm<Version>,
  ids: ForeignCallIds,
  { parts }: BroughtTools,
): ResultPart<Version> {
  const output: ResultOutput<Version> =
    attachments.length + parts.length === 0
      ? { type: isError ? 'error-text' : 'text', value: text }
      : {
          type: 'content',
          value: [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...attachments.map((media) => files.toResultFile(media)),
            ...parts,
          ],
        };
  return { type: 'tool-result', toolCallId: ids.idOf(callId), toolName, output };
}

function fromAssistant<Version extends AiSdkVersion>(
  item: AssistantItem,
  { foreignName, provider, files }: PromptContext<Version>,
  ids: ForeignCallIds,
): AnswerPart<Version>[] {
  if (item.raw?.provider === provider)
    return ownParts(item, provider).flatMap((part) => giveBack(part, files));
  return ids.foreignParts<AnswerPart<Version>>(item, {
    text: (text) => (text.trim() === '' ? undefined : { type: 'text', text }),
    call: ({ arguments: given, callId: toolCallId, name }) => ({
      type: 'tool-call',
      toolCallId,
      toolName: foreignName(name),
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
      // Empty text is kept for what the provider attached to it, such as a signature.
      if (providerMetadata === undefined && String(text['text']).trim() === '') return [];
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

/** The arguments of a call as a value. Invalid JSON becomes an empty value: the result explains the error. The digits of an integer that a number does not hold are
 * text. */
function parseInput(text: string): WireJson {
  // What is read is a JSON value.
  return (readUnrounded(text) ?? {}) as WireJson;
}
