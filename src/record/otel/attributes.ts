import { shorten } from '../../core/internal/index.ts';
import type { OtelAttributes, OtelAttributeValue } from './otel-api.ts';

/** A text is at most this long where its content does not matter; the names of tools and of paths may come from a model. */
const maxCharacters = 256;

/** A list in an attribute has at most this many items. */
const maxItems = 32;

/** Attributes without those that are undefined. */
export function attributesOf(
  entries: Readonly<Record<string, OtelAttributeValue | undefined>>,
): OtelAttributes {
  const attributes: OtelAttributes = {};
  // Only literals of this folder are passed, which inherit nothing that could be listed.
  for (const name in entries) {
    const value = entries[name];
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}

/** A text that may come from a model, such as the name of a tool, cut where it is too long. */
export function shortText(text: string): string {
  return shorten(text, maxCharacters);
}

/** The first items of a list, cut where they are too long; undefined for an empty list. */
export function shortList(items: readonly string[] | undefined): string[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items.slice(0, maxItems).map(shortText);
}

/** A code of an error, for an attribute of few different values. It is a word, never a message, which may hold what is secret. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = wordsOf(error);
  return [code, name].find(isWord) ?? '_OTHER';
}

/** What a foreign error says it is; reading it may throw. */
function wordsOf(error: unknown): { readonly code?: unknown; readonly name?: unknown } {
  try {
    const { code, name } = Object(error);
    return { code, name };
  } catch {
    return {};
  }
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_][\w.-]{0,63}$/.test(value);
}
