import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteJournal } from 'weakincentives/sqlite';

/** @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place */
export function openJournal({ folder, clock, leaseTimeoutMs }) {
  // The types of Node 20 do not have the module.
  const { DatabaseSync } = /** @type {any} */ (process.getBuiltinModule('node:sqlite'));
  const database = new DatabaseSync(join(folder, 'runs.db'));
  return sqliteJournal({ database, clock, leaseTimeoutMs });
}

/**
 * Leaves half of a frame at the end of the log of the database.
 * @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place
 */
export function tearJournal({ folder }) {
  const log = join(folder, 'runs.db-wal');
  const content = readFileSync(log);
  const frameBytes = 24 + content.readUInt32BE(8);
  const frame = content.subarray(-frameBytes);
  writeFileSync(log, Buffer.concat([content, frame.subarray(0, frameBytes / 2)]));
}
