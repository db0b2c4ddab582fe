import { present } from '../../../core/internal/index.ts';
import type { DomainFilter } from '../../../suite/hosted/index.ts';
import { toOneDomainList } from '../../kit/index.ts';

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
    ...present({
      allowed_domains: allowed === undefined ? undefined : [...allowed],
      blocked_domains: blocked === undefined ? undefined : [...blocked],
    }),
  };
  return { lists, unsupported };
}
