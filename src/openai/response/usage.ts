import { isRecord } from '../../internal/index.ts';
import type { TokenUsage } from '../../tool/index.ts';

/** What a response says that it cost; undefined when it does not say. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  const { cached_tokens: cached, cache_write_tokens: written } = isRecord(input) ? input : {};
  const { reasoning_tokens: reasoning } = isRecord(output) ? output : {};
  return onlyCounts({
    inputTokens: usage['input_tokens'],
    outputTokens: usage['output_tokens'],
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    reasoningTokens: reasoning,
  });
}

function onlyCounts(counts: Readonly<Record<keyof TokenUsage, unknown>>): TokenUsage {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => typeof count === 'number'));
}
