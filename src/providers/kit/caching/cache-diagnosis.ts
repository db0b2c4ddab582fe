import type { ModelTurn } from '../../../core/runtime/index.ts';
import type { ConversationItem } from '../../../core/tool/index.ts';
import { countAboveZero, countFields, fieldsIn, stringFields, type WireFields } from '../wire/fields.ts';

/**
 * The id of the last answer of a conversation that was made under the name `provider`; undefined without one, and when it was not kept.
 *
 * @internal
 */
export function lastResponseId(
  conversation: readonly ConversationItem[],
  provider: string,
): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.type === 'assistant' && item.raw?.provider === provider) return item.raw.responseId;
  }
  return undefined;
}

/**
 * What OpenAI says about its cache (`prompt_cache_diagnostics`); undefined when it compared nothing.
 *
 * @internal
 */
export function readCacheDiagnosis(diagnosis: unknown): ModelTurn['cache'] | undefined {
  const { type, reason, cache_missed_tokens: missed } = fieldsIn(diagnosis);
  if (type === 'cache_hit') return { hit: true };
  return type === 'cache_miss'
    ? { hit: false, ...countFields({ missed }), ...stringFields({ reason }) }
    : undefined;
}

/**
 * What Anthropic says about its cache (`diagnostics` of a message); undefined when it compared nothing, or not yet.
 *
 * @param hasCompared whether a message before was named: no difference is a hit then.
 * @internal
 */
export function readMessageDiagnosis(
  diagnostics: unknown,
  hasCompared: boolean,
): ModelTurn['cache'] | undefined {
  if (diagnostics === null && hasCompared) return { hit: true };
  const { type, cache_missed_input_tokens: missed } = fieldsIn(fieldsIn(diagnostics)['cache_miss_reason']);
  return typeof type === 'string' && type.endsWith('_changed')
    ? { hit: false, ...countFields({ missed }), reason: type }
    : undefined;
}

/**
 * What a response of OpenAI says was written to be kept for 12 hours; undefined for nothing.
 *
 * @internal
 */
export function longResponseWrites(usage: WireFields): number | undefined {
  const { cache_write_tokens_details: details } = fieldsIn(usage['input_tokens_details']);
  return countAboveZero(fieldsIn(details)['ttl_12h_tokens']);
}
