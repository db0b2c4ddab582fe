import { present } from '../../../core/internal/index.ts';
import { stringFields } from '../wire/fields.ts';

/**
 * The paths of a config that are set, to report what a provider does not support.
 *
 * @internal
 */
export function configuredPaths(places: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(places).flatMap(([place, value]) => (value === undefined ? [] : [place]));
}

/** The approximate location of a user, in the form that OpenAI and Anthropic share. */
export type ApproximateLocation = {
  type: 'approximate';
  country?: string;
  city?: string;
  region?: string;
  timezone?: string;
};

/**
 * Converts a location hint to the form that OpenAI and Anthropic share.
 *
 * @internal
 */
export function toApproximateLocation({
  countryCode: country,
  city,
  region,
  timezone,
}: {
  readonly countryCode?: string;
  readonly city?: string;
  readonly region?: string;
  readonly timezone?: string;
}): ApproximateLocation {
  return { type: 'approximate', ...stringFields({ country, city, region, timezone }) };
}

/** The domains that a filter names. */
interface Domains {
  readonly allowed?: readonly string[];
  readonly blocked?: readonly string[];
}

/** Domains in the form that OpenAI and Anthropic share. */
export type DomainLists = { allowed_domains?: string[]; blocked_domains?: string[] };

/** The domains that a filter names, without empty lists; undefined when it names none. */
export function namedDomains({ allowed = [], blocked = [] }: Domains = {}): Domains | undefined {
  if (allowed.length + blocked.length === 0) return undefined;
  return {
    ...present({
      allowed: allowed.length === 0 ? undefined : allowed,
      blocked: blocked.length === 0 ? undefined : blocked,
    }),
  };
}

/** Converts the domains that a filter names to the form that OpenAI and Anthropic share. */
export function toDomainLists({ allowed, blocked }: Domains): DomainLists {
  return {
    ...present({ allowed_domains: allowed && [...allowed], blocked_domains: blocked && [...blocked] }),
  };
}

/**
 * A filter for a provider that accepts either allowed or blocked domains: with allowed domains, all others are blocked
 * anyway.
 *
 * @internal
 */
export function toOneDomainList({ allowed, blocked: listed = [] }: Domains = {}): {
  readonly list: Domains;
  readonly unsupported: readonly string[];
} {
  const blocked = listed.length === 0 ? undefined : listed;
  if (allowed !== undefined)
    return { list: { allowed }, unsupported: configuredPaths({ 'domainFilter.blocked': blocked }) };
  return { list: blocked === undefined ? {} : { blocked }, unsupported: [] };
}
