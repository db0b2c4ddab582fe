import { describe, expect, it } from 'vitest';
import { ensureRun, type JournalRow, promptTemplate, type RunJournal, section } from 'weakincentives';
import type { JournalBlobs } from 'weakincentives/durable';
import { createManualClock, memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { journalWithBlobs } from '../../../../src/durable/blobs/index.ts';
import { runJournalContract, summaryOf } from '../../../contract/run-journal.ts';
import { type BlobFault, type MemoryBlobs, memoryBlobs } from '../../../support/blob-stores.ts';

/** A journal on a store, with what its database has. */
function openBoth(options: Partial<JournalBlobs> = {}) {
  const rows = memoryJournal();
  const store = memoryBlobs();
  const clock = createManualClock();
  const disposable = Object.assign(rows, { [Symbol.asyncDispose]: async () => undefined });
  const journal: RunJournal = journalWithBlobs(
    disposable,
    { store, maxRowCharacters: 100, ...options },
    { clock },
  );
  return { journal, rows, store, clock };
}

const long = (seq: number, text = 'x'): JournalRow => ({
  seq,
  type: 'blob',
  line: JSON.stringify({ seq, text: text.repeat(200) }),
});
const short = (seq: number): JournalRow => ({ seq, type: 'note', line: `{"seq":${seq}}` });

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a journal whose rows are all in a blob store', () => {
  runJournalContract(() => openBoth({ maxRowCharacters: 0 }).journal);
});

describe('a row in a blob store', () => {
  it('is what is longer than the limit; its row in the database refers to it', async () => {
    const { journal, rows, store } = openBoth();
    const lease = await journal.acquire('s');
    const batch = [short(0), long(1), short(2)];
    await journal.append({ runId: 'r', rows: batch, summary: summaryOf() }, lease);
    expect(await journal.read('r')).toEqual(batch);
    expect(await journal.read('r', 1)).toEqual(batch.slice(1));
    const [first, second, third] = await rows.read('r');
    expect([first, third]).toEqual([short(0), short(2)]);
    const [key] = store.contents.keys();
    expect(second).toEqual({
      seq: 1,
      type: 'stored',
      line: JSON.stringify({ type: 'stored', must: true, of: 'blob', key, sha256: key?.slice(-64) }),
    });
    expect(key).toMatch(/^[0-9a-f]{64}\/[0-9a-f]{64}\/[0-9a-f]{64}$/);
  });

  it('comes back as it was, whatever is in it', async () => {
    const { journal } = openBoth({ maxRowCharacters: 0 });
    const lease = await journal.acquire('s');
    const lines = [
      '\uFEFF{"a":1}',
      '"\u0000\u2028"',
      '"\ud800"',
      '"😀"',
      '',
      '{"type":"stored","must":true}',
    ];
    const batch = lines.map((line, seq) => ({ seq, type: 'note', line }));
    await journal.append({ runId: 'r', rows: batch, summary: summaryOf() }, lease);
    expect(await journal.read('r')).toEqual(batch);
  });

  it('is not looked for in a row of a run, which cannot have its type', async () => {
    const { journal, store } = openBoth();
    const lease = await journal.acquire('s');
    const row = { ...short(0), type: 'stored' };
    const refused = journal.append({ runId: 'r', rows: [row], summary: summaryOf() }, lease);
    await expect(refused).rejects.toMatchObject({ code: 'journal-invalid', details: { runId: 'r', seq: 0 } });
    expect(store.asked).toEqual([]);
  });

  it('keeps its place among rows that are appended at the same time', async () => {
    const { journal } = openBoth();
    const lease = await journal.acquire('s');
    const all = Array.from({ length: 30 }, (_, seq) => (seq % 3 === 0 ? long(seq) : short(seq)));
    await Promise.all(
      all.map((row) => journal.append({ runId: 'r', rows: [row], summary: summaryOf() }, lease)),
    );
    expect(await journal.read('r')).toEqual(all);
  });

  it('is not put by an owner whose lease is lost', async () => {
    const { journal, store } = openBoth();
    const lease = await journal.acquire('s');
    await journal.revoke('s');
    const refused = journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease);
    await expect(refused).rejects.toMatchObject({ code: 'journal-fenced' });
    expect(store.asked).toEqual([]);
  });

  it('of an owner that has lost its lease meanwhile is not appended', async () => {
    const { journal, store, rows } = openBoth();
    const lease = await journal.acquire('s');
    store.faults.put = ['hang'];
    const refused = failureOf(journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease));
    // Before the store is asked, the content is hashed on another thread: the next append could ask it first.
    await expect.poll(() => store.asked).toEqual(['put']);
    await journal.revoke('s');
    expect(await refused).toMatchObject({ code: 'journal-fenced' });
    const next = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: [long(0, 'y')], summary: summaryOf() }, next);
    expect(await journal.read('r')).toEqual([long(0, 'y')]);
    expect(await rows.read('r')).toHaveLength(1);
  });
});

