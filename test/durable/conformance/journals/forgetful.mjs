import { openJournal as openSqlite } from './sqlite-file.mjs';

/**
 * A journal that says too early that rows are durable: it writes them with the next ones.
 * @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place
 * @returns {import('weakincentives/sqlite').SqliteRunJournal}
 */
export function openJournal(place) {
  const journal = openSqlite(place);
  /** @type {(() => Promise<void>) | undefined} */
  let held;
  const write = async () => {
    const writing = held;
    held = undefined;
    await writing?.();
  };
  return {
    append: async (batch, lease) => {
      await write();
      held = () => journal.append(batch, lease).then(() => undefined);
      return { waiting: 0, isCancelled: false };
    },
    acquire: async (sessionId) => {
      const lease = await journal.acquire(sessionId);
      const release = async () => {
        await write();
        await lease.release();
      };
      return { ...lease, release };
    },
    read: (runId, from) => journal.read(runId, from),
    revoke: (sessionId) => journal.revoke(sessionId),
    runs: (filter) => journal.runs(filter),
    remove: (runId, lease) => journal.remove(runId, lease),
    send: (runId, message) => journal.send(runId, message),
    messages: (runId) => journal.messages(runId),
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}
