import { describe, expect, it } from 'vitest';
import {
  JournalFencedError,
  type JournalLedger,
  type OnceAnswer,
  type OnceCall,
  type OnceChange,
  type RunJournal,
  type RunLease,
} from 'weakincentives';
import { journalSpendingContract } from './journal-spending.ts';
import { rowsOf, summaryOf } from './run-journal.ts';

type End =
  | { readonly kind: 'begun' | 'not-done' | 'in-doubt' }
  | { readonly kind: 'done'; readonly result: string };

/** A call of the tool "pay". */
export const onceCall = (call: string, changes: Partial<OnceCall> = {}): OnceCall => ({
  toolName: 'pay',
  key: 'invoice/1',
  digest: 'd1',
  call,
  atMs: 10,
  ...changes,
});

/** The ledger of a journal that has one. */
export function ledgerOf({ ledger }: RunJournal): JournalLedger {
  if (ledger === undefined) throw new Error('The journal has no ledger.');
  return ledger;
}

/** Writes what becomes of a key, with the next row of a run of the session. */
export async function changeOnce(
  journal: RunJournal,
  lease: RunLease,
  ...changes: readonly (OnceCall & End)[]
): Promise<void> {
  const runId = `run of ${lease.sessionId}`;
  const { length } = await journal.read(runId);
  const once: readonly OnceChange[] = changes;
  await journal.append({ runId, rows: rowsOf(length, 1), summary: summaryOf(), once }, lease);
}

/**
 * The contract of the ledger of a {@link RunJournal}.
 *
 * @param open makes a journal that no other test uses.
 */
