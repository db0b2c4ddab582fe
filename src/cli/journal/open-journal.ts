import { existsSync } from 'node:fs';
import { MissingPeerError } from '../../core/error/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { defaultJournalPath, type NamedJournal, namedByEnvironment, placeOf } from './journal-name.ts';
import { type OpenedJournal, type OpenJournalOptions, unusable } from './opened-journal.ts';

/**
 * Where journals come from. A name is that of a file or the address of a database; one that is undefined is that of the environment variable `WINK_JOURNAL`, or else a file in the
 * user's state folder.
 */
export interface Journals {
  /**
   * Opens a journal; a file is made when there is none.
   *
   * @throws {UsageError} when this version of Node has no `node:sqlite`, the package `pg` is not installed, and for a journal that cannot be used.
   */
  open(name: string | undefined, options?: OpenJournalOptions): Promise<OpenedJournal>;
  /** Opens a journal as {@link open}; undefined when no name was given and its file does not exist. A file that is named has to exist. */
  openExisting(name: string | undefined, options?: OpenJournalOptions): Promise<OpenedJournal | undefined>;
  /** The file of a journal; undefined for one in a database of its own. */
  pathOf(name: string | undefined): string | undefined;
}

type Variables = CliEnvironment['variables'];

function placeNamed(name: string | undefined, variables: Variables): NamedJournal {
  const named = name ?? namedByEnvironment(variables);
  return named === undefined ? { kind: 'file', path: defaultJournalPath() } : placeOf(named);
}

/** Journals in SQLite files and PostgreSQL databases. */
export function journalsOf({ variables }: Pick<CliEnvironment, 'variables'>): Journals {
  const open = (place: NamedJournal, options: OpenJournalOptions = {}): Promise<OpenedJournal> =>
    place.kind === 'file' ? openFile(place.path, options) : openDatabase(place.address, options);
  return {
    open: async (name, options) => open(placeNamed(name, variables), options),
    openExisting: async (name, options) => {
      const place = placeNamed(name, variables);
      if (place.kind === 'postgres' || existsSync(place.path)) return open(place, options);
      if (name === undefined) return undefined;
      throw new UsageError(`the journal "${printable(name)}" does not exist.`);
    },
    pathOf: (name) => {
      const place = placeNamed(name, variables);
      return place.kind === 'file' ? place.path : undefined;
    },
  };
}

/**
 * Makes the tables of a journal, or brings those of an earlier version to this one.
 *
 * @throws {UsageError} as {@link Journals.open}.
 */
export async function migrateJournal(name: string | undefined, variables: Variables): Promise<void> {
  const place = placeNamed(name, variables);
  if (place.kind === 'postgres') {
    const { migrateDatabase } = await import('./open-database.ts');
    return migrateDatabase(place.address);
  }
  const journal = await openFile(place.path, {});
  return journal[Symbol.asyncDispose]();
}

async function openDatabase(address: string, options: OpenJournalOptions): Promise<OpenedJournal> {
  const { openDatabaseJournal } = await import('./open-database.ts');
  return openDatabaseJournal(address, options);
}

async function openFile(
  path: string,
  { readOnly = false }: Pick<OpenJournalOptions, 'readOnly'>,
): Promise<OpenedJournal> {
  const { sqliteJournal } = await import('../../durable/sqlite/index.ts');
  try {
    const journal = sqliteJournal({ file: path, readOnly });
    // Opens the file now: nothing has begun yet that depends on it.
    await journal.runs({ sessionId: '' });
    return journal;
  } catch (error) {
    if (MissingPeerError.isInstance(error)) {
      throw new UsageError(
        `the journal of durable runs needs "node:sqlite", which Node ${process.versions.node} does not have: use Node 22.13 or later, a journal in PostgreSQL, or run without a journal.`,
        { cause: error },
      );
    }
    throw unusable(path, error);
  }
}
