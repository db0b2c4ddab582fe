import { toOneDomainList } from '../../../provider/internal.ts';
import type { JsonObject } from '../../../schema/index.ts';
import type { DomainFilter } from '../../../suite/index.ts';

/** Domains in the provider's format, which accepts either allowed or blocked domains. */
export function toDomains(filter: DomainFilter | undefined): {
  readonly domains: JsonObject;
  readonly unsupported: readonly string[];
} {
  const { list, unsupported } = toOneDomainList(filter);
  return { domains: { allowedDomains: list.allowed, blockedDomains: list.blocked }, unsupported };
}
