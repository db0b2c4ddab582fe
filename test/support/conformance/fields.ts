/** An object of the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects in what may be a list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : [];
}

/** An object, empty for what is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A text, or the texts of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text, refusal }) => text ?? refusal)
    .filter((text) => typeof text === 'string')
    .join('');
}
