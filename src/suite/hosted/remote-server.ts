import { isSchemaObject, type JsonObject } from '../../schema/index.ts';
import { type ConfigCheck, type ConfigPlace, refuseConfig, refuseValue, within } from './config-check.ts';

export const serverLabel: ConfigCheck<string> = (value, place) => {
  if (typeof value === 'string' && /^[a-z0-9_-]{1,64}$/.test(value)) return value;
  throw refuseValue(place, '1 to 64 lower-case letters, digits, "_" or "-"', value);
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Addresses can hold passwords and tokens, so no message shows more of one than its protocol and host. */
export const serverUrl: ConfigCheck<string> = (value, place) => {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw refuseConfig(
      place,
      'must be an address such as "https://example.com/mcp", and is none (it is not shown)',
    );
  }
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== '' || password !== '') {
    throw refuseConfig(place, 'holds a user or password; pass a token as "authorization" or in "headers"');
  }
  if (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))) return value;
  throw refuseConfig(
    place,
    `must begin with "https:" ("http:" only on the machine itself), but it is "${protocol}" at "${hostname}"`,
  );
};

/** One or more characters that a header can carry; the value is never shown. */
const secret: ConfigCheck<string> = (value, place) => {
  if (typeof value === 'string' && /^[\x21-\x7E]([\x20-\x7E]*[\x21-\x7E])?$/.test(value)) return value;
  throw refuseConfig(
    place,
    'must be printable ASCII text on one line, without blanks around it (it is not shown)',
  );
};

export const authorization: ConfigCheck<string> = secret;

export const requestHeaders: ConfigCheck<Readonly<Record<string, string>>> = (value, place) => {
  if (!isSchemaObject(value)) throw refuseConfig(place, 'must be an object of header names and values');
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  const names = entries.map(([name]) => name.toLowerCase());
  for (const [index, [name]] of entries.entries()) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      throw refuseConfig(place, `has the header ${JSON.stringify(name)}, which is no name of a header`);
    }
    if (names.indexOf(name.toLowerCase()) !== index)
      throw refuseConfig(place, `has the header "${name}" twice`);
  }
  return Object.fromEntries(entries.map(([name, held]) => [name, secret(held, within(place, name))]));
};

/** Two tokens for one header leave open which of them counts. */
export function refuseTwoAuthorizations(config: JsonObject, place: ConfigPlace): void {
  const { authorization: token, headers } = config;
  if (token === undefined || !isSchemaObject(headers)) return;
  const name = Object.keys(headers).find((header) => header.toLowerCase() === 'authorization');
  if (name === undefined) return;
  throw refuseConfig(place, `has "authorization" and the header "${name}"; keep one of them`);
}
