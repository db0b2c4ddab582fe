import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { DomainFilter } from '../../../suite/hosted/index.ts';

/** A hosted tool in the format of the AI SDK. Undefined options are omitted. */
export function providerTool(id: `${string}.${string}`, name: string, options: JsonObject = {}): JsonObject {
  const args = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { type: 'provider', id, name, args };
}

/** The domains that a filter names, without empty lists; undefined when it names none. */
export function domainLists({ allowed = [], blocked = [] }: DomainFilter = {}): JsonObject | undefined {
  if (allowed.length + blocked.length === 0) return undefined;
  return {
    ...present({
      allowedDomains: allowed.length === 0 ? undefined : allowed,
      blockedDomains: blocked.length === 0 ? undefined : blocked,
    }),
  };
}