describe('a blob store that fails', () => {
  it.each<[string, Partial<Record<'put' | 'get', BlobFault>>, string]>([
    ['throws', { put: 'throw' }, 'the bucket is away'],
    ['loses what was put', { put: 'lose' }, 'it does not have what was put under the key'],
    ['changes what was put', { put: 'corrupt' }, 'it has changed what was put under the key'],
    ['cannot be read', { get: 'throw' }, 'the bucket is away'],
    ['reads something else', { get: 'corrupt' }, 'it has changed what was put under the key'],
    ['loses its answer', { put: 'answer-lost' }, 'the answer is lost'],
  ])('%s before the row is written: nothing is written, and the next attempt is', async (_, faults, why) => {
    const { journal, rows, store } = openBoth();
    const lease = await journal.acquire('s');
    const batch = { runId: 'r', rows: [short(0), long(1)], summary: summaryOf() };
    for (const [method, fault] of Object.entries(faults))
      store.faults[method === 'put' ? 'put' : 'get'] = [fault];
    await expect(journal.append(batch, lease)).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining(why),
    });
    expect(await rows.read('r')).toEqual([]);
    expect(lease.signal.aborted).toBe(false);
    await journal.append(batch, lease);
    expect(await journal.read('r')).toEqual(batch.rows);
    expect(store.contents.size).toBe(1);
  });

  it.each(['put', 'get'] as const)('does not answer a %s in time: it counts as failed', async (method) => {
    const { journal, rows, store, clock } = openBoth({ timeoutMs: 500 });
    const lease = await journal.acquire('s');
    store.faults[method] = ['hang'];
    const appended = failureOf(journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease));
    await expect.poll(() => store.asked).toContain(method);
    clock.advance(500);
    expect(await appended).toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('it did not answer in 500 ms'),
    });
    expect(await rows.read('r')).toEqual([]);
  });

  it.each<[string, (store: MemoryBlobs) => void, object]>([
    [
      'has lost it',
      ({ contents }) => contents.clear(),
      { code: 'journal-damaged', message: expect.stringContaining('does not have that of row 1') },
    ],
    [
      'has another one',
      ({ contents }) => {
        for (const key of contents.keys()) contents.set(key, new Uint8Array([1]));
      },
      { code: 'journal-damaged', message: expect.stringContaining('has another content than that of row 1') },
    ],
    ['is away', (store) => void (store.faults.get = ['throw']), { code: 'journal-failed' }],
  ])('when the row is read and it %s: says so', async (_, harm, error) => {
    const { journal, store } = openBoth();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: [short(0), long(1)], summary: summaryOf() }, lease);
    harm(store);
    await expect(journal.read('r')).rejects.toMatchObject(error);
  });

  it('refuses a reference that says nothing, or leads out of the store', async () => {
    const { journal, rows, store } = openBoth();
    const lease = await rows.acquire('s');
    const lines = ['not JSON', '{"type":"stored"}', '{"of":"a","sha256":"b","key":"../../secret"}'];
    for (const [seq, line] of lines.entries()) {
      const row = { seq, type: 'stored', line };
      await rows.append({ runId: 'r', rows: [row], summary: summaryOf() }, lease);
      await expect(journal.read('r', seq)).rejects.toMatchObject({
        code: 'journal-damaged',
        details: { runId: 'r', seq },
      });
    }
    await lease.release();
    await journal.remove('r');
    expect(store.asked).toEqual(['list']);
    expect(await rows.read('r')).toEqual([]);
  });
});

