import type { JsonObject } from '../../schema/index.ts';
import type { DomainFilter } from '../../suite/index.ts';

/** A hosted tool as the AI SDK takes it. Options that are undefined are left out. */
export function providerTool(id: `${string}.${string}`, name: string, options: JsonObject = {}): JsonObject {
  const args = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { type: 'provider', id, name, args };
}

/** The domains that a filter names; undefined when it names none, so that there is nothing to tell. */
export function domainsIn({ allowed = [], blocked = [] }: DomainFilter = {}): readonly string[] | undefined {
  const domains = [...allowed, ...blocked];
  return domains.length === 0 ? undefined : domains;
}
