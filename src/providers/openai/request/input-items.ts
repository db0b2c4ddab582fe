import { isRecord, none, present } from '../../../core/internal/index.ts';
import type {
  AssistantItem,
  ConversationItem,
  HostedApprovalItem,
  InputPart,
  ToolResultItem,
} from '../../../core/tool/index.ts';
import {
  ForeignCallIds,
  isWebUrl,
  objectsIn,
  type ProviderToolRegistry,
  shortCallIds,
  type ToolNamespace,
  TypedItems,
  toUrl,
  type WireFields,
} from '../../kit/index.ts';
import type {
  CacheBreakpoint,
  InputContent,
  InputItem,
  OpenAIFunctionTool,
  ProgramCaller,
} from '../wire/wire.ts';
import { endsOfRequests } from './prompt-caching.ts';

/** Replaces the user's message in an empty conversation; the task is in the instructions. */
const opening: Extract<InputItem, { role: 'user' }> = {
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: 'Please begin.' }],
};

/** What a conversation depends on beside its items. */
export interface InputOptions {
  /** A tool of an opened section, which comes after the result that opened it; undefined for one that is declared elsewhere, or not at all. */
  toolNamed(name: string): OpenAIFunctionTool | undefined;
  /** The tools that a search has brought, by their sections. Default: there are none. */
  namespacesOf?(names: readonly string[]): readonly ToolNamespace[];
  /** Writes the answers to items of the provider's shape. Default: they are answered as calls of functions. */
  readonly providerTools?: Pick<ProviderToolRegistry, 'writeResult'>;
  /** The mark where earlier requests ended. With it the text of every result is a list, so that a mark changes nothing else. Default: none. */
  readonly mark?: CacheBreakpoint | undefined;
}

const noTools: InputOptions = { toolNamed: () => undefined };

function additionalTools(
  { loadedTools = none }: ToolResultItem,
  toolNamed: InputOptions['toolNamed'],
): readonly InputItem[] {
  const tools = loadedTools.map(toolNamed).filter((tool) => tool !== undefined);
  return tools.length === 0 ? none : [{ type: 'additional_tools', role: 'developer', tools }];
}

/**
 * The conversation in the provider's format. Items made under the name `provider` are sent back unchanged, including
 * reasoning and ids; answers of other providers are reduced to text and calls.
 */
export function toInputItems(
  conversation: readonly ConversationItem[],
  provider: string,
  options: InputOptions = noTools,
): InputItem[] {
  const { mark, providerTools, toolNamed } = options;
  const ends = mark === undefined ? undefined : endsOfRequests(conversation);
  const asked = new Set<string>();
  const callers = new Map<string, ProgramCaller>();
  let typed: TypedItems | undefined;
  const ids = new ForeignCallIds(shortCallIds, conversation, ({ raw }) => raw?.provider === provider);
  const items = conversation.flatMap((item, index): readonly InputItem[] => {
    const endMark = ends?.has(index) === true ? mark : undefined;
    switch (item.type) {
      case 'user':
        return [{ type: 'message', role: 'user', content: withMark(item.content.map(toContent), endMark) }];
      case 'assistant': {
        ids.enter(item);
        callers.clear();
        typed = undefined;
        if (item.raw?.provider !== provider) return fromForeign(item, ids);
        const own = objectsIn(item.raw.items);
        for (const raw of own) noteCaller(raw, callers);
        if (providerTools !== undefined) typed = new TypedItems(item, own, callIdOf);
        for (const part of item.content) if (part.type === 'approval-request') asked.add(part.approvalId);
        // The provider accepts every item it makes; this adapter does not inspect them.
        return item.raw.items as readonly InputItem[];
      }
      case 'tool-result': {
        const answered = typed?.take(item);
        // An item of several calls is answered once.
        if (answered === 'waiting') return none;
        if (answered?.item['type'] === 'tool_search_call') return toSearchOutput(item, options);
        const output = answered && providerTools?.writeResult(answered.item, answered.results);
        const callId = answered === undefined ? ids.idOf(item.callId) : (callIdOf(answered.item) ?? '');
        const caller = callers.get(callId);
        if (output === undefined)
          return [
            marked(toOutputItem(item, callId, caller), ends !== undefined, endMark),
            ...additionalTools(item, toolNamed),
          ];
        // In the form that the codec gives it.
        return [{ ...output, call_id: callId, ...present({ caller }) } as unknown as InputItem];
      }
      case 'approval':
        // Approval requests of another provider cannot be answered here.
        return asked.has(item.approvalId) ? [toApprovalResponse(item)] : [];
    }
  });
  if (conversation.some((item) => item.type === 'user')) return items;
  const isEnd = ends?.has(-1) === true;
  return [isEnd ? { ...opening, content: withMark(opening.content, mark) } : opening, ...items];
}

