import type { JsonObject } from '../../schema/index.ts';
import type { DomainFilter } from '../../suite/index.ts';

/** Domains in the provider's words. It takes one of the two lists, not both. */
export function toDomainLists({ allowed, blocked }: DomainFilter = {}): {
  readonly lists: JsonObject;
  readonly unsupported: readonly string[];
} {
  if (allowed !== undefined) {
    return {
      lists: { allowed_domains: allowed },
      unsupported: blocked === undefined ? [] : ['domainFilter.blocked'],
    };
  }
  return { lists: blocked === undefined ? {} : { blocked_domains: blocked }, unsupported: [] };
}
