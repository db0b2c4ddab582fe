import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { DomainFilter } from '../../../suite/hosted/index.ts';
import { namedDomains, type VendorToolType } from '../../kit/index.ts';

/**
 * A hosted tool in the format of the AI SDK. Undefined options are omitted.
 *
 * @param type as the table of vendors' types has it, or of a package whose tools have no versions.
 */
export function providerTool(
  { type: id, name }: Pick<VendorToolType, 'type'> & { readonly name: string },
  options: JsonObject = {},
): JsonObject {
  const args = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { type: 'provider', id, name, args };
}

/** The domains that a filter names; undefined when it names none. */
export function domainLists(filter: DomainFilter | undefined): JsonObject | undefined {
  const named = namedDomains(filter);
  return named && { ...present({ allowedDomains: named.allowed, blockedDomains: named.blocked }) };
}
