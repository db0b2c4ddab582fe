import { isRecord } from '../../../core/internal/index.ts';
/** An object from outside, with unknown fields. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The objects of a list; empty when it is not a list. */
export function objectsIn(list: unknown): readonly WireFields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The strings of a list; empty when it is not a list. */
export function stringsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The fields whose values are strings. */
export function stringFields<Key extends string>(
  fields: Readonly<Record<Key, unknown>>,
): { readonly [Name in Key]?: string } {
  const strings: { [Name in Key]?: string } = {};
  // Object.keys has only string[] as its type.
  for (const key of Object.keys(fields) as Key[]) {
    const value = fields[key];
    if (typeof value === 'string') strings[key] = value;
  }
  return strings;
}
