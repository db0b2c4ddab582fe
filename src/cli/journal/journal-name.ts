import { join } from 'node:path';
import { userStateFolder } from '../../host/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { UsageError } from '../process/errors.ts';
import { isInsideFolder } from '../process/inside-folder.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';

/** Where a journal is. */
export type NamedJournal =
  | { readonly kind: 'file'; readonly path: string }
  /** A database of PostgreSQL, by the address that its drivers take. */
  | { readonly kind: 'postgres'; readonly address: string };

/** The environment variable that names the journal of commands without `--journal`. */
const variable = 'WINK_JOURNAL';

/** What the environment names; undefined: nothing. */
export function namedByEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = variables[variable];
  return name === '' ? undefined : name;
}

/**
 * The place that a name means: an address of PostgreSQL, or a file.
 *
 * @throws {UsageError} for an address of another kind, or one that cannot be read.
 */
export function placeOf(name: string): NamedJournal {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(name)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'file', path: name };
  if (scheme !== 'postgres' && scheme !== 'postgresql') {
    throw new UsageError(
      `a journal is a file or a database "postgres://USER@HOST/DATABASE", and not one of "${printable(scheme)}".`,
    );
  }
  if (!URL.canParse(name)) {
    throw new UsageError(
      'the address of the journal cannot be read: postgres://USER@HOST/DATABASE, with the characters of a password that mean something in an address written as %40 and the like.',
    );
  }
  return { kind: 'postgres', address: name };
}

/** The file of a journal in the user's state folder; everything in its folder is readable for its owner only. */
export function defaultJournalPath(): string {
  return join(userStateFolder(), 'journal.db');
}

/** A name as it can be shown: without the password of an address, which drivers then take from the environment or a file. */
export function shownName(name: string): string {
  const scheme = name.indexOf('://');
  if (scheme < 0) return name;
  if (!URL.canParse(name)) return `${name.slice(0, scheme)}://…`;
  const address = new URL(name);
  address.password = '';
  address.searchParams.delete('password');
  return address.href;
}

/** A journal as it is called in a sentence. */
export function printedName(
  name: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const named = name ?? namedByEnvironment(variables);
  return named === undefined
    ? 'the journal in the state folder of the user'
    : `the journal "${printable(shownName(named))}"`;
}

/** What names the journal on a command line, and where its long rows are, with a space before it; empty for the default. */
export function journalOption(names: JournalNames | undefined): string {
  const journal = names?.journal === undefined ? '' : ` --journal ${shellWord(shownName(names.journal))}`;
  return names?.blobs === undefined ? journal : `${journal} --blobs ${shellWord(names.blobs)}`;
}

/** What a journal is on this machine; undefined: it is elsewhere. */
export interface JournalPaths {
  readonly journal: string | undefined;
  /** The folder of rows that are too long for it. */
  readonly blobs: string | undefined;
}

/**
 * @param names what the command line says; undefined: the default.
 * @throws {UsageError} for a journal, or a folder of its rows, inside the folder that the agent works on: the agent could read and change it.
 */
export function refuseJournalInside(
  names: JournalNames | undefined,
  { blobs, journal: path }: JournalPaths,
  workspace: string | undefined,
): void {
  if (workspace === undefined) return;
  if (blobs !== undefined && isInsideFolder(blobs, workspace)) {
    throw new UsageError(
      `the folder of blobs "${printable(blobs)}" would be inside the folder that the agent works on. Name a folder outside of it.`,
    );
  }
  if (path === undefined || !isInsideFolder(path, workspace)) return;
  throw new UsageError(
    names?.journal === undefined
      ? `the journal "${printable(path)}" would be inside the folder that the agent works on: set XDG_STATE_HOME to a folder outside of it, or name a file with --journal FILE.`
      : `the journal "${printable(path)}" would be inside the folder that the agent works on. Name a file outside of it, or leave the name out.`,
  );
}
