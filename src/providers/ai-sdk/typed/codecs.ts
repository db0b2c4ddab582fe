import { present, readJson } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import {
  type AnthropicToolTypes,
  aiSdk6AnthropicTypes,
  aiSdk7AnthropicTypes,
  aiSdkOpenaiTypes,
  anthropicToolCodecs,
  assertRunsHere,
  fieldsIn,
  type ProviderToolCodec,
  type ProviderToolCodecTable,
  patchCalls,
  patchResult,
  shellCalls,
  shellOutputs,
  toolSearchKind,
  type WireFields,
} from '../../kit/index.ts';
import { providerTool } from '../hosted/provider-tool.ts';
import type { AiSdkVersion } from '../wire/call-options.ts';

/** The arguments of a call of the tool of this name; undefined for any other part. */
function inputOf({ input, toolName, type }: WireFields, name: string): JsonObject | undefined {
  if (type !== 'tool-call' || toolName !== name) return undefined;
  const read = typeof input === 'string' ? readJson(input) : input;
  return isSchemaObject(read) ? read : {};
}

const shellName = aiSdkOpenaiTypes['openai.shell'][0].name;

const shell: ProviderToolCodec = {
  kind: 'openai.shell',
  declare: () => ({
    tools: [providerTool(aiSdkOpenaiTypes['openai.shell'][0], { environment: { type: 'local' } })],
  }),
  // Forced, the package would ask for a function of this name, which there is not.
  choose: (_tool, purpose) => (purpose === 'allow' ? { type: 'tool', toolName: shellName } : undefined),
  readCalls: (part, context) => {
    const input = inputOf(part, shellName);
    if (input === undefined) return undefined;
    const { commands, timeoutMs } = fieldsIn(input['action']);
    return shellCalls({ commands, timeoutMs }, context);
  },
  writeResult: (part, results) => {
    const input = inputOf(part, shellName);
    if (input === undefined) return undefined;
    const { maxOutputLength: limit } = fieldsIn(input['action']);
    const output = shellOutputs(results, limit).map(({ exitCode, stderr, stdout }) => ({
      stdout,
      stderr,
      outcome: exitCode === undefined ? { type: 'timeout' } : { type: 'exit', exitCode },
    }));
    const maxOutputLength = typeof limit === 'number' ? limit : undefined;
    return { type: 'json', value: { ...present({ maxOutputLength }), output } };
  },
};

/** The package answers a patch in its shape only under this name. */
const patchName = aiSdkOpenaiTypes['openai.apply_patch'][0].name;

const applyPatch: ProviderToolCodec = {
  kind: 'openai.apply_patch',
  declare: () => ({ tools: [providerTool(aiSdkOpenaiTypes['openai.apply_patch'][0])] }),
  choose: () => ({ type: 'tool', toolName: patchName }),
  readCalls: (part, context) => {
    const input = inputOf(part, patchName);
    return input === undefined ? undefined : patchCalls(input['operation'], context);
  },
  writeResult: (part, results) =>
    inputOf(part, patchName) === undefined ? undefined : { type: 'json', value: patchResult(results) },
};

const searchName = aiSdkOpenaiTypes['openai.tool_search'][0].name;

/** The search that runs here, in the place of the tool that opens sections. What it finds is written with the conversation, which knows the tools. */
export const toolSearchCodec: ProviderToolCodec = {
  kind: toolSearchKind,
  declare: ({ config: { description, parameters } }) => ({
    tools: [
      providerTool(aiSdkOpenaiTypes['openai.tool_search'][0], {
        ...present({ execution: 'client', description, parameters }),
      }),
    ],
  }),
  readCalls: (part, { tool: { uses } }) => {
    const input = part['providerExecuted'] === true ? undefined : inputOf(part, searchName);
    if (input === undefined) return undefined;
    const [name = ''] = uses;
    return [{ name, arguments: fieldsIn(input['arguments']) as JsonObject }];
  },
};

/** Whether a part of an answer is such a search. */
export function isToolSearch({ toolName, type }: WireFields): boolean {
  return type === 'tool-call' && toolName === searchName;
}

/** The name of a call that another provider made: under the name of the patch, the package takes every call for one in its shape. */
export function foreignName(name: string, tools: readonly JsonObject[]): string {
  const hasPatch = tools.some(({ id }) => id === aiSdkOpenaiTypes['openai.apply_patch'][0].type);
  return hasPatch && name === patchName ? `${name}_call` : name;
}

/** The tools of Anthropic: their names are fixed, and their results are those of any tool. */
function anthropicCodecsOf(types: AnthropicToolTypes): ProviderToolCodecTable {
  return anthropicToolCodecs(types, {
    entry: ({ name, type }) => providerTool({ name, type }),
    choice: (name) => ({ type: 'tool', toolName: name }),
    inputOf,
  });
}

const openaiCodecs: ProviderToolCodecTable = { 'openai.shell': shell, 'openai.apply_patch': applyPatch };
const anthropicCodecs = anthropicCodecsOf(aiSdk7AnthropicTypes);
const anthropicCodecsV3 = anthropicCodecsOf(aiSdk6AnthropicTypes);

/** The built-in codecs of each provider package, as `aiSdkHostedToolCodecs` has those of hosted tools. */
export const aiSdkProviderToolCodecs: Readonly<Record<'openai' | 'anthropic', ProviderToolCodecTable>> =
  Object.freeze({ openai: openaiCodecs, anthropic: anthropicCodecs });

/** The codecs for a model, by the name of its provider; none for an unknown name. Packages leave out tools that they do not know, some of them silently. */
export function providerToolCodecsOf(provider: string, version: AiSdkVersion): ProviderToolCodecTable {
  if (provider === 'openai.responses') return openaiCodecs;
  if (provider !== 'anthropic.messages') return {};
  return version === 'v4' ? anthropicCodecs : anthropicCodecsV3;
}

/** The items of OpenAI's answers that ask for what a tool of the package gives. */
const itemTypes: ReadonlyMap<unknown, string> = new Map([
  [aiSdkOpenaiTypes['openai.shell'][0].type, 'shell_call'],
  [aiSdkOpenaiTypes['openai.apply_patch'][0].type, 'apply_patch_call'],
  [aiSdkOpenaiTypes['openai.tool_search'][0].type, 'tool_search_call'],
]);

/**
 * Whether an item of the provider asks for one of these tools. Parts of packages do not say where commands are to run.
 *
 * @throws {ModelResponseError} for commands that are to run elsewhere.
 */
export function asksFor(tools: readonly JsonObject[], item: WireFields): boolean {
  const isAsked = tools.some(({ id }) => itemTypes.get(id) === item['type']);
  if (isAsked) assertRunsHere(item);
  return isAsked;
}
