/** An object of the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects of a list; empty for another value. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : [];
}

/** The value as an object; empty for another value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A string, or the concatenated text of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text, refusal }) => text ?? refusal)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** A report of usage that counts nothing. @param zeros a report whose counts are all 0. */
export function toUncounted(report: 'zeros' | 'nulls' | 'total', zeros: Fields): Fields {
  if (report === 'zeros') return zeros;
  if (report === 'total') return { total_tokens: 110 };
  return Object.fromEntries(Object.keys(zeros).map((name) => [name, null]));
}
