import { isRecord } from '../../internal/index.ts';
import type { TokenUsage } from '../../tool/index.ts';
import type { ModelTurn } from './model.ts';

/**
 * What a provider reports of a turn. A 0 for what there was reports nothing, so it counts as missing: every request has a text, and an answer
 * with a text took tokens. Servers that do not count send such zeros.
 *
 * @param turn which was answered; undefined where that is not known.
 * @returns undefined when nothing is reported.
 *
 * @see docs/spec/evaluation.md §5
 */
export function reportedUsage(
  usage: TokenUsage | undefined,
  turn: ModelTurn | undefined,
): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0 } = usage;
  if (inputTokens > 0 && outputTokens > 0) return usage;
  const {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens,
    cacheWriteInputTokens,
    longCacheWriteInputTokens,
    reasoningTokens,
  } = usage;
  const hasOutput = output !== undefined && (output > 0 || (inputTokens > 0 && !saysSomething(turn)));
  const counts = Object.entries({
    inputTokens: inputTokens > 0 ? input : undefined,
    outputTokens: hasOutput ? output : undefined,
    cachedInputTokens: inputTokens > 0 ? cachedInputTokens : undefined,
    cacheWriteInputTokens: inputTokens > 0 ? cacheWriteInputTokens : undefined,
    longCacheWriteInputTokens: inputTokens > 0 ? longCacheWriteInputTokens : undefined,
    reasoningTokens: hasOutput ? reasoningTokens : undefined,
  }).filter(([, count]) => count !== undefined);
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** Whether the answer has a text. Providers are third-party code: the content may be anything. */
function saysSomething(turn: ModelTurn | undefined): boolean {
  const content: unknown = turn?.content;
  return (
    Array.isArray(content) &&
    content.some((part) => isRecord(part) && typeof part['text'] === 'string' && part['text'] !== '')
  );
}
