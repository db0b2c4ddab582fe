import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Redaction, redactSecrets } from '../../core/runtime/index.ts';

/** The paths of a run, but for those of the process. */
export interface HostPlaces {
  /** Absolute path of the workspace; undefined without one. */
  readonly workspace?: string | undefined;
  /** Absolute path of the directory of the agent's module; undefined before it is known. */
  readonly agentFolder?: string | undefined;
  /** Default: that of the process. */
  readonly workingFolder?: string;
  /** Default: that of the user. */
  readonly home?: string | undefined;
}

/** Names of environment variables that hold secrets; the word may be followed by a purpose. */
const secretName = /(?:^|_)(?:(?:KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$|TOKEN(?:_|$))/i;
/** Names of environment variables with headers for collectors of OpenTelemetry, which hold their keys: `api-key=…,x-team=…`. */
const headersName = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;
/** Shorter values also occur in ordinary text. */
const minSecretCharacters = 8;

/** Whether an environment variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * Removes the values of secret environment variables and the host paths of a run from a text.
 *
 * @param others further secrets, by the names that take their place. Default: none.
 */
export function hostRedact(
  { workspace, agentFolder, workingFolder = resolve('.'), home = homedir() }: HostPlaces,
  variables: Readonly<Record<string, string | undefined>>,
  others: Readonly<Record<string, string>> = {},
): Redaction {
  const secrets = [
    ...Object.entries(variables).flatMap(([name, value = '']) => secretsIn(name, value)),
    ...Object.entries(others),
  ];
  const hideSecrets = redactSecrets(
    Object.fromEntries(secrets.filter(([, value]) => value.length >= minSecretCharacters)),
  );
  const paths = (
    [
      [workspace, '<workspace>'],
      [agentFolder, '<agent>'],
      [workingFolder, '<working folder>'],
      [home, '<home>'],
    ] as const
  ).flatMap(([path, replacement]) =>
    // The root directory identifies nothing and is part of every path.
    path === undefined || path.length < 2 ? [] : [{ path, replacement }],
  );
  // Longer paths first, so that a path is replaced by the nearest location.
  const nearestFirst = paths.sort((left, right) => right.path.length - left.path.length);
  return Object.assign((text: string) => nearestFirst.reduce(hidePath, hideSecrets(text)), {
    pending: (text: string) =>
      Math.max(
        hideSecrets.pending?.(text) ?? text.length,
        ...nearestFirst.map(({ path }) => beginningAtEnd(text, path)),
      ),
  });
}

/** What is secret in an environment variable, with the name that takes its place. */
function secretsIn(name: string, value: string): readonly (readonly [string, string])[] {
  if (headersName.test(name)) return headerSecrets(name, value);
  return isSecretName(name) ? [[name, value]] : [];
}

/** The value of each header, as it is written and as it is sent, where it differs. */
function headerSecrets(name: string, headers: string): readonly (readonly [string, string])[] {
  return headers.split(',').flatMap((header): readonly (readonly [string, string])[] => {
    const [key = '', ...rest] = header.split('=');
    const value = rest.join('=').trim();
    const sent = decoded(value);
    const label = `${name} ${key.trim()}`;
    return [[label, value], ...(sent === value ? [] : [[`${label} as sent`, sent] as const])];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Length of the end of a text that is a path or its prefix: only the next characters show whether it is complete. */
function beginningAtEnd(text: string, path: string): number {
  let length = Math.min(text.length, path.length);
  while (length > 0 && !text.endsWith(path.slice(0, length))) length -= 1;
  return length;
}

/** Replaces a path where it occurs as a whole. */
function hidePath(
  text: string,
  { path, replacement }: { readonly path: string; readonly replacement: string },
): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    if (at < from || !isWhole(text, at, at + path.length)) continue;
    result += text.slice(from, at) + replacement;
    from = at + path.length;
  }
  return result + text.slice(from);
}

/**
 * Whether a path occurs as a whole from `start` to `end`: neither the tail of a relative path nor the prefix of a longer
 * name.
 */
function isWhole(text: string, start: number, end: number): boolean {
  return !/[\p{L}\p{N}._-]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}_-]/u.test(text.charAt(end));
}
