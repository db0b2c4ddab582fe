import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  JournalFencedError,
  type RunInbox,
  type RunJournal,
  type RunLease,
  SessionBusyError,
} from 'weakincentives';
import type { SqliteDatabase } from 'weakincentives/sqlite';
import { createManualClock } from 'weakincentives/testing';
import { rowsOf, summaryOf } from '../../../contract/run-journal.ts';
import { noSqlite, openDatabase, openJournal, settled, sqliteSuite } from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const forms: readonly (readonly [
  string,
  (file: string) => { readonly file: string } | { readonly database: SqliteDatabase },
])[] = [
  ['on a database of the caller', (file) => ({ database: openDatabase(file) })],
  ['in a thread', (file) => ({ file })],
];

const append = (journal: RunJournal, lease: RunLease, from: number): Promise<RunInbox> =>
  journal.append({ runId: 'r', rows: rowsOf(from, 1), summary: summaryOf() }, lease);

describe.skipIf(noSqlite !== undefined).each(forms)(sqliteSuite('leases %s'), (_, form) => {
  /** Two journals on one file, as two processes have them, each with a clock of its own, so that one of them can hang. */
  function openTwo() {
    const file = join(tempFolder(), 'runs.db');
    const clocks = [createManualClock(), createManualClock()] as const;
    let hungMs = 0;
    const open = (clock: (typeof clocks)[number]): RunJournal =>
      openJournal({
        ...form(file),
        clock: { ...clock, now: () => clock.now() + hungMs },
        leaseTimeoutMs: 300,
      });
    /** Time passes, and no beat is given: the processes do not run. */
    const hang = (durationMs: number): void => {
      hungMs += durationMs;
    };
    return { mine: open(clocks[0]), theirs: open(clocks[1]), clocks, hang, file };
  }

  it('are renewed while their process gives beats', async () => {
    const { mine, theirs, clocks } = openTwo();
    const lease = await mine.acquire('s');
    for (let beat = 0; beat < 10; beat += 1) {
      for (const clock of clocks) clock.advance(100);
      await settled(mine);
    }
    await expect(theirs.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    expect(lease.signal.aborted).toBe(false);
    await append(mine, lease, 0);
    await lease.release();
    expect(clocks[0].pending).toBe(0);
  });

  it('that are held are refused while another connection has the lock for writing', async () => {
    const { mine, theirs, clocks, file } = openTwo();
    await mine.acquire('s');
    await settled(theirs);
    const writer = openDatabase(file);
    writer.exec('begin immediate');
    // Those that ask would wait for the lock, and fail in the end.
    for (const journal of [mine, theirs]) {
      await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    }
    writer.exec('rollback');
    clocks[1].advance(300);
    expect((await theirs.acquire('s')).isHeld()).toBe(true);
  });

  it('of a process that hangs are taken over, and it finds out', async () => {
    const { mine, theirs, clocks } = openTwo();
    const lease = await mine.acquire('s');
    await append(mine, lease, 0);
    clocks[1].advance(299);
    await expect(theirs.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    expect((await theirs.runs())[0]?.status).toBe('running');
    clocks[1].advance(1);
    expect((await theirs.runs())[0]?.status).toBe('interrupted');
    const next = await theirs.acquire('s');
    expect(next.epoch).toBeGreaterThan(lease.epoch);
    await append(theirs, next, 1);
    await expect(append(mine, lease, 2)).rejects.toSatisfy(JournalFencedError.isInstance);
    expect(JournalFencedError.isInstance(lease.signal.reason)).toBe(true);
    // The owner that was too late does not end the new lease.
    await lease.release();
    await append(theirs, next, 2);
    expect(await mine.read('r')).toEqual(rowsOf(0, 3));
  });

  it('bring what another process has sent to a run, when they are renewed', async () => {
    const { mine, theirs, clocks } = openTwo();
    const lease = await mine.acquire('s');
    await append(mine, lease, 0);
    const seen: unknown[] = [];
    const stop = lease.watch('r', (inbox) => seen.push(inbox));
    await theirs.send('r', { id: 'cancel', kind: 'cancel', atMs: 5 });
    clocks[0].advance(99);
    await settled(mine);
    expect(seen).toEqual([]);
    clocks[0].advance(1);
    // The renewal, and what is read after it.
    await settled(mine);
    await settled(mine);
    expect(seen).toEqual([{ waiting: 1, isCancelled: true }]);
    stop();
    clocks[0].advance(100);
    await settled(mine);
    expect(seen).toHaveLength(1);
    await lease.release();
    expect(clocks[0].pending).toBe(0);
  });

  it('end when a renewal finds another owner', async () => {
    const { mine, theirs, clocks } = openTwo();
    const lease = await mine.acquire('s');
    await theirs.revoke('s');
    await theirs.acquire('s');
    clocks[0].advance(100);
    await settled(mine);
    expect(JournalFencedError.isInstance(lease.signal.reason)).toBe(true);
    // Nothing is left to renew.
    expect(clocks[0].pending).toBe(0);
  });

  it('are renewed by a beat that comes too late, when no one has taken over', async () => {
    const { mine, theirs, clocks } = openTwo();
    const [lease, other] = [await mine.acquire('s'), await mine.acquire('t')];
    clocks[1].advance(300);
    await theirs.acquire('t');
    // The beat that was due after 100 ms comes now: a handler has blocked the thread.
    clocks[0].advance(300);
    await settled(mine);
    expect(lease.isHeld()).toBe(true);
    expect(other.isHeld()).toBe(false);
    expect(JournalFencedError.isInstance(other.signal.reason)).toBe(true);
    await append(mine, lease, 0);
    clocks[1].advance(299);
    await expect(theirs.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
  });

  it('are not held while they have run out, and held again once an append has renewed them', async () => {
    const { mine, hang } = openTwo();
    const [lease, folder] = [await mine.acquire('s'), await mine.acquire('folder')];
    expect([lease.isHeld(), folder.isHeld()]).toEqual([true, true]);
    hang(300);
    expect([lease.isHeld(), folder.isHeld()]).toEqual([false, false]);
    await append(mine, lease, 0);
    expect([lease.isHeld(), folder.isHeld()]).toEqual([true, true]);
  });

  it('that another one has taken over are found to be lost by an append under another lease', async () => {
    const { mine, theirs, hang } = openTwo();
    const [lease, folder] = [await mine.acquire('s'), await mine.acquire('folder')];
    hang(300);
    await theirs.acquire('folder');
    await append(mine, lease, 0);
    expect(lease.isHeld()).toBe(true);
    expect(folder.isHeld()).toBe(false);
    expect(JournalFencedError.isInstance(folder.signal.reason)).toBe(true);
  });

  it('are renewed by an append that comes too late, when no one has taken over', async () => {
    const { mine, theirs, clocks } = openTwo();
    const lease = await mine.acquire('s');
    await append(mine, lease, 0);
    // The owner appends through a journal that gives no beats and whose clock is past the time-out.
    clocks[1].advance(350);
    await theirs.append({ runId: 'r', rows: rowsOf(1, 1), summary: summaryOf() }, lease);
    await expect(theirs.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
  });

  it('are released when the journal is disposed of', async () => {
    const { mine, theirs } = openTwo();
    await mine.acquire('s');
    // Both forms can be disposed of.
    await (mine as RunJournal & AsyncDisposable)[Symbol.asyncDispose]();
    expect((await theirs.acquire('s')).signal.aborted).toBe(false);
    await expect(mine.read('r')).rejects.toMatchObject({ code: 'journal-closed' });
  });
});

it.skipIf(noSqlite !== undefined)(
  sqliteSuite('a lease that another one takes before the lock for writing is there is refused'),
  async () => {
    const file = join(tempFolder(), 'runs.db');
    const theirs = openJournal({ database: openDatabase(file) });
    const database = openDatabase(file);
    let taken: Promise<RunLease> | undefined;
    const mine = openJournal({
      database: {
        prepare: (sql) => database.prepare(sql),
        exec: (sql) => {
          // It takes the lease at once.
          if (sql === 'begin immediate') taken ??= theirs.acquire('s');
          return database.exec(sql);
        },
      },
    });
    await expect(mine.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    expect((await taken)?.isHeld()).toBe(true);
  },
);
