/**
 * Which names attributes and metrics have: `1.45` are those of the semantic conventions for generative AI in version 1.45, the last one that is published;
 * `main` those of their main branch as of November 2026; `ai-sdk-7` what `@ai-sdk/otel` 1.0 emits, for dashboards made for it.
 *
 * @see docs/spec/telemetry.md §8
 */
export type OtelSemconv = '1.45' | 'main' | 'ai-sdk-7';

/** How tokens are counted in metrics. */
export type TokenMetrics =
  /** A counter for each kind of token, and a histogram for what one request takes. */
  | {
      readonly kind: 'counters';
      readonly input: string;
      readonly output: string;
      readonly cacheRead: string;
      readonly cacheWrite: string;
      readonly reasoning: string;
      readonly modality: string;
      readonly perInput: string;
      readonly perOutput: string;
    }
  /** One histogram, by type of token. */
  | { readonly kind: 'histogram'; readonly usage: string; readonly type: string };

/** The names of one version of the conventions. */
export interface SemconvNames {
  readonly attributes: AttributeNames;
  /** `gen_ai.operation.name` of a step; undefined: a step has none, because the conventions know no such operation. */
  readonly stepOperation: string | undefined;
  readonly inferenceDuration: string;
  readonly tokens: TokenMetrics;
  readonly toolDuration: string;
  readonly agentDuration: string;
  readonly agentInferenceCalls: string;
  readonly agentToolCalls: string;
}

const mainAttributes = {
  operation: 'gen_ai.operation.name',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  promptName: 'gen_ai.prompt.name',
  promptVersion: 'gen_ai.prompt.version',
  provider: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  compacted: 'gen_ai.conversation.compacted',
  outputType: 'gen_ai.output.type',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  stopSequences: 'gen_ai.request.stop_sequences',
  seed: 'gen_ai.request.seed',
  stream: 'gen_ai.request.stream',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolDescription: 'gen_ai.tool.description',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  toolDefinitions: 'gen_ai.tool.definitions',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  errorType: 'error.type',
};

/** Names of attributes. */
export type AttributeNames = Readonly<Record<keyof typeof mainAttributes, string>>;

const main: SemconvNames = {
  attributes: mainAttributes,
  stepOperation: undefined,
  inferenceDuration: 'gen_ai.client.inference.duration',
  tokens: {
    kind: 'counters',
    input: 'gen_ai.client.inference.usage.input_tokens',
    output: 'gen_ai.client.inference.usage.output_tokens',
    cacheRead: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.client.inference.usage.cache_write.input_tokens',
    reasoning: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    modality: 'gen_ai.token.modality',
    perInput: 'gen_ai.client.inference.operation.input_tokens',
    perOutput: 'gen_ai.client.inference.operation.output_tokens',
  },
  toolDuration: 'gen_ai.execute_tool.duration',
  agentDuration: 'gen_ai.invoke_agent.duration',
  agentInferenceCalls: 'gen_ai.invoke_agent.inference_calls',
  agentToolCalls: 'gen_ai.invoke_agent.tool_calls',
};

const tokenUsage: TokenMetrics = {
  kind: 'histogram',
  usage: 'gen_ai.client.token.usage',
  type: 'gen_ai.token.type',
};

/** What the published conventions do not have is named after the command. */
const published: SemconvNames = {
  attributes: {
    ...mainAttributes,
    promptVersion: 'wink.prompt.version',
    compacted: 'wink.conversation.compacted',
    reasoningLevel: 'wink.request.reasoning.level',
    cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  },
  stepOperation: undefined,
  inferenceDuration: 'gen_ai.client.operation.duration',
  tokens: tokenUsage,
  toolDuration: 'wink.tool.duration',
  agentDuration: 'wink.run.duration',
  agentInferenceCalls: 'wink.run.inference_calls',
  agentToolCalls: 'wink.run.tool_calls',
};

/** The names of each version. */
export const semconvNames: Readonly<Record<OtelSemconv, SemconvNames>> = {
  '1.45': published,
  main,
  'ai-sdk-7': {
    ...main,
    stepOperation: 'agent_step',
    attributes: {
      ...mainAttributes,
      cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
      timeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
    },
    tokens: tokenUsage,
  },
};
