import type { BudgetAmounts, BudgetShare, OnceAnswer } from '../../../core/runtime/index.ts';
import { fenced, type JournalBackend } from '../../journal/index.ts';
import type { SqliteDatabase } from './database.ts';
import { JournalStore } from './journal-store.ts';
import { emptyLog, isDamage, type OpenedStore } from './open-store.ts';
import { sharedConnection } from './shared-connection.ts';

/**
 * A journal on a connection of the caller. Everything happens before the call returns.
 *
 * @param opened what opening the store has found out.
 */
export function localBackend(
  database: SqliteDatabase,
  { format }: Pick<OpenedStore, 'format'>,
): JournalBackend {
  const store = new JournalStore(database, format);
  const connection = sharedConnection(database);
  let stopListening = (): void => undefined;
  return {
    async append(batch, lease, moment) {
      return connection.append(batch, lease.owner, () => store.append(batch, lease, moment));
    },
    async read(runId, from) {
      return store.read(runId, from);
    },
    async acquire(sessionId, owner, moment, ended) {
      store.assertFree(sessionId, owner, moment, ended);
      const acquired = connection.write(() => store.acquire(sessionId, owner, moment, ended));
      if (acquired.formerOwner !== undefined) connection.letGo(acquired.formerOwner);
      connection.hold(owner);
      return acquired;
    },
    async renew(leases, moment) {
      const lost = connection.write(() => store.renew(leases, moment));
      for (const owner of lost) connection.letGo(owner);
      return lost;
    },
    async release(lease) {
      try {
        connection.write(() => store.release(lease));
      } finally {
        connection.letGo(lease.owner);
      }
    },
    async revoke(sessionId) {
      const owner = connection.write(() => store.revoke(sessionId));
      if (owner !== undefined) connection.letGo(owner);
      return owner;
    },
    async send(runId, message) {
      return connection.write(() => store.send(runId, message));
    },
    async messages(runId) {
      return store.messages(runId);
    },
    async inboxes(runIds) {
      return store.inboxes(runIds);
    },
    async runs(filter, moment) {
      return store.runs(filter, moment);
    },
    async remove(runId, lease, moment) {
      connection.write(() => store.remove(runId, lease, moment));
      if (!connection.isInCall) emptyLog(database);
    },
    ledger: {
      async once(call, lease, purpose, moment) {
        let answered: OnceAnswer | undefined;
        return connection.write(() => {
          const answer = store.once(call, lease, purpose, moment);
          answered ??= answer;
          // It is asked again where a call has ended whose transaction it was in.
          if (answer.kind !== answered.kind) throw fenced(lease);
          return answer;
        });
      },
      async onceKeys(filter, moment) {
        return store.onceKeys(filter, moment);
      },
      async settleOnce(key, outcome, moment) {
        return connection.write(() => store.settleOnce(key, outcome, moment));
      },
      async pruneOnce(beforeMs) {
        const count = connection.write(() => store.pruneOnce(beforeMs));
        if (!connection.isInCall) emptyLog(database);
        return count;
      },
      async reserve(request, lease, moment) {
        let answered: BudgetShare | undefined;
        return connection.write(() => {
          const share = store.reserve(request, lease, moment);
          answered ??= share;
          // As above: another run may have got it meanwhile.
          if (isLess(share, answered)) throw fenced(lease);
          return share;
        });
      },
      async spend(source, spends, moment) {
        connection.write(() => store.spend(source, spends, moment));
      },
      async budgets(filter, moment) {
        return store.budgets(filter, moment);
      },
      async pruneBudgets(beforeMs, moment) {
        const count = connection.write(() => store.pruneBudgets(beforeMs, moment));
        if (!connection.isInCall) emptyLog(database);
        return count;
      },
    },
    // The database is its caller's to close.
    close: async () => stopListening(),
    isDamage,
    onLoss: (listener) => {
      stopListening = connection.onLoss(listener);
    },
  };
}

function isLess({ upTo }: BudgetShare, { upTo: answered }: BudgetShare): boolean {
  return (Object.keys(upTo) as (keyof BudgetAmounts)[]).some((name) => upTo[name] < answered[name]);
}
