import type { JsonObject } from '../../../../core/schema/index.ts';
import type { DomainFilter } from '../../../../suite/hosted/index.ts';
import { toOneDomainList } from '../../../kit/index.ts';

/** Domains in the provider's format, which accepts either allowed or blocked domains. */
export function toDomains(filter: DomainFilter | undefined): {
  readonly domains: JsonObject;
  readonly unsupported: readonly string[];
} {
  const { list, unsupported } = toOneDomainList(filter);
  return { domains: { allowedDomains: list.allowed, blockedDomains: list.blocked }, unsupported };
}
