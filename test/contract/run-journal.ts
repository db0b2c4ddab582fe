import { describe, expect, it } from 'vitest';
import {
  JournalFencedError,
  type JournalRow,
  type RunInbox,
  type RunJournal,
  type RunLease,
  type RunSummary,
  SessionBusyError,
} from 'weakincentives';

/** Rows from number `from` on. */
export const rowsOf = (from: number, count: number, type = 'note'): JournalRow[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    type,
    line: JSON.stringify({ seq: from + index, text: 'å\n\u2028\0"' }),
  }));

/** What the writer of a run says of it. */
export const summaryOf = (changes: Partial<RunSummary> = {}): RunSummary => ({
  status: 'running',
  promptName: 'tests:journal',
  startedAtMs: 1,
  updatedAtMs: 2,
  turns: 1,
  commits: 0,
  pending: 0,
  ...changes,
});

/**
 * The contract of {@link RunJournal}.
 *
 * @param open makes a journal that no other test uses.
 */
export function runJournalContract(open: () => RunJournal): void {
  describe('rows', () => {
    it('are read in order, from any number on', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 2), summary: summaryOf() }, lease);
      await journal.append({ runId: 'r', rows: rowsOf(2, 9), summary: summaryOf() }, lease);
      expect(await journal.read('r')).toEqual(rowsOf(0, 11));
      expect(await journal.read('r', 9)).toEqual(rowsOf(9, 2));
      expect(await journal.read('r', 11)).toEqual([]);
      expect(await journal.read('another')).toEqual([]);
    });

    it('keep their order when many are appended at once', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          journal.append({ runId: 'r', rows: rowsOf(index * 2, 2), summary: summaryOf() }, lease),
        ),
      );
      expect(await journal.read('r')).toEqual(rowsOf(0, 100));
    });

    it.each([
      ['leave a gap', rowsOf(3, 1)],
      ['are there already', rowsOf(1, 1)],
      ['have a gap among them', [...rowsOf(2, 1), ...rowsOf(4, 1)]],
    ])('are refused when they %s, and none is written', async (_, rows) => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 2), summary: summaryOf() }, lease);
      const refused = journal.append({ runId: 'r', rows, summary: summaryOf({ turns: 9 }) }, lease);
      await expect(refused).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await journal.read('r')).toEqual(rowsOf(0, 2));
      expect((await journal.runs())[0]).toMatchObject({ rows: 2, turns: 1 });
      // The lease is not to blame.
      expect(lease.signal.aborted).toBe(false);
      await journal.append({ runId: 'r', rows: rowsOf(2, 1), summary: summaryOf() }, lease);
    });

    it('of a refused batch do not keep out those that were appended at the same time', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const append = (runId: string, from: number): Promise<RunInbox> =>
        journal.append({ runId, rows: rowsOf(from, 1), summary: summaryOf() }, lease);
      const outcomes = await Promise.allSettled([
        append('a', 0),
        append('a', 5),
        append('b', 0),
        append('a', 1),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(await journal.read('a')).toEqual(rowsOf(0, 2));
    });

    it('may be none: only the summary is written', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await journal.append({ runId: 'r', rows: [], summary: summaryOf({ status: 'finished' }) }, lease);
      expect(await journal.runs()).toEqual([
        { ...summaryOf({ status: 'finished' }), runId: 'r', sessionId: 's', rows: 1, isReady: false },
      ]);
    });

    it('of a run of another session are refused', async () => {
      const journal = open();
      const [first, second] = [await journal.acquire('s'), await journal.acquire('t')];
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, first);
      const refused = journal.append({ runId: 'r', rows: rowsOf(1, 1), summary: summaryOf() }, second);
      await expect(refused).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await journal.read('r')).toEqual(rowsOf(0, 1));
    });
  });

  describe('a session', () => {
    it('has one owner at a time, also of the same name', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
      const other = await journal.acquire('t');
      expect(other.owner).not.toBe(lease.owner);
      expect(lease.isHeld()).toBe(true);
      await lease.release();
      expect(lease.isHeld()).toBe(false);
      await lease.release();
      const next = await journal.acquire('s');
      expect(next.owner).not.toBe(lease.owner);
      expect(next.epoch).toBeGreaterThan(lease.epoch);
      expect(next.signal.aborted).toBe(false);
      expect([lease, other, next].map((each) => each.isHeld())).toEqual([false, true, true]);
    });

    it('is acquired by one of many who try at the same time', async () => {
      const journal = open();
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => journal.acquire('s')));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('is not written by an owner whose lease was released', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await lease.release();
      const append = (): Promise<RunInbox> =>
        journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await expect(append()).rejects.toSatisfy(JournalFencedError.isInstance);
      const next = await journal.acquire('s');
      await expect(append()).rejects.toSatisfy(JournalFencedError.isInstance);
      await lease.release();
      // Releasing the old lease did not end the new one.
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, next);
    });

    it('is taken from its owner, which is notified and cannot write any more', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const other = await journal.acquire('t');
      await journal.revoke('s');
      await journal.revoke('unknown');
      expect(JournalFencedError.isInstance(lease.signal.reason)).toBe(true);
      expect(other.signal.aborted).toBe(false);
      expect([lease.isHeld(), other.isHeld()]).toEqual([false, true]);
      const append = journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await expect(append).rejects.toSatisfy(JournalFencedError.isInstance);
      const next = await journal.acquire('s');
      expect(next.epoch).toBeGreaterThan(lease.epoch);
      await lease.release();
      await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    });

    it('is taken over from an owner that is named as ended, once', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const other = await journal.acquire('t');
      const ended = { owner: lease.owner, epoch: lease.epoch };
      const outcomes = await Promise.allSettled([journal.acquire('s', ended), journal.acquire('s', ended)]);
      const [next] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refusals).toEqual([expect.any(SessionBusyError)]);
      expect(next?.epoch).toBeGreaterThan(lease.epoch);
      expect(JournalFencedError.isInstance(lease.signal.reason)).toBe(true);
      expect(next?.signal.aborted).toBe(false);
      expect([lease.isHeld(), next?.isHeld()]).toEqual([false, true]);
      expect(other.signal.aborted).toBe(false);
      const append = journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await expect(append).rejects.toSatisfy(JournalFencedError.isInstance);
      // Releasing the old lease did not end the new one.
      await lease.release();
      await expect(journal.acquire('s', ended)).rejects.toSatisfy(SessionBusyError.isInstance);
    });

    it.each([
      ['of another owner', ({ epoch }: RunLease) => ({ owner: 'another', epoch })],
      ['of another epoch', ({ owner, epoch }: RunLease) => ({ owner, epoch: epoch + 1 })],
    ])('is not taken over by the name of a lease %s', async (_, nameOf) => {
      const journal = open();
      const lease = await journal.acquire('s');
      await expect(journal.acquire('s', nameOf(lease))).rejects.toSatisfy(SessionBusyError.isInstance);
      expect(lease.signal.aborted).toBe(false);
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await lease.release();
      // A session without an owner is acquired as ever.
      await journal.acquire('s', nameOf(lease));
    });

    it('keeps its epoch growing when its runs are removed', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await lease.release();
      await journal.remove('r');
      expect((await journal.acquire('s')).epoch).toBeGreaterThan(lease.epoch);
    });
  });

  describe('an inbox', () => {
    const cancel = { id: 'cancel', kind: 'cancel', atMs: 5, by: 'ann', reason: 'obsolete' } as const;
    const nothing = { waiting: 0, isCancelled: false };
    const cancelled = { waiting: 1, isCancelled: true };

    it('keeps what is said until the owner takes it, with the rows that take it', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const append = (from: number, takes?: readonly string[]): Promise<RunInbox> => {
        const batch = { runId: 'r', rows: rowsOf(from, 1), summary: summaryOf() };
        return journal.append(takes === undefined ? batch : { ...batch, takes }, lease);
      };
      expect(await append(0)).toEqual(nothing);
      expect(await journal.messages('r')).toEqual([]);
      expect(await journal.send('r', cancel)).toEqual(cancelled);
      expect(await journal.messages('r')).toEqual([cancel]);
      expect(await append(1)).toEqual(cancelled);
      // Rows that are refused take nothing.
      await expect(append(5, ['cancel'])).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await journal.messages('r')).toEqual([cancel]);
      expect(await append(2, ['cancel'])).toEqual(nothing);
      expect(await journal.messages('r')).toEqual([]);
    });

    it('keeps what is said beside what cancels, whole and in its order, and takes each alone', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      const content = [
        { type: 'text', text: 'Use "blue" \u0000 \ud83d\ude00\n' },
        { type: 'image', mediaType: 'image/png', data: 'aGk=' },
      ] as const;
      const said = { id: 'm1 \u2028', kind: 'say', atMs: 6, item: { type: 'user', content } } as const;
      expect(await journal.send('r', said)).toEqual({ waiting: 1, isCancelled: false });
      expect(await journal.send('r', cancel)).toEqual({ waiting: 2, isCancelled: true });
      const more = { ...said, id: 'm2', by: 'ben' };
      expect(await journal.send('r', more)).toEqual({ waiting: 3, isCancelled: true });
      expect(await journal.messages('r')).toEqual([said, cancel, more]);
      const batch = { runId: 'r', rows: rowsOf(1, 1), summary: summaryOf(), takes: [said.id, more.id] };
      expect(await journal.append(batch, lease)).toEqual(cancelled);
      expect(await journal.messages('r')).toEqual([cancel]);
      expect(await journal.send('r', said)).toEqual(cancelled);
    });

    it('has a message of one name once, also when it was taken', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await journal.send('r', cancel);
      expect(await journal.send('r', { ...cancel, by: 'ben' })).toEqual(cancelled);
      expect(await journal.send('r', { ...cancel, id: 'other' })).toEqual({ ...cancelled, waiting: 2 });
      expect(await journal.messages('r')).toEqual([cancel, { ...cancel, id: 'other' }]);
      const batch = { runId: 'r', rows: rowsOf(1, 1), summary: summaryOf(), takes: ['cancel', 'other'] };
      await journal.append(batch, lease);
      expect(await journal.send('r', cancel)).toEqual(nothing);
    });

    it('is that of a run which the journal has, and goes with it', async () => {
      const journal = open();
      expect(await journal.send('r', cancel)).toBeUndefined();
      expect(await journal.messages('r')).toEqual([]);
      const lease = await journal.acquire('s');
      for (const runId of ['r', 'other'])
        await journal.append({ runId, rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await journal.send('r', cancel);
      expect(await journal.messages('other')).toEqual([]);
      await journal.remove('r', lease);
      const inbox = await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      expect(inbox).toEqual(nothing);
    });

    it('is watched by the owner of the run', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      const seen: unknown[] = [];
      const stop = lease.watch('r', (inbox) => seen.push(inbox));
      await journal.send('r', cancel);
      expect(seen).toEqual([cancelled]);
      stop();
      await journal.send('r', { ...cancel, id: 'other' });
      expect(seen).toHaveLength(1);
    });
  });

  describe('runs', () => {
    it('are listed with what their writer says, the latest first, and chosen by name, session, workspace and status', async () => {
      const journal = open();
      const [first, second] = [await journal.acquire('s'), await journal.acquire('t')];
      const summaries = {
        a: summaryOf({ updatedAtMs: 10, workspace: '/w' }),
        b: summaryOf({ updatedAtMs: 30, status: 'finished', agent: 'clerk' }),
        c: summaryOf({ updatedAtMs: 20, status: 'suspended', pending: 2, workspace: '/w' }),
      };
      await journal.append({ runId: 'a', rows: rowsOf(0, 3), summary: summaries.a }, first);
      await journal.append({ runId: 'b', rows: rowsOf(0, 1), summary: summaries.b }, first);
      await journal.append({ runId: 'c', rows: rowsOf(0, 2), summary: summaries.c }, second);
      const ids = async (filter: Parameters<RunJournal['runs']>[0]): Promise<string[]> =>
        (await journal.runs(filter)).map(({ runId }) => runId);
      expect(await journal.runs()).toEqual([
        { ...summaries.b, runId: 'b', sessionId: 's', rows: 1, isReady: false },
        { ...summaries.c, runId: 'c', sessionId: 't', rows: 2, isReady: false },
        { ...summaries.a, runId: 'a', sessionId: 's', rows: 3, isReady: false },
      ]);
      expect(await ids({ sessionId: 's' })).toEqual(['b', 'a']);
      expect(await ids({ runId: 'c' })).toEqual(['c']);
      expect(await ids({ runId: 'c', sessionId: 's' })).toEqual([]);
      expect(await ids({ runId: 'c', workspace: '/w', status: 'suspended' })).toEqual(['c']);
      expect(await ids({ runId: 'd' })).toEqual([]);
      expect(await ids({ workspace: '/w' })).toEqual(['c', 'a']);
      expect(await ids({ status: 'suspended' })).toEqual(['c']);
      expect(await ids({ status: 'running' })).toEqual(['a']);
      expect(await ids({ sessionId: 's', workspace: '/w', status: 'finished' })).toEqual([]);
    });

    it('are those that a process can continue with, in the order and number that are asked for', async () => {
      const journal = open();
      const [free, held] = [await journal.acquire('free'), await journal.acquire('held')];
      const add = (
        runId: string,
        summary: Partial<RunSummary> & Pick<RunSummary, 'updatedAtMs'>,
        lease = free,
      ): Promise<RunInbox> =>
        journal.append({ runId, rows: rowsOf(0, 1), summary: summaryOf(summary) }, lease);
      await add('interrupted', { updatedAtMs: 10 });
      await add('running', { updatedAtMs: 20 }, held);
      await add('answered', { updatedAtMs: 30, status: 'suspended', pending: 0 });
      await add('waits', { updatedAtMs: 40, status: 'suspended', pending: 1 });
      await add('expired', { updatedAtMs: 50, status: 'suspended', pending: 1, waitsUntilMs: 1 });
      await add('waits-on', { updatedAtMs: 55, status: 'suspended', pending: 1, waitsUntilMs: 9e15 });
      await add('served', { updatedAtMs: 60, isToolRuntime: true });
      await add('failed', { updatedAtMs: 70, status: 'failed' });
      await add('finished', { updatedAtMs: 80, status: 'finished' });
      await add('cancelled', { updatedAtMs: 90, status: 'cancelled' });
      await free.release();
      const ids = async (filter: Parameters<RunJournal['runs']>[0]): Promise<string[]> =>
        (await journal.runs(filter)).map(({ runId }) => runId);
      expect(await ids({ ready: true })).toEqual(['expired', 'answered', 'interrupted']);
      expect(await ids({ ready: true, order: 'oldest', limit: 2 })).toEqual(['interrupted', 'answered']);
      expect(await ids({ ready: true, status: 'interrupted' })).toEqual(['interrupted']);
      expect(await ids({ status: 'running' })).toEqual(['running']);
      expect(await ids({ limit: 2 })).toEqual(['cancelled', 'finished']);
      expect(await ids({ limit: 1, status: 'suspended', order: 'oldest' })).toEqual(['answered']);
      expect(await ids({ limit: 1, status: 'interrupted' })).toEqual(['served']);
      expect(await ids({ updatedBeforeMs: 20 })).toEqual(['interrupted']);
      expect(await ids({ updatedBeforeMs: 21, order: 'newest', limit: 1 })).toEqual(['running']);
      expect((await journal.runs()).filter(({ isReady }) => isReady)).toHaveLength(3);
      // What a run is changes with its rows.
      const lease = await journal.acquire('free');
      const done = { runId: 'interrupted', rows: rowsOf(1, 1), summary: summaryOf({ status: 'finished' }) };
      await journal.append(done, lease);
      await lease.release();
      expect(await ids({ ready: true, order: 'oldest' })).toEqual(['answered', 'expired']);
      expect(await ids({ status: 'finished', order: 'oldest' })).toContain('interrupted');
    });

    it('are interrupted when they have not ended and nobody holds their session', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      await journal.append(
        { runId: 'done', rows: rowsOf(0, 1), summary: summaryOf({ status: 'failed' }) },
        lease,
      );
      const statusOf = async (runId: string): Promise<string | undefined> =>
        (await journal.runs()).find((run) => run.runId === runId)?.status;
      expect(await statusOf('r')).toBe('running');
      await lease.release();
      expect(await statusOf('r')).toBe('interrupted');
      expect(await statusOf('done')).toBe('failed');
      expect((await journal.runs({ status: 'interrupted' })).map(({ runId }) => runId)).toEqual(['r']);
      await journal.acquire('s');
      expect(await statusOf('r')).toBe('running');
    });

    it('are removed with their rows, but not while another owner holds their session', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      // The rows of the runs alternate.
      for (const from of [0, 2])
        for (const runId of ['a', 'b', 'c'])
          await journal.append({ runId, rows: rowsOf(from, 2, runId), summary: summaryOf() }, lease);
      await expect(journal.remove('a')).rejects.toSatisfy(SessionBusyError.isInstance);
      const other = await journal.acquire('t');
      await expect(journal.remove('a', other)).rejects.toSatisfy(SessionBusyError.isInstance);
      await journal.remove('a', lease);
      await lease.release();
      await journal.remove('b');
      await journal.remove('unknown');
      expect(await journal.read('a')).toEqual([]);
      expect((await journal.runs()).map(({ runId }) => runId)).toEqual(['c']);
      expect(await journal.read('c')).toEqual(rowsOf(0, 4, 'c'));
      // A run with the number of a removed one begins from row 0.
      const next = await journal.acquire('s');
      await journal.append({ runId: 'a', rows: rowsOf(0, 1), summary: summaryOf() }, next);
      expect(await journal.read('a')).toEqual(rowsOf(0, 1));
      expect(await journal.read('c')).toEqual(rowsOf(0, 4, 'c'));
    });
  });
}
