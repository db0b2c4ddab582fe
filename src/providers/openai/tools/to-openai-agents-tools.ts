import { assertMembers, assertOptions } from '../../../core/error/index.ts';
import type { ToolRuntime, ToolRuntimeOutput } from '../../../core/evaluation/index.ts';
import type { JsonSchema } from '../../../core/schema/index.ts';
import { type Logger, type MediaPart, silentLogger } from '../../../core/tool/index.ts';
import {
  isWebUrl,
  offerTools,
  type ProjectedTool,
  type RuntimeCall,
  ToolSchemas,
  toUrl,
} from '../../kit/index.ts';
import { toFunctionTool } from '../request/request.ts';
import { openaiDialect } from '../wire/openai-dialect.ts';

/** The result of a runtime's tool for OpenAI Agents: its text, or the text followed by files. */
export type OpenAIAgentsOutput =
  | string
  | (
      | { type: 'text'; text: string }
      | { type: 'image'; image: string }
      | { type: 'file'; file: { url: string } | { data: string; mediaType: string; filename: string } }
    )[];

/** JSON Schema of the arguments, in the type of OpenAI Agents. */
export interface OpenAIAgentsParameters {
  type: 'object';
  properties: { [name: string]: JsonSchema };
  required: string[];
  additionalProperties: boolean;
}

/** A tool of a runtime in the format of OpenAI Agents. */
export interface OpenAIAgentsTool {
  type: 'function';
  name: string;
  description: string;
  parameters: OpenAIAgentsParameters;
  strict: boolean;
  /** Runs the call in a turn of the runtime. A failed call resolves to its text. Rejects with the error that ended the run. */
  invoke: (
    runContext: unknown,
    input: string,
    details?: {
      readonly toolCall?: { readonly callId: string; readonly status?: unknown };
      readonly signal?: AbortSignal;
    },
  ) => Promise<OpenAIAgentsOutput>;
  /** Never: policies of the prompt request approval. */
  needsApproval: () => Promise<boolean>;
  /** Always: the runtime decides which tools are offered. */
  isEnabled: () => Promise<boolean>;
}

/**
 * The tools of a runtime for the `tools` of an `Agent` of the package `@openai/agents`, in OpenAI's strict subset of JSON Schema where they can be. The calls
 * that one answer makes become one turn, with its transactions, policies and order. A failed call returns text to the model, as is usual in that package.
 *
 * The list grows when sections are opened, and an agent that uses the list itself offers the new tools from its next turn on; a copy, such as of
 * `agent.clone()`, does not change. Pass the `signal` of the runtime to `run()`; otherwise ending the run does not stop the loop.
 *
 * @param options `logger` reports, once for each tool, the constraints of its schema that the provider does not enforce. Default: silent.
 */
export function toOpenAIAgentsTools(
  runtime: Pick<ToolRuntime, 'tools' | 'call'>,
  options: { readonly logger?: Logger } = {},
): OpenAIAgentsTool[] {
  assertMembers('toOpenAIAgentsTools(): runtime', runtime, { tools: 'array!', call: 'function!' });
  assertOptions('toOpenAIAgentsTools()', options, { logger: 'object' });
  const { logger = silentLogger } = options;
  const list: OpenAIAgentsTool[] = [];
  const projections = new ToolSchemas(openaiDialect);
  let calls = 0;
  const nextId = (): string => `call-${(calls += 1)}`;
  offerTools(runtime, (offered, call) => {
    const { tools } = projections.project({ tools: offered }, logger);
    for (const tool of tools.slice(list.length)) list.push(toAgentsTool(tool, call, nextId));
  });
  return list;
}

function toAgentsTool(projected: ProjectedTool, call: RuntimeCall, nextId: () => string): OpenAIAgentsTool {
  const { type, name, description, parameters, strict } = toFunctionTool(projected);
  return {
    type,
    name,
    description,
    strict,
    // The schema of a tool is that of an object; the package passes it on unchanged.
    parameters: parameters as unknown as OpenAIAgentsParameters,
    invoke: async (_runContext, input, { signal, toolCall } = {}) => {
      const asked = {
        callId: toolCall?.callId ?? nextId(),
        name,
        arguments: projected.schema.unwrap(input),
        isComplete: toolCall?.status !== 'incomplete',
      };
      return toOutput(await call(asked, signal));
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  };
}

function toOutput({ text, attachments = [] }: ToolRuntimeOutput): OpenAIAgentsOutput {
  if (attachments.length === 0) return text;
  return [{ type: 'text', text }, ...attachments.map(toMedia)];
}

function toMedia(part: MediaPart): Exclude<OpenAIAgentsOutput, string>[number] {
  if (part.type === 'image') return { type: 'image', image: toUrl(part) };
  const { data, mediaType, name = 'file' } = part;
  return {
    type: 'file',
    file: isWebUrl(data) ? { url: data } : { data: toUrl(part), mediaType, filename: name },
  };
}
