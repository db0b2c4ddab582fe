import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FilesystemError, SessionBusyError } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { createManualClock } from 'weakincentives/testing';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import { openDatabase } from '../../support/sqlite.ts';
import { startChild, stopOutsideTransactions } from './started-child.ts';

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Tries until the lease of the owner before has run out. */
async function whenFree<T>(take: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await take();
    } catch (error) {
      const isLocked = FilesystemError.isInstance(error) && error.code === 'filesystem-locked';
      if (!isLocked && !SessionBusyError.isInstance(error)) throw error;
    }
  }
}

describe.each(['file', 'database'])('an owner of a session, by { %s },', (form) => {
  it('that was stopped past its lease gets nothing in when it continues', async () => {
    const file = join(folderOfTest(), 'runs.db');
    const child = startChild('hold-lease', form, file, 's', '60000');
    expect(await child.line()).toBe('held');
    child.send('append');
    expect(await child.line()).toBe('appended');
    await stopOutsideTransactions(child, file);
    // For this process the time-out has passed.
    const clock = createManualClock(Date.now() + 120_000);
    await using journal = sqliteJournal({ file, clock });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'run-s', rows: rowsOf(1, 2), summary: summaryOf() }, lease);
    child.signal('SIGCONT');
    child.send('append');
    expect(await child.line()).toBe('journal-fenced');
    child.send('abort');
    expect(await child.line()).toBe('journal-fenced');
    expect((await journal.read('run-s')).slice(1)).toEqual(rowsOf(1, 2));
    expect(lease.signal.aborted).toBe(false);
  });

  it('whose process was killed is followed at once', async () => {
    const file = join(folderOfTest(), 'runs.db');
    const child = startChild('hold-lease', form, file, 's', '600000');
    expect(await child.line()).toBe('held');
    child.send('append');
    expect(await child.line()).toBe('appended');
    await using journal = sqliteJournal({ file, leaseTimeoutMs: 600_000 });
    expect(await journal.runs()).toMatchObject([{ status: 'running' }]);
    await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    child.signal('SIGKILL');
    await child.exited;
    expect(await journal.runs()).toMatchObject([{ status: 'interrupted' }]);
    const lease = await journal.acquire('s');
    expect(lease.formerOwner).toMatch(/^[0-9a-f-]{36}$/);
    await journal.append({ runId: 'run-s', rows: rowsOf(1, 1), summary: summaryOf() }, lease);
    await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
  });

  it('that is stopped keeps it no longer than the time-out, and its folder neither', async () => {
    const folder = folderOfTest();
    const [file, root, stateDirectory] = [
      join(folder, 'runs.db'),
      join(folder, 'root'),
      join(folder, 'state'),
    ];
    mkdirSync(root);
    const child = startChild('hold-folder', form, file, '1000', root, stateDirectory);
    expect(await child.line()).toBe('held');
    await stopOutsideTransactions(child, file);
    await using journal = sqliteJournal({ file, leaseTimeoutMs: 600_000 });
    await using opened = await whenFree(() => openHostFilesystem({ root, stateDirectory, journal }));
    await opened.write('a.md', 'next');
    child.signal('SIGCONT');
    child.send('write');
    expect(await child.line()).toBe('filesystem-locked');
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('next');
    child.send('close');
    expect(await child.line()).toBe('closed');
    await opened.write('a.md', 'still mine');
  });

  it('whose main thread hangs past its lease loses it, also with a thread of its own', async () => {
    const folder = folderOfTest();
    const file = join(folder, 'runs.db');
    const child = startChild('hold-lease', form, file, 's', '300');
    expect(await child.line()).toBe('held');
    child.send(`hang ${join(folder, 'go')}`);
    expect(await child.line()).toBe('hanging');
    await using journal = sqliteJournal({ file });
    const lease = await whenFree(() => journal.acquire('s'));
    writeFileSync(join(folder, 'go'), '');
    expect(await child.line()).toBe('woken');
    child.send('abort');
    expect(await child.line()).toBe('journal-fenced');
    child.send('append');
    expect(await child.line()).toBe('journal-fenced');
    await journal.append({ runId: 'run-s', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
  });

  it('keeps its lease past the time-out while it gives beats', async () => {
    const file = join(folderOfTest(), 'runs.db');
    const timeoutMs = 15_000;
    const child = startChild('hold-lease', form, file, 's', String(timeoutMs));
    expect(await child.line()).toBe('held');
    const leases = openDatabase(file).prepare('select until_ms from wink_leases');
    // The statement has one column.
    const untilMs = (): number => (leases.get() as { until_ms: number }).until_ms;
    const firstMs = untilMs();
    await expect.poll(untilMs).toBeGreaterThan(firstMs);
    // It gives no more of them, and for this process the first time-out has passed, but not that of the last beat.
    await stopOutsideTransactions(child, file);
    const clock = createManualClock(Math.max(firstMs, untilMs() - timeoutMs) + 1);
    await using journal = sqliteJournal({ file, clock });
    await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    child.signal('SIGCONT');
    child.send('append');
    expect(await child.line()).toBe('appended');
    child.signal('SIGKILL');
    await child.exited;
    const lease = await whenFree(() => journal.acquire('s'));
    expect(await journal.runs()).toMatchObject([{ status: 'running', rows: 1 }]);
    await lease.release();
    expect(await journal.runs()).toMatchObject([{ status: 'interrupted' }]);
  });
});

it('a process that holds a lease, with a thread, ends when it has nothing left to do, and not before its rows are durable', async () => {
  const file = join(folderOfTest(), 'runs.db');
  const child = startChild('end-by-itself', file);
  expect(await child.line()).toBe('at the end');
  expect(await child.exited).toEqual([0, null, '']);
  await using journal = sqliteJournal({ file });
  expect(await journal.read('run-s')).toEqual([{ seq: 0, type: 'note', line: '{}' }]);
});