/** The content, with a mark after its last block. */
function withMark(content: InputContent[], mark: CacheBreakpoint | undefined): InputContent[] {
  if (mark === undefined) return content;
  return content.map((block, index) =>
    index === content.length - 1 ? { ...block, prompt_cache_breakpoint: mark } : block,
  );
}

function marked(item: OutputItem, isMarking: boolean, mark: CacheBreakpoint | undefined): OutputItem {
  if (!isMarking) return item;
  const { output } = item;
  const content: InputContent[] =
    typeof output === 'string' ? [{ type: 'input_text', text: output }] : output;
  return { ...item, output: withMark(content, mark) };
}

type OutputItem = Extract<InputItem, { type: 'function_call_output' }>;

function toOutputItem(item: ToolResultItem, callId: string, caller: ProgramCaller | undefined): OutputItem {
  const output = { type: 'function_call_output', call_id: callId, output: toToolOutput(item) } as const;
  return caller === undefined ? output : { ...output, caller };
}

/** What a search has found, and the text of the sections, for which its answer has no place. */
function toSearchOutput(
  { callId, loadedTools = none, text }: ToolResultItem,
  { namespacesOf }: InputOptions,
): readonly InputItem[] {
  const tools = namespacesOf?.(loadedTools) ?? none;
  const output = {
    type: 'tool_search_output',
    call_id: callId,
    execution: 'client',
    status: 'completed',
    tools,
  };
  const said: InputItem = { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
  // Its tools are functions in the form of this adapter.
  return [output as unknown as InputItem, said];
}

/** A program of the provider gets the results of its calls only when they name it. */
function noteCaller(
  { type, call_id: callId, caller }: WireFields,
  callers: Map<string, ProgramCaller>,
): void {
  if (typeof type !== 'string' || !type.endsWith('_call')) return;
  if (typeof callId !== 'string' || !isRecord(caller)) return;
  // It goes back as it came, whatever it has.
  callers.set(callId, caller as unknown as ProgramCaller);
}

function callIdOf({ call_id: callId }: WireFields): string | undefined {
  return typeof callId === 'string' ? callId : undefined;
}

function fromForeign(item: AssistantItem, ids: ForeignCallIds): readonly InputItem[] {
  return ids.foreignParts<InputItem>(item, {
    text: (text) => (text === '' ? undefined : { type: 'message', role: 'assistant', content: text }),
    call: ({ arguments: given, callId, name }) => ({
      type: 'function_call',
      call_id: callId,
      name,
      arguments: given === '' ? '{}' : given,
    }),
  });
}

/** A failed call is recognizable by its text: the provider has no marker for it. */
export function toToolOutput({
  text,
  attachments = [],
}: Pick<ToolResultItem, 'text' | 'attachments'>): string | InputContent[] {
  if (attachments.length === 0) return text;
  return [{ type: 'input_text', text }, ...attachments.map(toContent)];
}

function toApprovalResponse({ approvalId, approved, reason }: HostedApprovalItem): InputItem {
  return {
    type: 'mcp_approval_response',
    approval_request_id: approvalId,
    approve: approved,
    ...present({ reason }),
  };
}

function toContent(part: InputPart): InputContent {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: toUrl(part), detail: 'auto' };
    case 'file':
      return isWebUrl(part.data)
        ? { type: 'input_file', file_url: part.data }
        : { type: 'input_file', file_data: toUrl(part), filename: part.name ?? 'file' };
  }
}
