import type { JournalLedger, RunLease } from '../../core/runtime/index.ts';
import type { LeaseKey, LeaseMoment, LedgerBackend } from './journal-backend.ts';

/** How a journal asks its backend. */
export interface LedgerAccess {
  readonly moment: () => LeaseMoment;
  /** @throws {JournalError} for a journal that is only read. */
  readonly assertWritable: () => void;
  /** Rejects with errors of the journal. */
  readonly ask: <T>(work: () => Promise<T>) => Promise<T>;
  /** As {@link ask}, for what only the owner of a session may do. */
  readonly askAsOwner: <T>(lease: RunLease, work: (key: LeaseKey) => Promise<T>) => Promise<T>;
}

/** The ledger of a journal over a backend. */
export function leasedLedger(
  ledger: LedgerBackend,
  { moment, assertWritable, ask, askAsOwner }: LedgerAccess,
): JournalLedger {
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    assertWritable();
    return ask(work);
  };
  return {
    once: (call, lease, purpose) => askAsOwner(lease, (key) => ledger.once(call, key, purpose, moment())),
    onceKeys: (filter = {}) => ask(() => ledger.onceKeys(filter, moment())),
    settleOnce: (key, outcome) => write(() => ledger.settleOnce(key, outcome, moment())),
    pruneOnce: (beforeMs) => write(() => ledger.pruneOnce(beforeMs)),
    reserve: (request, lease) => askAsOwner(lease, (key) => ledger.reserve(request, key, moment())),
    spend: (source, spends) => write(() => ledger.spend(source, spends, moment())),
    budgets: (filter = {}) => ask(() => ledger.budgets(filter, moment())),
    pruneBudgets: (beforeMs) => write(() => ledger.pruneBudgets(beforeMs, moment())),
  };
}
