import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { hideForms, type Redaction } from '../../core/runtime/index.ts';
import type { CliEnvironment } from './environment.ts';
import { UsageError } from './errors.ts';
import { printable } from './plain-text.ts';
import { formsOf } from './secret-forms.ts';
import { type NamedSecret, secretsOf } from './secrets-of.ts';

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

/** Shorter values also occur in ordinary text. */
const minSecretCharacters = 8;
/** The same for the variables that the user names. */
const minNamedCharacters = 4;

/**
 * Removes the secrets of environment variables, however a program writes them, and the host paths of a run from a text: the one redaction
 * of everything that the command prints, writes or sends.
 *
 * @param others further secrets. Default: none.
 */
export function hostRedact(
  { workspace, agentFolder, workingFolder = resolve('.'), home = homedir() }: HostPlaces,
  { variables, secretNames = [] }: Pick<CliEnvironment, 'variables' | 'secretNames'>,
  others: readonly NamedSecret[] = [],
): Redaction {
  const secrets: readonly NamedSecret[] = [
    ...secretNames.map((name) => ({ name, text: variables[name] ?? '', minCharacters: minNamedCharacters })),
    ...Object.entries(variables).flatMap(([name, value = '']) => secretsOf(name, value)),
    ...others,
  ];
  const hideSecrets = hideForms(
    secrets
      .filter(({ text, minCharacters = minSecretCharacters }) => text.length >= minCharacters)
      .flatMap(formsOf),
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

/**
 * The environment with further variables whose values are not shown.
 *
 * @param source who names them, for errors, such as `--redact`.
 * @throws {UsageError} for one that is not set, and for a value that occurs everywhere.
 */
export function withSecretNames<Environment extends Pick<CliEnvironment, 'variables' | 'secretNames'>>(
  environment: Environment,
  names: readonly string[],
  source: string,
): Environment {
  for (const name of names) {
    const value = environment.variables[name] ?? '';
    if (value === '') {
      throw new UsageError(
        `${source} names "${printable(name)}", which is not the name of an environment variable that is set: its value cannot be hidden.`,
      );
    }
    if (value.length < minNamedCharacters) {
      throw new UsageError(
        `${source} names "${printable(name)}", whose value has fewer than ${minNamedCharacters} characters: it occurs in ordinary text, too.`,
      );
    }
  }
  return { ...environment, secretNames: [...new Set([...(environment.secretNames ?? []), ...names])] };
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
