import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, JournalError, MissingPeerError } from '../../core/error/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { userStateFolder } from '../../host/index.ts';
import { UsageError } from '../process/errors.ts';
import { isInsideFolder } from '../process/inside-folder.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';

/** A journal that the command has opened. */
export type OpenedJournal = RunJournal & AsyncDisposable;

/** Where journals come from. A file that is undefined is the one in the user's state folder. */
export interface JournalFiles {
  /**
   * Opens a journal, which is made when there is none.
   *
   * @throws {UsageError} when this version of Node has no `node:sqlite`, and for a file that cannot be used.
   */
  open(file: string | undefined): Promise<OpenedJournal>;
  /** Opens a journal as {@link open}; undefined when there is none in the user's state folder. A file that is named has to exist. */
  openExisting(file: string | undefined, options?: OpenJournalOptions): Promise<OpenedJournal | undefined>;
}

/** How a journal is opened. */
export interface OpenJournalOptions {
  /** It is only read, and stays as it is: one of an earlier version is not migrated. Default: false. */
  readonly readOnly?: boolean;
}

/** The file of a journal; the default is readable for its owner only, as everything in its folder. */
export function journalPath(file: string | undefined): string {
  return file ?? join(userStateFolder(), 'journal.db');
}

/** What names the journal on a command line, with a space before it; empty for the default. */
export function journalOption(file: string | undefined): string {
  return file === undefined ? '' : ` --journal ${shellWord(file)}`;
}

/** Journals in SQLite databases. */
export const sqliteJournalFiles: JournalFiles = {
  open: (file) => openJournal(file),
  openExisting: async (file, options) => {
    if (existsSync(journalPath(file))) return openJournal(file, options);
    if (file === undefined) return undefined;
    throw new UsageError(`the journal "${printable(file)}" does not exist.`);
  },
};

async function openJournal(
  file: string | undefined,
  { readOnly = false }: OpenJournalOptions = {},
): Promise<OpenedJournal> {
  const { sqliteJournal } = await import('../../durable/sqlite/index.ts');
  const path = journalPath(file);
  try {
    const journal = sqliteJournal({ file: path, readOnly });
    // Opens the file now: nothing has begun yet that depends on it.
    await journal.runs({ sessionId: '' });
    return journal;
  } catch (error) {
    if (MissingPeerError.isInstance(error)) {
      throw new UsageError(
        `the journal of durable runs needs "node:sqlite", which Node ${process.versions.node} does not have: use Node 22.13 or later, or run without a journal.`,
        { cause: error },
      );
    }
    if (!JournalError.isInstance(error)) throw error;
    throw new UsageError(
      `the journal "${printable(path)}" cannot be used: ${printable(describeError(error))}`,
      { cause: error },
    );
  }
}

/** @throws {UsageError} for a journal inside the folder that the agent works on: the agent could read and change it. */
export function refuseJournalInside(file: string | undefined, workspace: string | undefined): void {
  const path = journalPath(file);
  if (workspace === undefined || !isInsideFolder(path, workspace)) return;
  throw new UsageError(
    file === undefined
      ? `the journal "${printable(path)}" would be inside the folder that the agent works on: set XDG_STATE_HOME to a folder outside of it, or name a file with --journal FILE.`
      : `the journal "${printable(path)}" would be inside the folder that the agent works on. Name a file outside of it, or leave the name out.`,
  );
}
