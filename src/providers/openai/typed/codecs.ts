import { present } from '../../../core/internal/index.ts';
import { isSchemaObject } from '../../../core/schema/index.ts';
import {
  assertRunsHere,
  fieldsIn,
  openaiTypes,
  type ProviderToolCodec,
  patchCalls,
  patchResult,
  shellCalls,
  shellOutputs,
  toolSearchKind,
} from '../../kit/index.ts';

const shellType = openaiTypes['openai.shell'][0].type;
const patchType = openaiTypes['openai.apply_patch'][0].type;
const searchType = openaiTypes['openai.tool_search'][0].type;

/** `shell`: several commands, each of which is a call of its own. */
const shell: ProviderToolCodec = {
  kind: 'openai.shell',
  // Without an environment the provider does not say where the commands run.
  declare: () => ({ tools: [{ type: shellType, environment: { type: 'local' } }] }),
  choose: () => ({ type: shellType }),
  readCalls: (item, context) => {
    const { action, type } = item;
    if (type !== 'shell_call') return undefined;
    assertRunsHere(item);
    const { commands, timeout_ms: timeoutMs } = fieldsIn(action);
    return shellCalls({ commands, timeoutMs }, context);
  },
  writeResult: ({ action, type }, results) => {
    if (type !== 'shell_call') return undefined;
    const { max_output_length: limit } = fieldsIn(action);
    return {
      type: 'shell_call_output',
      ...present({ max_output_length: typeof limit === 'number' ? limit : undefined }),
      output: shellOutputs(results, limit).map(({ exitCode, stderr, stdout }) => ({
        stdout,
        stderr,
        outcome: exitCode === undefined ? { type: 'timeout' } : { type: 'exit', exit_code: exitCode },
      })),
    };
  },
};

/** `apply_patch`: one file a call. */
const applyPatch: ProviderToolCodec = {
  kind: 'openai.apply_patch',
  declare: () => ({ tools: [{ type: patchType }] }),
  choose: () => ({ type: patchType }),
  readCalls: ({ operation, type }, context) =>
    type === 'apply_patch_call' ? patchCalls(operation, context) : undefined,
  writeResult: ({ type }, results) =>
    type === 'apply_patch_call' ? { type: 'apply_patch_call_output', ...patchResult(results) } : undefined,
};

/** The search that runs here, in the place of the tool that opens sections. What it finds is written with the conversation, which knows the tools. */
export const toolSearchCodec: ProviderToolCodec = {
  kind: toolSearchKind,
  declare: ({ config: { description, parameters } }) => ({
    tools: [{ ...present({ type: searchType, execution: 'client', description, parameters }) }],
  }),
  readCalls: ({ arguments: given, execution, type }, { tool: { uses } }) => {
    if (type !== 'tool_search_call' || execution === 'server') return undefined;
    const [name = ''] = uses;
    return [{ name, arguments: isSchemaObject(given) ? given : {} }];
  },
};

/** The codecs of `openai()`, to build your own on. */
export const openaiProviderToolCodecs: Readonly<
  Record<'openai.shell' | 'openai.apply_patch', ProviderToolCodec>
> = Object.freeze({ 'openai.shell': shell, 'openai.apply_patch': applyPatch });
