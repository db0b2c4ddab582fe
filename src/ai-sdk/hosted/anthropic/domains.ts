import type { JsonObject } from '../../../schema/index.ts';
import type { DomainFilter } from '../../../suite/index.ts';
import { given } from '../provider-tool.ts';

/** Domains in the provider's words. It takes either those that are allowed or those that are not. */
export function toDomains({ allowed, blocked: listed = [] }: DomainFilter = {}): {
  readonly domains: JsonObject;
  readonly unsupported: readonly string[];
} {
  const blocked = listed.length === 0 ? undefined : listed;
  return allowed === undefined
    ? { domains: { blockedDomains: blocked }, unsupported: [] }
    : { domains: { allowedDomains: allowed }, unsupported: given({ 'domainFilter.blocked': blocked }) };
}
