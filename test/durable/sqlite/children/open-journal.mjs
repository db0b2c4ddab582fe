import { once } from 'node:events';
import { sqliteJournal } from 'weakincentives/sqlite';

/**
 * A journal in either form, of the built package.
 * @param {string} form `file` or `database`
 * @param {string} file
 * @param {number} [leaseTimeoutMs]
 */
export function openJournal(form, file, leaseTimeoutMs = 60_000) {
  if (form === 'file') return sqliteJournal({ file, leaseTimeoutMs });
  // The types of Node 20 do not have the module.
  const sqlite = /** @type {any} */ (process.getBuiltinModule('node:sqlite'));
  return sqliteJournal({ database: new sqlite.DatabaseSync(file), leaseTimeoutMs });
}

/**
 * Whether a journal failed because others had the lock for writing. SQLite serves locks in no order, so that two busy writers can keep each other, or a third one, waiting for longer than
 * a journal does; then it is tried again, as a run does.
 * @param {unknown} error
 */
export function isLockedOut(error) {
  return error instanceof Error && 'code' in error && error.code === 'journal-failed' && String(error.cause).includes('locked');
}

/** What the writer of a run says of it. */
export const summary = /** @type {const} */ ({
  status: 'running',
  promptName: 'tests:durable',
  startedAtMs: 1,
  updatedAtMs: 2,
  turns: 0,
  commits: 0,
  pending: 0,
});

/**
 * Prints a line, and waits while its reader has not read the lines before.
 * @param {number | undefined} number
 */
export async function print(number) {
  if (!process.stdout.write(`${number}\n`)) await once(process.stdout, 'drain');
}
