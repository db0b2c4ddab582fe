/** Words that name a secret, in the singular. */
const secretWords: ReadonlySet<string> = new Set([
  ...['KEY', 'APIKEY', 'SECRET', 'TOKEN', 'JWT', 'BEARER', 'PAT', 'DSN', 'WEBHOOK'],
  ...['PASSWORD', 'PASSWD', 'PASSPHRASE', 'PASSCODE', 'PASS', 'PWD'],
  ...['AUTH', 'OAUTH', 'AUTHORIZATION', 'CREDENTIAL', 'CRED'],
  ...['CONNECTIONSTRING', 'CONNSTRING', 'CONNSTR'],
]);

/** Parts of names that no other word has. */
const secretParts = [
  'PASSWORD',
  'PASSWD',
  'PASSPHRASE',
  'PASSCODE',
  'APIKEY',
  'CREDENTIAL',
  'CONNECTIONSTRING',
];

/** Ends of words that are written together with another one, as in `AUTHTOKEN`; `ordinary` matches the words that only end alike. */
const secretEnds: readonly { readonly end: string; readonly ordinary: ReadonlySet<string> }[] = [
  { end: 'SECRET', ordinary: new Set() },
  { end: 'TOKEN', ordinary: new Set(['BETOKEN']) },
  { end: 'PWD', ordinary: new Set() },
  { end: 'DSN', ordinary: new Set() },
  { end: 'AUTH', ordinary: new Set() },
  {
    end: 'KEY',
    ordinary: new Set([
      ...[
        'MONKEY',
        'DONKEY',
        'TURKEY',
        'HOCKEY',
        'JOCKEY',
        'WHISKEY',
        'LACKEY',
        'FLUNKEY',
        'MALARKEY',
        'MICKEY',
      ],
      ...[
        'HOKEY',
        'POKEY',
        'SMOKEY',
        'OKEY',
        'DOKEY',
        'HICKEY',
        'DICKEY',
        'GREASEMONKEY',
        'LESSKEY',
        'SPANKEY',
      ],
      ...['HOTKEY', 'LOWKEY', 'OFFKEY', 'LATCHKEY', 'TURNKEY', 'KEYMONKEY', 'TAMPERMONKEY', 'SPIDERMONKEY'],
    ]),
  },
];

/** Words that ordinary ones end with as well, and what they are then written together with: `DBPASS`, but `COMPASS`. */
const joinedEnds: Readonly<Record<string, readonly string[]>> = {
  PASS: [
    ...[
      'DB',
      'PG',
      'SQL',
      'MYSQL',
      'REDIS',
      'MONGO',
      'LDAP',
      'SMTP',
      'MAIL',
      'FTP',
      'SSH',
      'HTTP',
      'PROXY',
      'VNC',
    ],
    ...[
      'USER',
      'ROOT',
      'ADMIN',
      'LOGIN',
      'SUDO',
      'APP',
      'API',
      'GIT',
      'NPM',
      'DOCKER',
      'KEY',
      'STORE',
      'CERT',
      'MY',
    ],
  ],
  PAT: [
    'GITHUB',
    'GH',
    'GITLAB',
    'GL',
    'AZURE',
    'ADO',
    'DEVOPS',
    'NPM',
    'VSCE',
    'BITBUCKET',
    'MY',
    'USER',
    'APP',
    'BOT',
  ],
  CRED: ['DB', 'APP', 'API', 'AWS', 'GCP', 'AZURE', 'USER', 'ROOT', 'ADMIN', 'LOGIN', 'MY'],
};

/** Beginnings of words that are written together with another one, as in `SECRETKEY`, where the rest is not of an ordinary word. */
const secretBeginnings = /^(?:SECRET(?!AR|E|I|LY)|TOKEN(?!I[ZS])|AUTH(?:DATA|HEADER|COOKIE|CODE|STRING))/;

/** Last words of the names of variables that say where a secret is. */
const placeWords: ReadonlySet<string> = new Set([
  ...['SOCK', 'SOCKET', 'FILE', 'FILENAME', 'PATH', 'DIR', 'DIRECTORY', 'FOLDER', 'HOME'],
]);

/** Variables that a shell keeps its present and its last folder in. */
const folderNames: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/**
 * Whether an environment variable, a member or a parameter of this name holds a secret: one of its words names one, in any place, also in
 * the plural, with a number, or written together with another word: `API_KEY_DEV`, `client-secret`, `accessToken`, `PGPASSWORD`, `SECRETS2`.
 */
export function isSecretName(name: string): boolean {
  if (folderNames.has(name)) return false;
  const upper = name.toUpperCase();
  if (secretParts.some((part) => upper.includes(part))) return true;
  const words = wordsOf(name);
  return words.some(
    (word, index) => isSecretWord(word) || (word === 'STRING' && words[index - 1] === 'CONNECTION'),
  );
}

/** Whether a variable of this name says where something is: its value is a secret only where it is not a path. */
export function isPlaceName(name: string): boolean {
  return placeWords.has(wordsOf(name).at(-1) ?? '');
}

/** The words of a name in upper case: those between other characters, and the parts of one in camel case. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => word.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/))
    .map((word) => word.toUpperCase());
}

function isSecretWord(numbered: string): boolean {
  const written = numbered.replace(/\d+$/, '');
  return [written, written.replace(/S$/, '')].some(
    (word) =>
      secretWords.has(word) ||
      secretBeginnings.test(word) ||
      secretEnds.some(({ end, ordinary }) => word.endsWith(end) && !ordinary.has(word)) ||
      Object.entries(joinedEnds).some(
        ([end, others]) => word.endsWith(end) && others.includes(word.slice(0, -end.length)),
      ),
  );
}
