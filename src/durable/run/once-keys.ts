import type { JournalLedger, OnceHooks, RunLease } from '../../core/runtime/index.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';

/**
 * The keys of the calls of a run with a journal. Every process that is killed, at any time, leaves a key as it is:
 *
 * - before the call has asked: unchanged;
 * - from then on until the `begin` row is durable: the key has an owner that has not begun. Its handler did not run, so the key is free when the lease of the owner is over;
 * - from then on until the result is known and durable: begun, in one transaction with the `begin` row. It is in doubt when the lease is over: in the ledger exactly where it is in
 *   doubt in the rows;
 * - from then on: `done`, free or in doubt. A success can be durable before the row of its commit, with rows that were flushed meanwhile: then the resumed run, for which the call is in doubt, finds
 *   that it was done.
 *
 * @returns undefined where the journal has no ledger.
 */
export function onceKeys(
  ledger: JournalLedger | undefined,
  lease: RunLease,
  writer: JournalWriter,
): OnceHooks | undefined {
  return (
    ledger && {
      ask: (call, purpose) => writer.untilDone(() => ledger.once(call, lease, purpose)),
      change: (change) => writer.changeOnce(change),
    }
  );
}
