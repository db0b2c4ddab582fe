import {
  assertOptions,
  type OptionChecks,
  oneOf,
  PromptValidationError,
  rule,
} from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';

/** What may be said about the cache of a provider; an adapter takes the parts that its provider has. @internal */
export interface PromptCachingParts<Lifetime extends string = string> {
  readonly key?: string | true;
  readonly ttl?: Lifetime;
  readonly conversation?: Lifetime;
  readonly diagnose?: boolean;
}

/** What a model takes about its cache. @internal */
export interface CachingSupport<Lifetime extends string> {
  /** Lifetimes, the shortest first. */
  readonly lifetimes: readonly Lifetime[];
  /** Parts that cannot be said, and `off` for false, each with the reason as a clause. */
  readonly refused: Readonly<Partial<Record<keyof PromptCachingParts | 'off', string>>>;
}

const parts = ['key', 'ttl', 'conversation', 'diagnose'] as const;

/**
 * Checks the option `promptCaching`.
 *
 * @param of the adapter, such as `openai()`.
 * @returns false when the cache is off, otherwise what is asked of it; nothing for true.
 * @throws {PromptValidationError} for what is not an option, and for a part that the model does not take.
 * @internal
 */
export function readCaching<Lifetime extends string>(
  of: string,
  caching: boolean | PromptCachingParts | undefined,
  { lifetimes, refused }: CachingSupport<Lifetime>,
): false | PromptCachingParts<Lifetime> {
  if (caching === undefined || caching === true) return {};
  if (caching === false) {
    if (refused.off === undefined) return false;
    throw fault(`${of}: promptCaching cannot be false: ${refused.off}. Leave it out.`, 'promptCaching');
  }
  if (!isRecord(caching)) {
    throw fault(
      `${of}: promptCaching must be true, false or an object, such as { ttl: '${lifetimes.at(-1) ?? '1h'}' }.`,
      'promptCaching',
    );
  }
  for (const part of parts) {
    const reason = refused[part];
    if (reason === undefined || caching[part] === undefined) continue;
    throw fault(
      `${of}: promptCaching.${part} cannot be set: ${reason}. Leave it out.`,
      `promptCaching.${part}`,
    );
  }
  const lifetime = lifetimes.length === 0 ? 'string' : oneOf(lifetimes);
  const checks: OptionChecks = {
    key: rule(
      (key) => key === true || (typeof key === 'string' && key !== ''),
      'a non-empty string, or true',
    ),
    ttl: lifetime,
    conversation: lifetime,
    diagnose: 'boolean',
  };
  assertOptions<object>(of, caching, checks, { path: 'promptCaching' });
  return caching;
}

/** The error for lifetimes that a provider does not take together. @internal */
export function wrongOrder(of: string, why: string): PromptValidationError {
  return fault(`${of}: promptCaching.conversation ${why}`, 'promptCaching.conversation');
}

/** How long Claude keeps what it has cached. @internal */
export type ClaudeLifetime = '5m' | '1h';

/** What Claude takes. @internal */
export const claudeCachingSupport: CachingSupport<ClaudeLifetime> = {
  lifetimes: ['5m', '1h'],
  refused: { key: 'Claude finds what it has cached by the text of a request' },
};

/**
 * @throws {PromptValidationError} for a conversation that is kept longer than what comes before it.
 * @internal
 */
export function assertClaudeOrder(
  of: string,
  { ttl = '5m', conversation = ttl }: PromptCachingParts<ClaudeLifetime>,
): void {
  if (conversation === '5m' || ttl === '1h') return;
  throw wrongOrder(
    of,
    "cannot be longer than ttl: what is kept longer must come first in a request. Use { ttl: '1h', conversation: '5m' }, or ttl: '1h' for all of it.",
  );
}

function fault(message: string, option: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option } });
}
