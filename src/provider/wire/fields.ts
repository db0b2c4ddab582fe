import { isRecord } from '../../internal/index.ts';
/** An object that somebody else made, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects of a list; none for what is no list. */
export function objectsIn(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The texts of a list; none for what is no list. */
export function stringsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** These fields, without those that hold no text. */
export function stringFields<Key extends string>(
  fields: Readonly<Record<Key, unknown>>,
): { readonly [Name in Key]?: string } {
  const texts: { [Name in Key]?: string } = {};
  // Object.keys tells no more than that they are texts.
  for (const key of Object.keys(fields) as Key[]) {
    const value = fields[key];
    if (typeof value === 'string') texts[key] = value;
  }
  return texts;
}
