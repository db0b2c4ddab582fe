import { present } from '../../../core/internal/index.ts';
import type { ClaudeLifetime, PromptCachingParts } from '../../kit/index.ts';
import type {
  AiSdkFunctionTool,
  AiSdkProviderTool,
  AiSdkVersion,
  PromptMessage,
  ProviderOptions,
} from '../wire/call-options.ts';

/** What puts a breakpoint after a part. */
export interface CacheMarks {
  /** After tools and instructions. */
  readonly prefix: ProviderOptions;
  /** In the conversation. */
  readonly conversation: ProviderOptions;
}

/** The parts of a request that a provider can cache. */
export interface Prefixes<Version extends AiSdkVersion> {
  readonly prompt: PromptMessage<Version>[];
  readonly tools: readonly (AiSdkProviderTool | AiSdkFunctionTool)[];
}

/** A model, by what its package says of it. */
export interface ModelAtProvider {
  readonly provider: string;
  readonly modelId: string;
}

/** Whether a model is Claude, of any provider. */
export function isClaude({ provider, modelId }: ModelAtProvider): boolean {
  return /anthropic|claude/i.test(`${provider} ${modelId}`);
}

/** The breakpoints of a model that is Claude. */
export function cacheMarksOf(
  { provider }: ModelAtProvider,
  { ttl, conversation = ttl }: PromptCachingParts<ClaudeLifetime>,
): CacheMarks {
  return { prefix: cacheMark(provider, ttl), conversation: cacheMark(provider, conversation) };
}

function cacheMark(provider: string, ttl: ClaudeLifetime | undefined): ProviderOptions {
  const kept = ttl === undefined ? {} : { ttl };
  const cacheControl = { type: 'ephemeral', ...kept };
  return {
    anthropic: { cacheControl },
    // Each package reads the options under its own name and ignores the others.
    ...present({
      bedrock: /bedrock/i.test(provider) ? { cachePoint: { type: 'default', ...kept } } : undefined,
      openrouter: /openrouter/i.test(provider) ? { cacheControl } : undefined,
    }),
  };
}

/**
 * The request with cache breakpoints, at most four: after the tools, after the instructions, after the conversation, and at
 * the end of the previous request's conversation. Marked objects are copies.
 */
export function markPrefixes<Version extends AiSdkVersion>(
  { prompt, tools }: Prefixes<Version>,
  { prefix, conversation }: CacheMarks,
): Prefixes<Version> {
  const lastAnswer = prompt.findLastIndex(({ role }) => role === 'assistant');
  const ends = new Set([lastAnswer - 1, prompt.length - 1]);
  // A tool that comes later cannot have a breakpoint.
  const lastTool = tools.findLastIndex(
    (tool) => tool.type !== 'function' || tool.providerOptions?.['anthropic']?.['deferLoading'] !== true,
  );
  return {
    prompt: prompt.map((message, index) =>
      (message.role === 'system' || ends.has(index)) && isMarkable(message)
        ? { ...message, providerOptions: message.role === 'system' ? prefix : conversation }
        : message,
    ),
    tools: tools.map((tool, index) =>
      index === lastTool && tool.type === 'function' ? { ...tool, providerOptions: prefix } : tool,
    ),
  };
}

/** The breakpoint of a message is that of its last part; reasoning cannot have one, and a summary goes back as it came. */
function isMarkable<Version extends AiSdkVersion>({ role, content }: PromptMessage<Version>): boolean {
  const last = role === 'assistant' ? content.at(-1) : undefined;
  return last?.type !== 'reasoning' && last?.providerOptions?.['anthropic']?.['type'] !== 'compaction';
}
