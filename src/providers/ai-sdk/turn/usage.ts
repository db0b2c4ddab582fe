import { isRecord } from '../../../core/internal/index.ts';
import type { TokenUsage } from '../../../core/runtime/index.ts';

/** The tokens of an answer; the input includes tokens read from and written to a cache. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  const counts = {
    ...count('inputTokens', input, 'total'),
    ...count('outputTokens', output, 'total'),
    ...count('cachedInputTokens', input, 'cacheRead'),
    ...count('cacheWriteInputTokens', input, 'cacheWrite'),
    ...count('reasoningTokens', output, 'reasoning'),
  };
  return Object.keys(counts).length === 0 ? undefined : counts;
}

function count(name: keyof TokenUsage, counts: unknown, key: string): TokenUsage {
  const value = isRecord(counts) ? counts[key] : undefined;
  return typeof value === 'number' ? { [name]: value } : {};
}
