import { isRecord, present } from '../../../core/internal/index.ts';
import { addTokenUsage } from '../../../core/runtime/index.ts';
import type { FinishReason, TokenUsage } from '../../../core/tool/index.ts';
import { countAboveZero, countFields, fieldsIn, objectsIn, type WireFields } from './fields.ts';

/**
 * Why a turn ended, as the Messages interface of Anthropic says it, which other programs pass on.
 *
 * @param hasCalls whether the turn has calls of the run, where the provider does not say why it ended.
 */
export function messagesFinishReason(reason: unknown, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool-calls';
    case 'max_tokens':
      return 'length';
    case 'pause_turn':
    case 'compaction':
      return 'paused';
    case 'refusal':
      return 'refusal';
    case 'model_context_window_exceeded':
      return 'context-window';
    case undefined:
    case null:
      return hasCalls ? 'tool-calls' : 'stop';
    default:
      return 'other';
  }
}

/**
 * The tokens of a turn, as the Messages interface counts them; undefined where nothing is counted. What the provider took to summarize the
 * conversation is not in its totals. What another model took, such as an advisor, is in neither: it has another price.
 */
export function messagesUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const total = countsIn(usage);
  return objectsIn(usage['iterations'])
    .filter(({ type }) => type === 'compaction')
    .map(countsIn)
    .reduce(addTokenUsage, total);
}

function countsIn(usage: WireFields): TokenUsage {
  return toTokenUsage({
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    read: usage['cache_read_input_tokens'],
    written: usage['cache_creation_input_tokens'],
    writtenLong: longMessageWrites(usage),
    reasoning: fieldsIn(usage['output_tokens_details'])['thinking_tokens'],
  });
}

/** What was written to be kept for an hour; undefined for nothing. */
export function longMessageWrites(usage: WireFields): number | undefined {
  return countAboveZero(fieldsIn(usage['cache_creation'])['ephemeral_1h_input_tokens']);
}

/**
 * Whether the provider shortened the conversation in a turn, so that the next one may take less: it summarized it, which a block says, or
 * cleared parts of it.
 */
export function isCompactedMessage({ content, context_management: management }: WireFields): boolean {
  const isSummary = ({ type, content: summary }: WireFields): boolean =>
    type === 'compaction' && typeof summary === 'string' && summary !== '';
  return objectsIn(content).some(isSummary) || objectsIn(fieldsIn(management)['applied_edits']).length > 0;
}

/** @param counts with tokens read from and written to the cache apart from other input. */
export function toTokenUsage(
  counts: Readonly<Record<'input' | 'output' | 'read' | 'written' | 'writtenLong' | 'reasoning', unknown>>,
): TokenUsage {
  const { input, output, read, reasoning, written, writtenLong } = countFields(counts);
  return {
    ...present({
      inputTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
      outputTokens: output,
      cachedInputTokens: read,
      cacheWriteInputTokens: written,
      longCacheWriteInputTokens: writtenLong,
      reasoningTokens: reasoning,
    }),
  };
}
