import { type ConfigCheck, listOf, objectOf, refuseConfig, refuseValue } from './config-check.ts';

/**
 * Which domains a hosted tool may use. A domain covers its subdomains. It is written without protocol, port, path and
 * wildcard (`example.com`), in any case; what is not ASCII is sent in its ASCII form (`xn--…`).
 */
export type DomainFilter = {
  /** Only these. Default: all. */
  readonly allowed?: readonly string[];
  /**
   * Not these; an empty list blocks none. Default: none. Some providers refuse it, or refuse it beside `allowed`. OpenAI has it in no published type
   * (`blocked_domains`), so that a server that is compatible with OpenAI may ignore it: `allowed` holds everywhere.
   */
  readonly blocked?: readonly string[];
};

const expectedDomain =
  'a domain such as "example.com", without protocol, port, path, user, wildcard and blanks';
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What a URL would read as something other than a host, or as no part of one. */
const foreign = /[\s/\\?#@:*%[\]]/;

export const domain: ConfigCheck<string> = (value, place) => {
  if (typeof value !== 'string' || foreign.test(value)) throw refuseValue(place, expectedDomain, value);
  const ascii = toAscii(value);
  const labels = ascii.split('.');
  const isAddress = /^\d+$/.test(labels.at(-1) ?? '');
  if (ascii.length > 253 || labels.length < 2 || isAddress || !labels.every((part) => label.test(part))) {
    throw refuseValue(place, expectedDomain, value);
  }
  return ascii;
};

const read = objectOf<DomainFilter>({
  allowed: listOf(domain, 'no domain at all would be left; leave it out to allow every domain'),
  blocked: (value, place) => (isEmptyList(value) ? [] : listOf(domain, 'name at least one')(value, place)),
});

export const domainFilter: ConfigCheck<DomainFilter> = (value, place) => {
  const { blocked = [], ...others } = read(value, place);
  // A list without a domain blocks none, like an absent list, and is not sent to providers.
  const filter: DomainFilter = blocked.length === 0 ? others : { ...others, blocked };
  const both = filter.allowed?.find((allowed) => filter.blocked?.includes(allowed));
  if (both !== undefined)
    throw refuseConfig(place, `both allows and blocks "${both}"; take it out of one list`);
  return filter;
};

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function toAscii(name: string): string {
  const url = `http://${name}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}
