import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';
import { type ConfigCheck, line, objectOf, refuseValue } from './config-check.ts';

/** Where the user of a search is, roughly. */
export type GeoHint = {
  /** Country by its two letters of ISO 3166-1 (`GB`, not `UK`), in any case; kept in capitals. */
  readonly countryCode?: string;
  readonly city?: string;
  readonly region?: string;
  /** IANA name, such as `Europe/London`. */
  readonly timezone?: string;
};

const countryCode: ConfigCheck<string> = (value, place) => {
  const code = typeof value === 'string' ? value.toUpperCase() : '';
  if (Object.hasOwn(iso31661Alpha2ToAlpha3, code)) return code;
  throw refuseValue(place, 'a country code of ISO 3166-1 alpha-2 such as "GB"', value);
};

/** Offsets such as `+01:00` are known to newer runtimes, and name no zone. */
const timezone: ConfigCheck<string> = (value, place) => {
  const canonical = typeof value === 'string' && /^[A-Za-z]/.test(value) ? canonicalZone(value) : undefined;
  if (typeof value !== 'string' || canonical === undefined) {
    throw refuseValue(place, 'an IANA time zone that this runtime knows, such as "Europe/London"', value);
  }
  // A zone that goes by an older name stays under the name that it was given.
  return canonical.toLowerCase() === value.toLowerCase() ? canonical : value;
};

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

export const geoHint: ConfigCheck<GeoHint> = objectOf<GeoHint>({
  countryCode,
  city: line,
  region: line,
  timezone,
});
