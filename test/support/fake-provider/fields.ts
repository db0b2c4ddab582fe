/** An object of a request, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects in a list; none for what is not a list. */
export function objectsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value)
    ? value.filter((each): each is Fields => typeof each === 'object' && each !== null)
    : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
