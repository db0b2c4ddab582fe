import { createRequire } from 'node:module';
import { join } from 'node:path';
import { sqliteJournal } from 'weakincentives/sqlite';

/** @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place */
export function openJournal({ folder, clock, leaseTimeoutMs }) {
  // The package has no types.
  const Database = createRequire(import.meta.url)('better-sqlite3');
  return sqliteJournal({ database: new Database(join(folder, 'runs.db')), clock, leaseTimeoutMs });
}
