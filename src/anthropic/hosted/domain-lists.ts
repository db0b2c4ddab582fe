import type { DomainFilter } from '../../suite/index.ts';

/** Domains in the provider's words. */
export type DomainLists = { allowed_domains?: string[]; blocked_domains?: string[] };

/** The provider takes one of the two lists, not both. */
export function toDomainLists({ allowed, blocked = [] }: DomainFilter = {}): {
  readonly lists: DomainLists;
  readonly unsupported: readonly string[];
} {
  if (allowed !== undefined) {
    return {
      lists: { allowed_domains: [...allowed] },
      unsupported: blocked.length === 0 ? [] : ['domainFilter.blocked'],
    };
  }
  return { lists: blocked.length === 0 ? {} : { blocked_domains: [...blocked] }, unsupported: [] };
}
