import { describe, expect, it } from 'vitest';
import { JournalError, type JournalErrorCode, type RunJournal, RunLostError } from 'weakincentives';
import { createManualClock, memoryJournal } from 'weakincentives/testing';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import { JournalWriter } from '../../../../src/durable/rows/journal-writer.ts';
import { summaryOf } from '../../../contract/run-journal.ts';

/** What becomes of an append: it is refused, or its rows are written and the answer is lost; or an attempt before is written first. */
type Fault = JournalErrorCode | 'answer-lost' | 'arrives-late' | 'other';

/** All that does not wait for a timer has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const isCode = (fault: Fault): fault is JournalErrorCode => fault.startsWith('journal-');

const errorOf = (fault: Fault): Error =>
  fault === 'other'
    ? new Error('no journal')
    : new JournalError(isCode(fault) ? fault : 'journal-failed', 'The database is locked.');

/** A journal whose appends go wrong one after the other, and a writer of a run in it. */
async function openWriter(faults: readonly Fault[], signal?: AbortSignal) {
  const kept = memoryJournal();
  const left = [...faults];
  let reads = 0;
  let appends = 0;
  const journal: RunJournal = {
    ...journalOperations(kept),
    append: async (batch, lease) => {
      appends += 1;
      const fault = left.shift();
      if (fault === 'arrives-late') {
        await kept.append(batch, lease);
        return kept.append(batch, lease);
      }
      if (fault !== undefined && fault !== 'answer-lost') throw errorOf(fault);
      const inbox = await kept.append(batch, lease);
      if (fault !== undefined) throw errorOf(fault);
      return inbox;
    },
    read: (runId, from) => {
      reads += 1;
      return kept.read(runId, from);
    },
  };
  const clock = createManualClock();
  const lease = await kept.acquire('s');
  const lost: unknown[] = [];
  const writer = new JournalWriter({
    journal,
    lease,
    clock,
    signal,
    runId: 'r',
    rows: 0,
    summary: { current: () => summaryOf() },
    onLost: (error) => lost.push(error),
  });
  /** Adds rows and flushes them. `outcome` is undefined until it is decided. */
  const write = (...lines: readonly string[]) => {
    for (const line of lines) writer.add(line, 'note');
    const flushed: { outcome?: unknown } = {};
    const done = writer.flush().then(
      () => 'written',
      (error: unknown) => error,
    );
    void done.then((outcome) => {
      flushed.outcome = outcome;
    });
    return flushed;
  };
  return {
    clock,
    lost,
    write,
    kept,
    lease,
    counts: () => ({ appends, reads }),
    lines: async () => (await kept.read('r')).map(({ line }) => line),
  };
}

describe('rows that could not be written', () => {
  it('are tried again after a tenth of a second, and then twice as long each time, up to five seconds', async () => {
    const { clock, write, lines, counts, lost } = await openWriter(Array<Fault>(8).fill('journal-failed'));
    const flushed = write('1', '2');
    await settled();
    for (const waitMs of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
      clock.advance(waitMs - 1);
      await settled();
      expect(flushed.outcome).toBeUndefined();
      const { appends } = counts();
      clock.advance(1);
      await settled();
      expect(counts().appends).toBe(appends + 1);
    }
    expect(flushed.outcome).toBe('written');
    expect(await lines()).toEqual(['1', '2']);
    expect(lost).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('keep their order with rows that are added meanwhile', async () => {
    const { clock, write, lines } = await openWriter(['journal-failed', 'journal-failed']);
    const [first, second] = [write('1'), write('2', '3')];
    await settled();
    clock.advance(100);
    await settled();
    clock.advance(200);
    await settled();
    expect([first.outcome, second.outcome]).toEqual(['written', 'written']);
    expect(await lines()).toEqual(['1', '2', '3']);
  });

  it('count as written when they are there: only the answer was lost', async () => {
    const { clock, write, lines, counts } = await openWriter(['answer-lost']);
    const flushed = write('1', '2');
    await settled();
    clock.advance(100);
    await settled();
    expect(flushed.outcome).toBe('written');
    expect(counts()).toEqual({ appends: 1, reads: 1 });
    write('3');
    await settled();
    expect(await lines()).toEqual(['1', '2', '3']);
  });

  it('count as written when an attempt arrives only while the next one is made', async () => {
    const { clock, write, lines, counts, lost } = await openWriter(['journal-failed', 'arrives-late']);
    const flushed = write('1', '2');
    await settled();
    clock.advance(100);
    await settled();
    expect(flushed.outcome).toBe('written');
    expect(await lines()).toEqual(['1', '2']);
    expect([lost, counts()]).toEqual([[], { appends: 2, reads: 2 }]);
  });

  it('are given up at once when they do not follow, and no attempt has failed before', async () => {
    const { write, counts, lost } = await openWriter(['arrives-late']);
    const flushed = write('1');
    await settled();
    expect(flushed.outcome).toBeInstanceOf(RunLostError);
    expect([lost.length, counts()]).toEqual([1, { appends: 1, reads: 0 }]);
  });

  it('are given up after half a minute', async () => {
    const { clock, write, lost, lines } = await openWriter(Array<Fault>(100).fill('journal-failed'));
    const flushed = write('1');
    for (let second = 0; second < 29; second += 1) {
      clock.advance(1000);
      await settled();
    }
    expect(flushed.outcome).toBeUndefined();
    for (let second = 0; second < 6; second += 1) {
      clock.advance(1000);
      await settled();
    }
    expect(RunLostError.isInstance(flushed.outcome)).toBe(true);
    expect(lost).toEqual([flushed.outcome]);
    expect(clock.pending).toBe(0);
    expect(await lines()).toEqual([]);
  });

  it.each<Fault>([
    'journal-damaged',
    'journal-closed',
    'journal-read-only',
    'journal-version-unsupported',
    'other',
  ])('are not tried again after %s', async (fault) => {
    const { clock, write, lost } = await openWriter([fault]);
    const flushed = write('1');
    await settled();
    expect(flushed.outcome).toMatchObject({ code: 'run-lost', cause: errorOf(fault) });
    expect(lost).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('are given up at once when the lease is lost', async () => {
    const { clock, write, kept, lines } = await openWriter(Array<Fault>(9).fill('journal-failed'));
    const flushed = write('1');
    await settled();
    await kept.revoke('s');
    await settled();
    expect(flushed.outcome).toMatchObject({ code: 'run-lost' });
    expect(clock.pending).toBe(0);
    expect(await lines()).toEqual([]);
  });

  it('are given up at once when the lease is not held any more', async () => {
    const { clock, write, lease, counts } = await openWriter(Array<Fault>(9).fill('journal-failed'));
    const flushed = write('1');
    await settled();
    await lease.release();
    clock.advance(100);
    await settled();
    expect(flushed.outcome).toMatchObject({ code: 'run-lost' });
    expect(counts().appends).toBe(1);
  });

  it('are given up at once when the run is stopped', async () => {
    const stop = new AbortController();
    const { clock, write, counts } = await openWriter(Array<Fault>(9).fill('journal-failed'), stop.signal);
    const flushed = write('1');
    await settled();
    stop.abort();
    await settled();
    expect(flushed.outcome).toMatchObject({ code: 'run-lost' });
    expect(clock.pending).toBe(0);
    expect(counts().appends).toBe(1);
  });

  it('are written once after a stop, too', async () => {
    const { write, lines } = await openWriter([], AbortSignal.abort());
    const flushed = write('1');
    await settled();
    expect(flushed.outcome).toBe('written');
    expect(await lines()).toEqual(['1']);
  });
});
