import { toOneDomainList } from '../../provider/internal.ts';
import type { DomainFilter } from '../../suite/index.ts';

/** Domains in the provider's format. */
export type DomainLists = { allowed_domains?: string[]; blocked_domains?: string[] };

/** The provider accepts one of the two lists, not both. */
export function toDomainLists(filter: DomainFilter | undefined): {
  readonly lists: DomainLists;
  readonly unsupported: readonly string[];
} {
  const { list, unsupported } = toOneDomainList(filter);
  const { allowed, blocked } = list;
  const lists = {
    ...(allowed === undefined ? {} : { allowed_domains: [...allowed] }),
    ...(blocked === undefined ? {} : { blocked_domains: [...blocked] }),
  };
  return { lists, unsupported };
}