export function journalLedgerContract(open: () => RunJournal): void {
  const done = (result: string) => ({ kind: 'done', result }) as const;
  const begin = (journal: RunJournal, lease: RunLease, call: OnceCall): Promise<OnceAnswer> =>
    ledgerOf(journal).once(call, lease, 'begin');

  describe('what tools do once', () => {
    it('is done by the first call, and found by the others with what the model read', async () => {
      const journal = open();
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const first = onceCall('r/1/c');
      expect(await begin(journal, lease, first)).toEqual({ kind: 'free' });
      await changeOnce(journal, lease, { ...first, kind: 'begun' });
      expect(await begin(journal, other, onceCall('x/1/c'))).toEqual({ kind: 'busy' });
      await changeOnce(journal, lease, { ...first, atMs: 20, ...done('Paid.') });
      const found = { kind: 'done', result: 'Paid.' };
      expect(await begin(journal, other, onceCall('x/1/c'))).toEqual(found);
      expect(await begin(journal, lease, onceCall('r/2/c'))).toEqual(found);
      expect(await ledgerOf(journal).once(first, lease, 'find-out')).toEqual(found);
      // Another key, and another tool.
      expect(await begin(journal, other, onceCall('x/2/c', { key: 'invoice/2' }))).toEqual({ kind: 'free' });
      expect(await begin(journal, other, onceCall('x/3/c', { toolName: 'send' }))).toEqual({ kind: 'free' });
    });

    it('differs for other arguments, whatever has become of it', async () => {
      const journal = open();
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const first = onceCall('r/1/c');
      const different = onceCall('x/1/c', { digest: 'd2' });
      await begin(journal, lease, first);
      expect(await begin(journal, other, different)).toEqual({ kind: 'differs' });
      await changeOnce(journal, lease, { ...first, kind: 'begun' });
      expect(await begin(journal, other, different)).toEqual({ kind: 'differs' });
      await changeOnce(journal, lease, { ...first, kind: 'in-doubt' });
      expect(await begin(journal, other, different)).toEqual({ kind: 'differs' });
      await ledgerOf(journal).settleOnce(first, { ...done('ok'), atMs: 1 });
      expect(await begin(journal, other, different)).toEqual({ kind: 'differs' });
    });

    it('is free again when the handler of its owner had not begun, and in doubt when it had', async () => {
      const journal = open();
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const [claimed, begun] = [onceCall('r/1/c'), onceCall('r/2/c', { key: 'invoice/2' })];
      await begin(journal, lease, claimed);
      await begin(journal, lease, begun);
      await changeOnce(journal, lease, { ...begun, kind: 'begun' });
      expect(await begin(journal, other, onceCall('x/1/c'))).toEqual({ kind: 'busy' });
      await lease.release();
      const changed = onceCall('x/1/c', { digest: 'd2' });
      expect(await ledgerOf(journal).once(changed, other, 'find-out')).toEqual({ kind: 'free' });
      expect(await begin(journal, other, changed)).toEqual({ kind: 'free' });
      const asking = onceCall('x/2/c', { key: 'invoice/2' });
      expect(await begin(journal, other, asking)).toEqual({ kind: 'in-doubt', began: 'r/2/c' });
      // Now the other call has it, and finds out.
      const third = await journal.acquire('u');
      expect(await begin(journal, third, onceCall('y/2/c', { key: 'invoice/2' }))).toEqual({ kind: 'busy' });
      await changeOnce(journal, other, { ...asking, kind: 'in-doubt' });
      expect(await begin(journal, third, onceCall('y/2/c', { key: 'invoice/2' }))).toEqual({
        kind: 'in-doubt',
        began: 'r/2/c',
      });
    });

    it('belongs to a call, not to its session', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const first = onceCall('r/1/c');
      await begin(journal, lease, first);
      // The next attempt of the same call.
      expect(await begin(journal, lease, { ...first, atMs: 11 })).toEqual({ kind: 'free' });
      expect(await begin(journal, lease, onceCall('r/1/d'))).toEqual({ kind: 'busy' });
      await changeOnce(journal, lease, { ...first, kind: 'begun' });
      expect(await begin(journal, lease, onceCall('r/1/d'))).toEqual({ kind: 'busy' });
      // The call itself, resumed.
      await lease.release();
      const again = await journal.acquire('s');
      expect(await ledgerOf(journal).once(first, again, 'find-out')).toEqual({
        kind: 'in-doubt',
        began: 'r/1/c',
      });
    });

    it('is free when the handler says that nothing was done', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const first = onceCall('r/1/c');
      await begin(journal, lease, first);
      await changeOnce(journal, lease, { ...first, kind: 'begun' });
      await changeOnce(journal, lease, { ...first, kind: 'not-done' });
      expect(await ledgerOf(journal).onceKeys()).toEqual([]);
      const different = onceCall('r/2/c', { digest: 'd2' });
      expect(await begin(journal, lease, different)).toEqual({ kind: 'free' });
      // One that does not have it says nothing of it.
      await changeOnce(journal, lease, { ...first, kind: 'not-done' }, { ...first, kind: 'in-doubt' });
      await changeOnce(journal, lease, { ...different, kind: 'begun' });
    });

    it('is done by whoever says so, and stays as it was done first', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const first = onceCall('r/1/c');
      await changeOnce(journal, lease, { ...first, ...done('one') });
      await changeOnce(journal, lease, { ...onceCall('r/2/c'), ...done('two') });
      await changeOnce(journal, lease, { ...first, kind: 'not-done' });
      expect(await begin(journal, lease, onceCall('r/3/c'))).toEqual({
        kind: 'done',
        result: 'one',
      });
    });

    it('is changed in one transaction with rows', async () => {
      const journal = open();
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const first = onceCall('r/1/c');
      await begin(journal, lease, first);
      // Rows that do not follow.
      const gap = { runId: 'r', rows: rowsOf(4, 1), summary: summaryOf() };
      await expect(
        journal.append({ ...gap, once: [{ ...first, ...done('lost') }] }, lease),
      ).rejects.toSatisfy(JournalFencedError.isInstance);
      // A call begins that does not have its key: neither its row nor what came before it is there.
      const wrong = onceCall('x/1/c');
      const more = onceCall('x/1/d', { key: 'invoice/9' });
      const refused = changeOnce(journal, other, { ...more, ...done('lost') }, { ...wrong, kind: 'begun' });
      await expect(refused).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await journal.read('run of t')).toEqual([]);
      expect(await ledgerOf(journal).onceKeys()).toMatchObject([{ state: 'begun', call: 'r/1/c' }]);
      // The lease is not to blame.
      expect(other.signal.aborted).toBe(false);
      await changeOnce(journal, lease, { ...first, kind: 'begun' }, { ...first, ...done('kept') });
      expect(await journal.read('run of s')).toHaveLength(1);
      expect(await ledgerOf(journal).onceKeys()).toMatchObject([{ state: 'done', result: 'kept' }]);
    });

    it('is asked for by the owner of a session only', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.revoke('s');
      await expect(begin(journal, lease, onceCall('r/1/c'))).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await ledgerOf(journal).onceKeys()).toEqual([]);
    });

    it('is begun by one of many that ask at once', async () => {
      const journal = open();
      const leases = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => journal.acquire(name)));
      const answers = await Promise.all(
        leases.map((lease) => begin(journal, lease, onceCall(`${lease.sessionId}/1/c`))),
      );
      expect(answers.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'busy', 'busy', 'free']);
    });

    it('is settled by a person only where it is in doubt', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const lease = await journal.acquire('s');
      const other = await journal.acquire('t');
      const calls = ['begun', 'first', 'second'].map((key) => onceCall(`r/1/${key}`, { key }));
      for (const call of calls) {
        await begin(journal, lease, call);
        await changeOnce(journal, lease, { ...call, kind: 'begun' });
      }
      const [begun = onceCall(''), first = onceCall(''), second = onceCall('')] = calls;
      await changeOnce(journal, lease, { ...first, kind: 'in-doubt' }, { ...second, kind: 'in-doubt' });
      const outcome = { ...done('Paid, the bank says.'), atMs: 30 };
      expect(await ledger.settleOnce({ toolName: 'pay', key: 'unknown' }, outcome)).toBeUndefined();
      expect(await ledger.settleOnce(begun, outcome)).toMatchObject({ state: 'begun' });
      expect(await ledger.settleOnce(first, outcome)).toEqual({
        toolName: 'pay',
        key: 'first',
        state: 'in-doubt',
        call: 'r/1/first',
        atMs: 10,
      });
      expect(await ledger.settleOnce(first, { kind: 'not-done' })).toMatchObject({ state: 'done' });
      expect(await ledger.settleOnce(second, { kind: 'not-done' })).toMatchObject({ state: 'in-doubt' });
      const again = onceCall('x/1/c', { key: 'first' });
      expect(await begin(journal, other, again)).toEqual({
        kind: 'done',
        result: 'Paid, the bank says.',
      });
      expect(await begin(journal, other, { ...again, key: 'second' })).toEqual({ kind: 'free' });
    });

    it('is listed, the last ones first', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const lease = await journal.acquire('s');
      const doubt = onceCall('r/1/c', { atMs: 1 });
      const paid = onceCall('r/2/c', { key: 'invoice/2', atMs: 2 });
      const sent = onceCall('r/3/c', { toolName: 'send', key: 'mail', atMs: 3 });
      await begin(journal, lease, doubt);
      await changeOnce(journal, lease, { ...doubt, kind: 'begun' });
      await changeOnce(journal, lease, { ...doubt, kind: 'in-doubt' }, { ...paid, ...done('ok') });
      await begin(journal, lease, sent);
      const listed = [
        { toolName: 'send', key: 'mail', state: 'begun', call: 'r/3/c', atMs: 3 },
        { toolName: 'pay', key: 'invoice/2', state: 'done', call: 'r/2/c', atMs: 2, result: 'ok' },
        { toolName: 'pay', key: 'invoice/1', state: 'in-doubt', call: 'r/1/c', atMs: 1 },
      ];
      expect(await ledger.onceKeys()).toEqual(listed);
      expect(await ledger.onceKeys({ toolName: 'pay' })).toEqual(listed.slice(1));
      expect(await ledger.onceKeys({ toolName: 'pay', key: 'mail' })).toEqual([]);
      expect(await ledger.onceKeys({ state: 'in-doubt' })).toEqual(listed.slice(2));
      // One whose owner is gone before its handler began is free.
      await lease.release();
      expect(await ledger.onceKeys()).toEqual(listed.slice(1));
    });

    it('is forgotten when it was done before a time, and never when it is in doubt', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const lease = await journal.acquire('s');
      const doubt = onceCall('r/1/c', { atMs: 1 });
      await begin(journal, lease, doubt);
      await changeOnce(journal, lease, { ...doubt, kind: 'begun' }, { ...doubt, kind: 'in-doubt' });
      for (const atMs of [1, 2, 3])
        await changeOnce(journal, lease, {
          ...onceCall(`r/2/${atMs}`, { key: `k${atMs}`, atMs }),
          ...done(''),
        });
      expect(await ledger.pruneOnce(3)).toBe(2);
      expect(await ledger.pruneOnce(3)).toBe(0);
      expect((await ledger.onceKeys()).map(({ key }) => key)).toEqual(['k3', 'invoice/1']);
    });

    it('outlives the runs, and keeps texts as they are', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const call = onceCall('r/1/c', { key: 'Rechnung „å“\n\u2028', toolName: 'pay' });
      await changeOnce(journal, lease, { ...call, ...done('é "\'\n\u0001😀') });
      await lease.release();
      await journal.remove('run of s');
      expect(await ledgerOf(journal).onceKeys()).toEqual([
        { toolName: 'pay', key: call.key, state: 'done', call: 'r/1/c', atMs: 10, result: 'é "\'\n\u0001😀' },
      ]);
    });
  });

  journalSpendingContract(open);
}
