import { PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ModelRequest } from '../../../core/runtime/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ConversationItem } from '../../../core/tool/index.ts';
import { lastResponseId, type OpenAICachingPlan, refuseBareExplicit } from '../../kit/index.ts';
import type { CacheBreakpoint, OpenAIRequest } from '../wire/wire.ts';

/** The members of a request for its cache. */
export function cacheMembers(
  { diagnoses, isOn, keyOf, ttl }: OpenAICachingPlan,
  { conversation, instructions }: Pick<ModelRequest, 'conversation' | 'instructions'>,
  provider: string,
): Pick<OpenAIRequest, 'prompt_cache_key' | 'prompt_cache_options'> {
  const options = present({
    mode: isOn ? undefined : ('explicit' as const),
    ttl,
    comparison_response_id: diagnoses ? lastResponseId(conversation, provider) : undefined,
  });
  return present({
    prompt_cache_key: keyOf(instructions),
    prompt_cache_options: Object.keys(options).length === 0 ? undefined : options,
  });
}

/** The mark where earlier requests ended; undefined for none. */
export function cacheMark(caching: OpenAICachingPlan | undefined): CacheBreakpoint | undefined {
  return caching?.markTtl === undefined ? undefined : { mode: 'explicit', ttl: caching.markTtl };
}

/** How many ends of earlier requests are marked: that of the last one is new, and the cache has that of the one before. */
const markedEnds = 2;

/**
 * The items of a conversation after which earlier requests ended; -1 for before the first one. A request that ended with an answer, which goes back as it came, is not
 * among them.
 */
export function endsOfRequests(conversation: readonly ConversationItem[]): ReadonlySet<number> {
  const ends = new Set<number>();
  let answers = 0;
  for (let index = conversation.length - 1; index >= 0 && answers < markedEnds; index -= 1) {
    if (conversation[index]?.type !== 'assistant') continue;
    answers += 1;
    let end = index - 1;
    while (conversation[end]?.type === 'approval') end -= 1;
    if (conversation[end]?.type !== 'assistant') ends.add(end);
  }
  return ends;
}

const cacheSettings = ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'] as const;

/**
 * Checks what settings say about the cache.
 *
 * @param caching what the option says, if anything.
 * @throws {PromptValidationError} for settings that would turn the cache or the answer off, and for settings beside the option.
 */
export function checkCacheSettings(settings: JsonObject, caching: OpenAICachingPlan | undefined): void {
  const { prompt_cache_options: options } = settings;
  if (isSchemaObject(options)) refuseBareExplicit(options, 'settings.prompt_cache_options');
  if (caching === undefined) return;
  for (const name of cacheSettings) {
    if (settings[name] === undefined) continue;
    throw new PromptValidationError(
      `The OpenAI adapter has the option promptCaching and the setting ${name}. Keep one.`,
      { details: { option: `settings.${name}` } },
    );
  }
}
