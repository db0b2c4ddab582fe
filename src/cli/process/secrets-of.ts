import { isAbsolute } from 'node:path';
import { isPlaceName, isSecretName } from './secret-names.ts';

/** A text that must not be shown, with the name that takes its place. */
export interface NamedSecret {
  readonly name: string;
  readonly text: string;
  /** A shorter text is shown, because it also occurs in ordinary ones. Default: 8. */
  readonly minCharacters?: number;
}

/** Names of environment variables with headers for collectors of OpenTelemetry, which hold their keys: `api-key=…,x-team=…`. */
const headersName = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;

/** What is before the host of an address: `://user:password@`. A password may hold an `@` itself. */
const userInfo = /:\/\/([^\s/?#'"<>]+)@/g;
/** The same of an address that was written by hand, with characters in the password that end it; not a port and a path. */
const brokenUserInfo = /:\/\/([^\s:/?#@'"<>]*:(?!\d*[/?#])[^\s'"<>]+)@/g;
/** The same without a scheme, where a driver adds it: `user:password@tcp(host)/name`. */
const bareUserInfo = /^([^\s:/?#@'"<>]+:[^\s'"<>]+)@/g;
/** `name=value` in an address, the text of a connection or options of a program: `?password=x`, `;AccountKey=x`, `-Dstore.password=x`. */
const assignment = /(?:^|[?&;,\s{])([\w.$-]{1,80})\s*=\s*(?:'([^']*)'|"([^"]*)"|([^&;,\s'"}]+))/g;
/** Names of parameters of addresses that hold a signature, which is as good as a password. */
const signatureName = /^(?:sig|signature|x-amz-signature|x-goog-signature)$/i;

/** Nothing longer is searched for addresses. */
const maxSearchedCharacters = 100_000;

/** What is secret in an environment variable: all of it by its name, and the passwords of addresses in it whatever its name is. */
export function secretsOf(name: string, value: string): readonly NamedSecret[] {
  if (headersName.test(name)) return headerSecrets(name, value);
  const isSecret = isSecretName(name) && !(isPlaceName(name) && isAbsolute(value));
  const parts = [
    ...partsOf(name, value),
    ...(isSecret
      ? matchesOf(value, [bareUserInfo]).flatMap((info) => userInfoSecrets(name, info, value))
      : []),
  ];
  return isSecret ? [{ name, text: value }, ...parts] : parts;
}

/** The passwords, keys and tokens in addresses, texts of connections, options of programs and JSON. */
export function partsOf(name: string, value: string): readonly NamedSecret[] {
  if (value.length > maxSearchedCharacters) return [];
  const assigned = [...value.matchAll(assignment)].flatMap(([, key = '', single, double, plain = '']) =>
    isSecretName(key) || signatureName.test(key)
      ? spellings(`${name} ${key}`, single ?? double ?? plain)
      : [],
  );
  return [
    ...matchesOf(value, [userInfo, brokenUserInfo]).flatMap((info) => userInfoSecrets(name, info, value)),
    ...assigned,
    ...memberSecrets(name, jsonIn(value)),
  ];
}

function matchesOf(value: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => [...value.matchAll(pattern)].map(([, info = '']) => info));
}

/** A short password, and one that is also the name of the user, is hidden only where it is beside that name: it is a word of ordinary texts, too. */
function userInfoSecrets(name: string, info: string, value: string): readonly NamedSecret[] {
  const colon = info.indexOf(':');
  const label = `${name} password`;
  // A token may take the place of the user.
  if (colon < 0) return isToken(info) ? spellings(label, info) : [];
  const user = info.slice(0, colon);
  const password = info.slice(colon + 1);
  const together = { name: label, text: `${info}@`, minCharacters: 4 };
  // Some hosts take a token as the user, with any password.
  const others = isToken(user) ? spellings(label, user) : [];
  const rest = value.replaceAll(info, '');
  return password === '' || rest.includes(password) || user === password
    ? [together, ...others]
    : [together, ...spellings(label, password), ...others];
}

/** Whether what is before the host of an address is a token, and not the name of a person or service. */
function isToken(user: string): boolean {
  return user.length >= 16 && /\d/.test(user) && /[a-z]/i.test(user);
}

/** A text of an address as it is written there, and as programs use it. */
function spellings(name: string, written: string): readonly NamedSecret[] {
  const used = decoded(written);
  return [{ name, text: written }, ...(used === written ? [] : [{ name, text: used }])];
}

/** The value that a text is as JSON; undefined where it is not an object. */
function jsonIn(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The texts of members that are named like secrets, at any depth, as in the key of a service account. */
function memberSecrets(name: string, value: unknown): readonly NamedSecret[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    typeof member !== 'string'
      ? memberSecrets(name, member)
      : isSecretName(key)
        ? [{ name: `${name} ${key}`, text: member }]
        : [],
  );
}

/** The value of each header, as it is written and as it is sent. */
function headerSecrets(name: string, headers: string): readonly NamedSecret[] {
  return headers.split(',').flatMap((header) => {
    const [key = '', ...rest] = header.split('=');
    return spellings(`${name} ${key.trim()}`, rest.join('=').trim());
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
