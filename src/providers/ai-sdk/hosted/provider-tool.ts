import type { JsonObject } from '../../../core/schema/index.ts';
import type { DomainFilter } from '../../../suite/hosted/index.ts';

/** A hosted tool in the format of the AI SDK. Undefined options are omitted. */
export function providerTool(id: `${string}.${string}`, name: string, options: JsonObject = {}): JsonObject {
  const args = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { type: 'provider', id, name, args };
}

/** The domains that a filter names; undefined when it names none. */
export function domainsIn({ allowed = [], blocked = [] }: DomainFilter = {}): readonly string[] | undefined {
  const domains = [...allowed, ...blocked];
  return domains.length === 0 ? undefined : domains;
}
