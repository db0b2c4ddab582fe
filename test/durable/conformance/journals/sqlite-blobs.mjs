import { join } from 'node:path';
import { directoryBlobs } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';

/**
 * Most rows are in the folder.
 *
 * @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place
 */
export function openJournal({ folder, clock, leaseTimeoutMs }) {
  const store = directoryBlobs({ folder: join(folder, 'contents') });
  const blobs = { store, maxRowCharacters: 100 };
  return sqliteJournal({ file: join(folder, 'runs.db'), clock, leaseTimeoutMs, blobs });
}
