import { isRecord, present } from '../../core/internal/index.ts';
import type { TokenUsage } from '../../core/tool/index.ts';

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Usage of the Messages interface, which counts tokens read from and written to the cache apart from other input. */
export function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  return toUsage({
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    read: usage['cache_read_input_tokens'],
    written: usage['cache_creation_input_tokens'],
  });
}

/** The usage of a whole session, of all its models, from `modelUsage` of a result. */
export function totalUsageOf(modelUsage: unknown): TokenUsage | undefined {
  if (!isRecord(modelUsage)) return undefined;
  const models = Object.values(modelUsage).filter(isRecord);
  if (models.length === 0) return undefined;
  const sum = (name: string): number =>
    models.reduce((total, model) => total + (countOf(model[name]) ?? 0), 0);
  return toUsage({
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    read: sum('cacheReadInputTokens'),
    written: sum('cacheCreationInputTokens'),
  });
}

function toUsage(counts: {
  readonly input: unknown;
  readonly output: unknown;
  readonly read: unknown;
  readonly written: unknown;
}): TokenUsage {
  const [input, output, read, written] = [counts.input, counts.output, counts.read, counts.written].map(
    countOf,
  );
  return {
    ...present({
      inputTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
      outputTokens: output,
      cachedInputTokens: read,
      cacheWriteInputTokens: written,
    }),
  };
}
