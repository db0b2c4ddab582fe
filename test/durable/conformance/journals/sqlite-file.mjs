import { join } from 'node:path';
import { sqliteJournal } from 'weakincentives/sqlite';

/** @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place */
export function openJournal({ folder, clock, leaseTimeoutMs }) {
  return sqliteJournal({ file: join(folder, 'runs.db'), clock, leaseTimeoutMs });
}
