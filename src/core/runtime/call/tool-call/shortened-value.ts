import { isRecord } from '../../../internal/index.ts';
import type { JsonValue } from '../../../schema/index.ts';

/** Longer texts of a value are left out where the text of its result was shortened. */
const maxKeptCharacters = 200;

/** Characters of the texts at the top of a value. */
export function charactersOf(value: JsonValue): number {
  let characters = 0;
  mapTexts(value, (text) => {
    characters += text.length;
    return text;
  });
  return characters;
}

/** The value of a result whose text was shortened, or left out. */
export function shortenedValue(value: JsonValue): JsonValue {
  return mapTexts(value, withoutLong);
}

function withoutLong(text: string): string | undefined {
  return text.length > maxKeptCharacters ? undefined : text;
}

/** Replaces each text that is the value, or a direct member of it, by what `map` returns; undefined removes it. */
export function mapTexts(value: JsonValue, map: (text: string) => string | undefined): JsonValue {
  if (typeof value === 'string') return map(value) ?? null;
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const mapped = typeof member === 'string' ? map(member) : member;
    return mapped === undefined ? [] : [[name, mapped]];
  });
  return Object.fromEntries(members) as JsonValue;
}
