import { type RecordedError, tokenCost } from '../../../core/runtime/index.ts';
import type { TokenPrices, TokenUsage } from '../../../core/tool/index.ts';
import { type Columns, columnsOf } from './table.ts';

/** What something spent, and at which prices. */
interface Spending {
  readonly usage?: TokenUsage | undefined;
  readonly prices?: TokenPrices | undefined;
}

/** What a source spent: tokens as the provider counted them, and their cost where prices are known. */
export const usageColumns: Columns<Spending> = columnsOf(({ number, real }) => ({
  input_tokens: number('tokens of the input, cached ones included', 'usage.inputTokens'),
  output_tokens: number('tokens of the output, reasoning included', 'usage.outputTokens'),
  cached_input_tokens: number('part of the input from the cache of the provider', 'usage.cachedInputTokens'),
  cache_write_input_tokens: number('part of the input that went to the cache', 'usage.cacheWriteInputTokens'),
  reasoning_tokens: number('part of the output that the model thought with', 'usage.reasoningTokens'),
  cost: real('in the currency of the prices; NULL where they are not known', ({ usage, prices }) =>
    usage === undefined || prices === undefined ? undefined : tokenCost(usage, prices),
  ),
}));

/** An error in three columns. */
export const errorColumns: Columns<RecordedError | undefined> = columnsOf(({ text }) => ({
  error: text('message of the error', 'message'),
  error_name: text('name of the error', 'name'),
  error_code: text('its stable code, where it has one', 'code'),
}));