describe('removing a run', () => {
  it('removes its contents after its rows, those of appends that were cut off too', async () => {
    const { journal, rows, store } = openBoth();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease);
    await journal.append({ runId: 'other', rows: [long(0)], summary: summaryOf() }, lease);
    // The process is killed before the row is appended.
    store.faults.get = ['throw'];
    await failureOf(journal.append({ runId: 'r', rows: [long(1)], summary: summaryOf() }, lease));
    expect(store.contents.size).toBe(3);
    await expect(journal.remove('r')).rejects.toMatchObject({ code: 'session-busy' });
    expect(store.contents.size).toBe(3);
    await journal.remove('r', lease);
    expect(store.contents.size).toBe(1);
    expect(await journal.read('other')).toEqual([long(0)]);
    expect(await rows.read('r')).toEqual([]);
  });

  it('without a list removes what its rows refer to', async () => {
    const { list: _list, ...store } = memoryBlobs();
    const { journal } = openBoth({ store });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: [long(0), long(1)], summary: summaryOf() }, lease);
    await journal.remove('r', lease);
    expect(store.contents.size).toBe(0);
  });

  it('names the keys that are left when the store fails', async () => {
    const { journal, store, rows } = openBoth();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease);
    store.faults.remove = ['throw'];
    await expect(journal.remove('r', lease)).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('The run "r" was removed from its journal, but'),
      details: { runId: 'r', keys: [...store.contents.keys()] },
    });
    expect(await rows.read('r')).toEqual([]);
  });

  it('of an unknown name removes nothing: a run of this name may be beginning', async () => {
    const { journal, store } = openBoth();
    const lease = await journal.acquire('s');
    store.faults.get = ['throw'];
    await failureOf(journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease));
    await journal.remove('r');
    expect(store.contents.size).toBe(1);
  });

  it('touches nothing of a later run of its name with the same contents', async () => {
    const { journal, store } = openBoth();
    const append = async (): Promise<void> => {
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: [long(0)], summary: summaryOf() }, lease);
      await lease.release();
    };
    await append();
    const later: { begun?: Promise<void> } = {};
    const removed = store.remove;
    store.remove = async (keys) => {
      // The rows are removed: a run of this name can begin.
      later.begun = append();
      await later.begun;
      return removed(keys);
    };
    await journal.remove('r');
    expect(await journal.read('r')).toEqual([long(0)]);
  });
});

describe('a run on a journal with a blob store', () => {
  const prompt = (text: string) =>
    promptTemplate({
      ns: 't',
      key: 'a',
      sections: [section({ title: 'T', key: 't', template: text })],
    }).bind();

  it('continues although the store fails for a while, and loses nothing', async () => {
    const { journal, store } = openBoth({ maxRowCharacters: 50 });
    store.faults.put = ['throw', undefined, 'lose', 'throw'];
    store.faults.get = [undefined, 'throw'];
    const run = {
      adapter: scriptedAdapter([{ text: 'done' }]),
      journal,
      runId: 'r',
      input: 'Go.',
    };
    const agentOf = { ...run, prompt: prompt('Say something.'.repeat(20)) };
    const first = await ensureRun(agentOf);
    expect(first).toMatchObject({ text: 'done' });
    expect(await ensureRun(agentOf)).toMatchObject({ text: 'done' });
    expect(store.asked.filter((method) => method === 'put').length).toBeGreaterThan(4);
  });
});
