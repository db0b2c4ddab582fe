import { describe, expect, it } from 'vitest';
import { isSecretName } from '../../../../src/cli/process/secret-names.ts';

/** As they are written in practice: snake, run together, in the plural, with numbers. */
const secret = [
  ...[
    'KEY',
    'API_KEY',
    'APIKEY',
    'APIKEYS',
    'ACCESS_KEY',
    'ACCESSKEY',
    'SECRETKEY',
    'PRIVATEKEY',
    'KEYS',
    'KEY2',
  ],
  ...['SECRET', 'SECRETS', 'CLIENT_SECRET', 'CLIENTSECRET', 'SECRET_KEY_BASE', 'SECRETVALUE', 'APPSECRETS'],
  ...[
    'PASSWORD',
    'PASSWORDS',
    'PGPASSWORD',
    'PASSWD',
    'MYSQL_PWD',
    'DBPWD',
    'PASSPHRASE',
    'PASSCODE',
    'DB_PASS',
  ],
  ...['DBPASS', 'PAT', 'GITHUB_PAT', 'GHPAT', 'PATS', 'AUTH', 'NPM_AUTH', 'BASICAUTH', 'OAUTH', 'OAUTH2'],
  ...[
    'AUTHORIZATION',
    'DSN',
    'SENTRYDSN',
    'TOKEN',
    'TOKENS',
    'AUTHTOKEN',
    'NPMTOKEN',
    'CREDENTIAL',
    'CREDENTIALS',
  ],
  ...['APPLICATION_CREDENTIALS_JSON', 'CREDS', 'DBCREDS', 'CONNECTION_STRING', 'JWT', 'BEARER'],
];

/** Words that only look alike, and names of ordinary variables. */
const harmless = [
  ...[
    'KEYBOARD',
    'KEYNOTE',
    'KEYMAP',
    'KEYWORDS',
    'MONKEY',
    'MONKEYS',
    'DONKEY',
    'TURKEY',
    'HOCKEY',
    'JOCKEY',
  ],
  ...[
    'WHISKEY',
    'HOTKEY',
    'AUTHOR',
    'AUTHORS',
    'AUTHORITY',
    'AUTHENTIC',
    'XAUTHORITY',
    'PATH',
    'PATHS',
    'PATTERN',
  ],
  ...['PATCH', 'PATIENT', 'COMPAT', 'EXPAT', 'SPAT', 'COMPASS', 'BYPASS', 'PASSAGE', 'PASSENGER', 'PASSPORT'],
  ...[
    'SECRETARY',
    'SECRETARIAT',
    'TOKENIZER',
    'TOKENIZERS',
    'SACRED',
    'CREDIT',
    'ACCREDITED',
    'DNS',
    'HOME',
    'USER',
  ],
  ...['LANG', 'SHELL', 'TERM', 'EDITOR', 'HOSTNAME', 'DISPLAY', 'ASKPASS', 'LESSKEY'],
];

const camel = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => camel(name).replace(/^\w/, (letter) => letter.toUpperCase());

/** A name in every place, in the ways of writing names. */
const places: readonly (readonly [string, (name: string) => string])[] = [
  ['alone', (name) => name],
  ['at the end', (name) => `WORK_${name}`],
  ['at the beginning', (name) => `${name}_WORK`],
  ['in the middle', (name) => `WORK_${name}_DEV`],
  ['with a number', (name) => `${name}_2`],
  ['in lower case', (name) => `work_${name}_dev`.toLowerCase()],
  ['in kebab case', (name) => `work-${name.replaceAll('_', '-')}-dev`.toLowerCase()],
  ['in camel case, first', (name) => `${camel(name)}Work`],
  ['in camel case, last', (name) => `work${capital(name)}`],
  ['in camel case, inside', (name) => `work${capital(name)}Dev`],
  ['in a path of names', (name) => `work.${camel(name)}`],
];

describe('isSecretName', () => {
  it('has a table of 48 names and 40 harmless ones at least', () => {
    expect(new Set(secret).size).toBe(secret.length);
    expect(secret.length).toBeGreaterThanOrEqual(48);
    expect(harmless.length).toBeGreaterThanOrEqual(40);
  });

  it.each(places)('knows a secret %s', (_, place) => {
    expect(secret.map(place).filter((name) => !isSecretName(name))).toEqual([]);
  });

  it.each(places)('leaves a harmless name alone %s', (_, place) => {
    expect(harmless.map(place).filter(isSecretName)).toEqual([]);
  });

  it('leaves the folders of a shell alone', () => {
    expect(['PWD', 'OLDPWD'].filter(isSecretName)).toEqual([]);
  });
});
