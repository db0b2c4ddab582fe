import { SessionBusyError } from '../../core/error/index.ts';
import type { RunJournal, RunLease } from '../../core/runtime/index.ts';
import { endedLeaseOf } from './run-info.ts';

/** A journal that gives the session of a process of this command which has ended to the next one at once, and not only when its lease has run out. */
export function takingOver(journal: RunJournal & AsyncDisposable): RunJournal & AsyncDisposable {
  return {
    append: (batch, lease) => journal.append(batch, lease),
    read: (runId, from) => journal.read(runId, from),
    acquire: (sessionId, ended) => acquire(journal, sessionId, ended),
    revoke: (sessionId) => journal.revoke(sessionId),
    runs: (filter) => journal.runs(filter),
    remove: (runId, lease) => journal.remove(runId, lease),
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

async function acquire(
  journal: RunJournal,
  ...[sessionId, ended]: Parameters<RunJournal['acquire']>
): Promise<RunLease> {
  try {
    return await journal.acquire(sessionId, ended);
  } catch (error) {
    const lease = SessionBusyError.isInstance(error) ? await endedLeaseOf(journal, sessionId) : undefined;
    if (lease === undefined) throw error;
    return journal.acquire(sessionId, lease);
  }
}
