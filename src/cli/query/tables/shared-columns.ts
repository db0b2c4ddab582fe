import { type RecordedError, tokenCost } from '../../../core/runtime/index.ts';
import type { TokenUsage } from '../../../core/tool/index.ts';
import type { RecordedRun } from '../../../record/index.ts';
import type { ColumnMakers, TableOptions } from './table.ts';

type Columns<Source> = ReturnType<TableOptions<Source>['columns']>;

/** What a source spent: tokens as the provider counted them, and their cost where prices are known. */
export function usageColumns<Source>(
  { number, real }: ColumnMakers<Source>,
  usageOf: (source: Source) => TokenUsage | undefined,
  runOf: (source: Source) => RecordedRun,
): Columns<Source> {
  return {
    input_tokens: number('tokens of the input, cached ones included', (of) => usageOf(of)?.inputTokens),
    output_tokens: number('tokens of the output, reasoning included', (of) => usageOf(of)?.outputTokens),
    cached_input_tokens: number(
      'part of the input from the cache of the provider',
      (of) => usageOf(of)?.cachedInputTokens,
    ),
    cache_write_input_tokens: number(
      'part of the input that went to the cache',
      (of) => usageOf(of)?.cacheWriteInputTokens,
    ),
    reasoning_tokens: number(
      'part of the output that the model thought with',
      (of) => usageOf(of)?.reasoningTokens,
    ),
    cost: real('in the currency of the prices; NULL where they are not known', (of) => {
      const usage = usageOf(of);
      const { prices } = runOf(of);
      return usage === undefined || prices === undefined ? undefined : tokenCost(usage, prices);
    }),
  };
}

/** An error in three columns. */
export function errorColumns<Source>(
  { text }: ColumnMakers<Source>,
  errorOf: (source: Source) => RecordedError | undefined,
): Columns<Source> {
  return {
    error: text('message of the error', (of) => errorOf(of)?.message),
    error_name: text('name of the error', (of) => errorOf(of)?.name),
    error_code: text('its stable code, where it has one', (of) => errorOf(of)?.code),
  };
}

/** `to - from`, where both are known. */
export function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : to - from;
}
