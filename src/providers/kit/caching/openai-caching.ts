import { PromptValidationError } from '../../../core/error/index.ts';
import { digestOf } from '../../../core/filesystem/index.ts';
import { type CachingSupport, type PromptCachingParts, readCaching, wrongOrder } from './prompt-caching.ts';

/** How long OpenAI keeps at least what it has cached. @internal */
export type OpenAILifetime = '30m' | '12h';

/** The lifetimes, the shortest first, which is that of the provider. @internal */
export const openaiLifetimes: readonly OpenAILifetime[] = ['30m', '12h'];

/** What requests say about the cache of OpenAI. @internal */
export interface OpenAICachingPlan {
  /** False: no request is cached. */
  readonly isOn: boolean;
  /** The key under which requests with these instructions are cached; undefined for none. */
  readonly keyOf: (instructions: string) => string | undefined;
  /** Undefined: that of the provider. */
  readonly ttl: OpenAILifetime | undefined;
  /** Lifetime of marks where the conversations of earlier requests ended; undefined: there are no marks. */
  readonly markTtl: OpenAILifetime | undefined;
  /** Whether the provider compares each request with the one before. */
  readonly diagnoses: boolean;
}

/** Models whose requests take no options of the cache: those before gpt-5.6. Names that are not known are up to the server. */
const olderModel =
  /^(ft:)?(gpt-[34](?![0-9])|chatgpt-|o[134](?![0-9])|gpt-5(?![.0-9])|gpt-5\.[0-5](?![0-9])|codex-)/;

/**
 * @param of the adapter, for messages.
 * @param lifetimes those that requests may have; marks need two.
 * @param refused parts that the interface of the model cannot say.
 * @returns undefined when nothing is said about the cache.
 * @throws {PromptValidationError} for what the model does not take.
 * @internal
 */
export function planOpenAICaching(
  of: string,
  model: string,
  caching: boolean | PromptCachingParts | undefined,
  { lifetimes = openaiLifetimes, refused = {} }: Partial<CachingSupport<OpenAILifetime>> = {},
): OpenAICachingPlan | undefined {
  const reason = `${model} takes no options for its cache; models from gpt-5.6 on do`;
  const older = { ttl: reason, conversation: reason, diagnose: reason, off: reason };
  const asked = readCaching(of, caching, {
    lifetimes,
    refused: olderModel.test(model) ? { ...refused, ...older } : refused,
  });
  if (asked === false) {
    return {
      isOn: false,
      keyOf: cacheKeySource(undefined),
      ttl: undefined,
      markTtl: undefined,
      diagnoses: false,
    };
  }
  const { conversation, diagnose = false, key, ttl } = asked;
  if (key === undefined && ttl === undefined && conversation === undefined && !diagnose) return undefined;
  return {
    isOn: true,
    keyOf: cacheKeySource(key),
    ttl,
    markTtl: markTtlOf(of, ttl, conversation),
    diagnoses: diagnose,
  };
}

/** @throws {PromptValidationError} for a conversation that is kept shorter than what the provider keeps of it by itself. */
function markTtlOf(
  of: string,
  ttl: OpenAILifetime = '30m',
  conversation: OpenAILifetime = ttl,
): OpenAILifetime | undefined {
  if (conversation === ttl) return undefined;
  if (conversation === '12h') return conversation;
  throw wrongOrder(
    of,
    "cannot be shorter than ttl: OpenAI keeps the end of the conversation for as long as ttl says. Use { conversation: '12h' } to keep what is before the last turns longer, or ttl alone.",
  );
}

/**
 * Checks options of OpenAI's cache that a caller wrote in the provider's format.
 *
 * @param setting the path of the options, such as `settings.prompt_cache_options`.
 * @throws {PromptValidationError} when they turn the cache, or the answer, off.
 * @internal
 */
export function refuseBareExplicit(
  { mode, prewarm }: Readonly<Record<string, unknown>>,
  setting: string,
): void {
  if (mode === 'explicit') {
    throw new PromptValidationError(
      `${setting}.mode 'explicit' turns the cache off, since requests have no marks then. Use the option promptCaching: false, or promptCaching: { conversation: '12h' } for marks.`,
      { details: { option: `${setting}.mode` } },
    );
  }
  if (prewarm === true) {
    throw new PromptValidationError(
      `${setting}.prewarm asks for no answer, and a run needs one. Remove it.`,
      {
        details: { option: `${setting}.prewarm` },
      },
    );
  }
}

const encoder = new TextEncoder();

/** Makes the cache key of a request: a fixed one, or one that is the same for the same instructions. */
function cacheKeySource(option: string | true | undefined): OpenAICachingPlan['keyOf'] {
  if (option !== true) return () => option;
  let last: { readonly instructions: string; readonly key: string } | undefined;
  return (instructions) => {
    // The turns of a run have the same instructions, which are hashed once.
    if (last?.instructions !== instructions) {
      last = { instructions, key: `weakincentives-${digestOf(encoder.encode(instructions))}` };
    }
    return last.key;
  };
}
