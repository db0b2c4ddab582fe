import { stringFields } from '../wire/fields.ts';

/**
 * The names of the places in a config that hold something, for what a provider cannot be told.
 *
 * @internal
 */
export function configuredPaths(places: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(places).flatMap(([place, value]) => (value === undefined ? [] : [place]));
}

/** Where a user roughly is, in the form that OpenAI and Anthropic share. */
type ApproximateLocation = {
  type: 'approximate';
  country?: string;
  city?: string;
  region?: string;
  timezone?: string;
};

/**
 * A hint about the place of a user in the form that OpenAI and Anthropic share.
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

/**
 * A filter for a provider that takes either the allowed or the blocked domains: where some are allowed, the others are blocked anyway.
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
