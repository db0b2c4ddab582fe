import { fieldsIn } from './fields.ts';

/** Headers by name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/**
 * Headers of several sources. Names are the same in any case; the last value of a name applies, but for lists of features, such as `anthropic-beta`:
 * they have the features of all sources.
 *
 * @param sources in any form that `fetch` takes.
 */
export function joinHeaders(...sources: readonly unknown[]): HeaderRecord {
  const joined = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of sources.flatMap(entriesOf)) {
    const key = name.toLowerCase();
    const before = joined.get(key)?.[1];
    joined.set(key, isFeatureList(key) ? [key, joinLists(before, value)] : [name, value]);
  }
  return Object.fromEntries(joined.values());
}

/**
 * Headers of one request, with the features that the headers of its client ask for: a header of the request takes the place of one of the client.
 *
 * @param defaults headers of the client, by their sources.
 */
export function withFeaturesOf(defaults: readonly unknown[], headers: HeaderRecord): HeaderRecord {
  const lists = defaults
    .flatMap(entriesOf)
    .filter(([name]) => isFeatureList(name.toLowerCase()) && headers[name.toLowerCase()] !== undefined);
  return lists.length === 0 ? headers : joinHeaders(lists, headers);
}

/** The default headers of a client of a vendor, which keeps them with its options; undefined for any other client. */
export function defaultHeadersOf(client: object): unknown {
  return fieldsIn(Reflect.get(client, '_options'))['defaultHeaders'];
}

/** Two lists that are separated by commas, each entry once. */
export function joinLists(before: string | undefined, value: string): string {
  const entries = [...(before?.split(',') ?? []), ...value.split(',')].map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))].join(',');
}

function isFeatureList(name: string): boolean {
  return name.endsWith('-beta');
}

function entriesOf(headers: unknown): readonly (readonly [name: string, value: string])[] {
  if (typeof headers !== 'object' || headers === null) return [];
  const entries: readonly unknown[] =
    Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers);
  return entries.flatMap((entry) => {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) =>
      typeof name === 'string' && typeof one === 'string' ? [[name, one] as const] : [],
    );
  });
}
