import { existsSync } from 'node:fs';
import { MissingPeerError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import {
  defaultJournalPath,
  type JournalPaths,
  type NamedJournal,
  namedByEnvironment,
  placeOf,
} from './journal-name.ts';
import { type BlobsPlace, blobsPlace, openBlobs } from './open-blobs.ts';
import {
  type OpenedJournal,
  type OpenJournalOptions,
  type OpenPlaceOptions,
  unusable,
} from './opened-journal.ts';

/**
 * Where journals come from. A name is that of a file or the address of a database; one that is undefined is that of the environment variable `WINK_JOURNAL`, or else a file in the
 * user's state folder. Rows that are too long for it are in the place that is named with it, or by the environment variable `WINK_BLOBS`.
 */
export interface Journals {
  /**
   * Opens a journal; a file is made when there is none, and so is the folder of its blobs. That of a journal in a database has to exist.
   *
   * @throws {UsageError} when this version of Node has no `node:sqlite`, the package `pg` is not installed, and for a journal or blobs that cannot be used.
   */
  open(names: JournalNames | undefined, options?: OpenJournalOptions): Promise<OpenedJournal>;
  /** Opens a journal as {@link open}; undefined when no name was given and its file does not exist. A file that is named has to exist, and so has the folder of its blobs. */
  openExisting(
    names: JournalNames | undefined,
    options?: OpenJournalOptions,
  ): Promise<OpenedJournal | undefined>;
  /** What of a journal is on this machine. */
  pathsOf(names: JournalNames | undefined): JournalPaths;
}

type Variables = CliEnvironment['variables'];

function placeNamed(name: string | undefined, variables: Variables): NamedJournal {
  const named = name ?? namedByEnvironment(variables);
  return named === undefined ? { kind: 'file', path: defaultJournalPath() } : placeOf(named);
}

/** Journals in SQLite files and PostgreSQL databases. */
export function journalsOf({
  cacheFolder,
  variables,
}: Pick<CliEnvironment, 'cacheFolder' | 'variables'>): Journals {
  const placesOf = (names: JournalNames | undefined): JournalPlaces => ({
    journal: placeNamed(names?.journal, variables),
    blobs: blobsPlace(names, variables),
  });
  const open = async (
    { blobs, journal }: JournalPlaces,
    isMade: boolean,
    options: OpenJournalOptions = {},
  ): Promise<OpenedJournal> => {
    const ifAbsent = journal.kind === 'postgres' ? 'shared' : isMade ? 'make' : 'refuse';
    const opened: OpenPlaceOptions = {
      ...options,
      ...present({
        blobs: blobs === undefined ? undefined : { store: await openBlobs(blobs, { cacheFolder, ifAbsent }) },
      }),
    };
    return journal.kind === 'file' ? openFile(journal.path, opened) : openDatabase(journal.address, opened);
  };
  return {
    open: async (names, options) => open(placesOf(names), true, options),
    openExisting: async (names, options) => {
      const places = placesOf(names);
      const { journal } = places;
      if (journal.kind === 'postgres' || existsSync(journal.path)) return open(places, false, options);
      if (names?.journal === undefined) return undefined;
      throw new UsageError(`the journal "${printable(names.journal)}" does not exist.`);
    },
    pathsOf: (names) => {
      const { blobs, journal } = placesOf(names);
      return {
        journal: journal.kind === 'file' ? journal.path : undefined,
        blobs: blobs?.kind === 'folder' ? blobs.path : undefined,
      };
    },
  };
}

/** What the names of a journal mean. */
interface JournalPlaces {
  readonly journal: NamedJournal;
  readonly blobs: BlobsPlace | undefined;
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

async function openDatabase(address: string, options: OpenPlaceOptions): Promise<OpenedJournal> {
  const { openDatabaseJournal } = await import('./open-database.ts');
  return openDatabaseJournal(address, options);
}

async function openFile(
  path: string,
  { blobs, readOnly = false }: Omit<OpenPlaceOptions, 'maxConnections'>,
): Promise<OpenedJournal> {
  const { sqliteJournal } = await import('../../durable/sqlite/index.ts');
  try {
    const journal = sqliteJournal({ file: path, readOnly, ...present({ blobs }) });
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
