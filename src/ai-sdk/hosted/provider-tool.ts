import type { JsonObject } from '../../schema/index.ts';

/** A hosted tool as the AI SDK takes it. Options that are undefined are left out. */
export function providerTool(id: `${string}.${string}`, name: string, options: JsonObject = {}): JsonObject {
  const args = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { type: 'provider', id, name, args };
}

/** The names of the places in a config that hold something. */
export function given(places: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(places).flatMap(([place, value]) => (value === undefined ? [] : [place]));
}
