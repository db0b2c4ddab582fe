import { isRecord, readJson } from '../../../core/internal/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';

/** An object from outside, with unknown fields. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The fields of a value; none when it is not an object. */
export function fieldsIn(value: unknown): WireFields {
  return isRecord(value) ? value : {};
}

/** The objects of a list; empty when it is not a list. */
export function objectsIn(list: unknown): readonly WireFields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The strings of a list; empty when it is not a list. */
export function stringsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The texts of a list of blocks, each on a line of its own. */
export function textOfBlocks(list: unknown): string {
  return stringsIn(objectsIn(list).map(({ text }) => text)).join('\n');
}

/** The fields whose values are strings. */
export function stringFields<Key extends string>(
  fields: Readonly<Record<Key, unknown>>,
): { readonly [Name in Key]?: string } {
  return fieldsOf(fields, (value) => typeof value === 'string');
}

/** The fields whose values are numbers. */
export function numberFields<Key extends string>(
  fields: Readonly<Record<Key, unknown>>,
): { readonly [Name in Key]?: number } {
  return fieldsOf(fields, (value) => typeof value === 'number');
}

/** The fields whose values are counts: numbers from 0 on. What else servers put in their place, such as -1 or a text, says nothing. */
export function countFields<Key extends string>(
  fields: Readonly<Record<Key, unknown>>,
): { readonly [Name in Key]?: number } {
  return fieldsOf(
    fields,
    (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  );
}

/** A count that says something; undefined for 0, which servers send for what there was none of. */
export function countAboveZero(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : undefined;
}

function fieldsOf<Key extends string, Value>(
  fields: Readonly<Record<Key, unknown>>,
  is: (value: unknown) => value is Value,
): { readonly [Name in Key]?: Value } {
  const kept: { [Name in Key]?: Value } = {};
  // Object.keys has only string[] as its type.
  for (const key of Object.keys(fields) as Key[]) {
    const value = fields[key];
    if (is(value)) kept[key] = value;
  }
  return kept;
}

/**
 * Parses JSON text. Invalid JSON is returned as a string; absent text is `{}`.
 *
 * @param read returns undefined for a text that is not JSON.
 *
 * @internal
 */
export function parseJsonText(text: unknown, read: (text: string) => unknown = readJson): JsonValue {
  if (typeof text !== 'string' || text === '') return {};
  // What is read is a JSON value.
  return (read(text) ?? text) as JsonValue;
}
