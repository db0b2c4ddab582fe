import { JournalError } from '../../core/error/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import type { JournalBlobs } from '../../durable/blobs/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { databaseProblem } from './database-problem.ts';
import { shownName } from './journal-name.ts';

/** A journal that the command has opened. */
export type OpenedJournal = RunJournal & AsyncDisposable;

/** How a journal is opened. */
export interface OpenJournalOptions {
  /** It is only read, and stays as it is: one of an earlier version is not migrated. Default: false. */
  readonly readOnly?: boolean;
  /** How many connections to a database are used at a time. Default: 4. */
  readonly maxConnections?: number;
}

/** How a journal is opened in its place. */
export interface OpenPlaceOptions extends OpenJournalOptions {
  /** Absent: all rows are in the journal. */
  readonly blobs?: JournalBlobs;
}

/** What is said of a journal that cannot be used; any other error as it is. */
export function unusable(name: string, error: unknown): unknown {
  if (!JournalError.isInstance(error)) return error;
  return new UsageError(
    `the journal "${printable(shownName(name))}" cannot be used: ${databaseProblem(error)}`,
    { cause: error },
  );
}
