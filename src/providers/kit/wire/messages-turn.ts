import { isRecord, present } from '../../../core/internal/index.ts';
import type { FinishReason, TokenUsage } from '../../../core/tool/index.ts';
import { fieldsIn, numberFields } from './fields.ts';

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

/** The tokens of a turn, as the Messages interface counts them; undefined where nothing is counted. */
export function messagesUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  return toTokenUsage({
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    read: usage['cache_read_input_tokens'],
    written: usage['cache_creation_input_tokens'],
    reasoning: fieldsIn(usage['output_tokens_details'])['thinking_tokens'],
  });
}

/** @param counts with tokens read from and written to the cache apart from other input. */
export function toTokenUsage(
  counts: Readonly<Record<'input' | 'output' | 'read' | 'written' | 'reasoning', unknown>>,
): TokenUsage {
  const { input, output, read, reasoning, written } = numberFields(counts);
  return {
    ...present({
      inputTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
      outputTokens: output,
      cachedInputTokens: read,
      cacheWriteInputTokens: written,
      reasoningTokens: reasoning,
    }),
  };
}
