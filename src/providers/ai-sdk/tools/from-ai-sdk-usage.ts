import type { TokenUsage } from '../../../core/runtime/index.ts';
import { countFields } from '../../kit/index.ts';

type Count = number | undefined;

/** Token usage in the form of the results of `generateText` and `streamText`. */
export interface AiSdkUsage {
  readonly inputTokens: Count;
  readonly outputTokens: Count;
  readonly inputTokenDetails?: { readonly cacheReadTokens: Count; readonly cacheWriteTokens: Count };
  readonly outputTokenDetails?: { readonly reasoningTokens: Count };
}

/** Converts the usage of an AI SDK step, including cached tokens, for `runtime.countUsage`. */
export function fromAiSdkUsage(usage: AiSdkUsage): TokenUsage {
  const { inputTokens, outputTokens, inputTokenDetails: input, outputTokenDetails: output } = usage;
  return countFields({
    inputTokens,
    outputTokens,
    cachedInputTokens: input?.cacheReadTokens,
    cacheWriteInputTokens: input?.cacheWriteTokens,
    reasoningTokens: output?.reasoningTokens,
  });
}
