import type { JsonObject } from '../../../schema/index.ts';
import type { DomainFilter } from '../../../suite/index.ts';
import { given } from '../provider-tool.ts';

/** Domains in the provider's words. It takes either those that are allowed or those that are not. */
export function toDomains({ allowed, blocked }: DomainFilter = {}): {
  readonly domains: JsonObject;
  readonly unsupported: readonly string[];
} {
  return allowed === undefined
    ? { domains: { blockedDomains: blocked }, unsupported: [] }
    : { domains: { allowedDomains: allowed }, unsupported: given({ 'domainFilter.blocked': blocked }) };
}
