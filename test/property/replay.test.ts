import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyDecision, type ToolPolicy } from 'weakincentives';
import { readRunRecord, replayRun } from 'weakincentives/record';
import { recordedAdapter } from 'weakincentives/testing';
import { randomAdapter, randomPrompt, randomRuns } from '../support/replayed-runs.ts';
import { linesOf } from '../support/replays.ts';

describe('a random run', () => {
  it('is replayed without a difference', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const outside = { count: 0 };
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, outside), {
          input: 'Go.',
          approve: () => run.approves,
        });
        const record = await readRunRecord(lines);
        const count = outside.count;
        const report = await replayRun({ record, prompt: randomPrompt(run, outside, {}) });
        expect(report.firstDifference).toBeUndefined();
        expect(report.calls.filter(({ status }) => status !== 'same')).toEqual([]);
        expect(report).toMatchObject({ isSame: true, ending: 'complete', notes: [] });
        expect(outside.count).toBe(count);
        const last = record.commits.length;
        expect(report.record.filesAt(last).filter(({ isChanged }) => isChanged)).toEqual(
          record.filesAt(last).filter(({ isChanged }) => isChanged),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('is replayed without a difference as far as a record goes that ends early', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(10_000), async (run, place) => {
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), {
          input: 'Go.',
          approve: () => run.approves,
        });
        const record = await readRunRecord(lines.slice(0, 1 + (place % lines.length)));
        const report = await replayRun({ record, prompt: randomPrompt(run, { count: 0 }, {}) });
        expect(report.firstDifference).toBeUndefined();
        expect(report.calls.filter(({ status }) => status !== 'same' && status !== 'not-replayed')).toEqual(
          [],
        );
        // What is inside a call without an end may be made again or not.
        const ended = record.root.turns
          .flatMap(({ calls }) => calls)
          .filter(({ outcome }) => outcome !== undefined);
        const same = report.calls.filter(({ status, id }) => status === 'same' && !id.includes('/'));
        expect(same.map(({ id }) => id).sort()).toEqual(ended.map(({ id }) => id).sort());
      }),
      { numRuns: 200 },
    );
  });

  it('runs again on its recorded model, which is asked for every answer', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const options = { input: 'Go.', approve: () => run.approves };
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), options);
        const adapter = recordedAdapter({ record: await readRunRecord(lines) });
        await adapter.evaluate(randomPrompt(run, { count: 0 }), options);
        adapter.assertComplete();
      }),
      { numRuns: 200 },
    );
  });

  it('names the call of a commit in the record that was changed', { timeout: 120_000 }, async () => {
    const kinds = fc.constantFrom(...(['text', 'state', 'file'] as const));
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(100), kinds, async (run, place, kind) => {
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), { input: 'Go.' });
        const rows = lines.map((line) => JSON.parse(line) as Row);
        const notes = rows.filter(
          (row) => row.type === 'commit' && row.seq !== undefined && row.toolName === 'note',
        );
        const changed = notes[place % Math.max(1, notes.length)];
        if (changed === undefined) return;
        seen += 1;
        const mutated = rows.map((row) => JSON.stringify(row === changed ? mutate(row, kind) : row));
        const record = await readRunRecord(mutated);
        const { firstDifference, calls } = await replayRun({
          record,
          prompt: randomPrompt(run, { count: 0 }, {}),
        });
        expect(firstDifference).toMatchObject({ path: [], callId: changed.callId, turn: changed.turn });
        const part = kind === 'text' ? 'text' : 'changes';
        const named = calls.find(({ id }) => id === changed.callId);
        expect(named?.differences.map((difference) => difference.part)).toEqual([part]);
      }),
      { numRuns: 200 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it('names a change of prompt, tool, policy or record where it first shows', {
    timeout: 120_000,
  }, async () => {
    const note = { name: 'note', arguments: { path: 'a.md', text: 'x' } };
    await fc.assert(
      fc.asyncProperty(
        randomRuns,
        fc.constantFrom(...(Object.keys(mutations) as readonly (keyof typeof mutations)[])),
        async (drawn, kind) => {
          // Without the call that the change is about there would be nothing to see.
          const run = {
            ...drawn,
            denied: '',
            forbidden: '',
            asked: '',
            turns: [...drawn.turns, { toolCalls: [note] }],
          };
          const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), { input: 'Go.' });
          const record = await readRunRecord(lines);
          const { mutation, expected } = mutations[kind];
          const prompt = randomPrompt(run, { count: 0 }, {}, mutation);
          const { firstDifference, isSame } = await replayRun({ record, prompt });
          expect(isSame).toBe(false);
          if (expected.part === 'request') {
            expect(firstDifference).toMatchObject({ turn: 1, path: [] });
            expect(firstDifference?.text).toContain(expected.text);
            return;
          }
          // The first call of the tool that was made again, in any evaluation; those inside a call come in the place of that call.
          const [first] = record.calls
            .filter(
              ({ toolName, outcome, run: { parent } }) =>
                toolName === 'note' && outcome === 'committed' && parent?.call.toolName !== 'order',
            )
            .map(({ id }) => id.split('/')[0] ?? '')
            .sort();
          expect(firstDifference?.text).toContain(expected.text);
          expect(firstDifference?.callId?.split('/')[0] ?? firstDifference?.path[0]).toBe(first);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** What the mutations need of a row. */
interface Row {
  readonly type: string;
  readonly seq?: number;
  readonly turn: number;
  readonly callId: string;
  readonly toolName?: string;
  readonly writes: readonly { readonly slice: string; readonly items?: readonly object[] }[];
  readonly files: readonly { readonly after?: { readonly hash: string; readonly bytes: number } }[];
  readonly result: { readonly modelText?: string };
}

/** A commit of "note" of which one thing is another. */
function mutate(row: Row, kind: 'text' | 'state' | 'file'): Row {
  if (kind === 'text') return { ...row, result: { ...row.result, modelText: 'Never.' } };
  if (kind === 'state')
    return {
      ...row,
      writes: row.writes.map((write) =>
        write.slice === 'notes' ? { ...write, items: [{ path: 'a.md', text: 'never' }] } : write,
      ),
    };
  const never = { hash: 'f'.repeat(64), bytes: 5, omitted: true };
  return { ...row, files: row.files.map((file) => ({ ...file, after: never })) };
}

const denyNotes: ToolPolicy = {
  name: 'no-notes',
  check: ({ tool }) => (tool.name === 'note' ? PolicyDecision.deny('No notes.') : PolicyDecision.allow()),
};

/** One change each, and where it shows: in the first request, or at the first call that it concerns. */
const mutations = {
  text: {
    mutation: { promptText: 'Do it well.' },
    expected: { part: 'request', text: 'The instructions differ' },
  },
  description: {
    mutation: { description: 'Write notes.' },
    expected: { part: 'request', text: 'The tool "note" differs at description' },
  },
  schema: {
    mutation: { schemaText: 'The place.' },
    expected: { part: 'request', text: 'differs at inputSchema.properties.path.description' },
  },
  behavior: {
    mutation: { behavior: '!' },
    expected: { part: 'call', text: 'The call of "note": The text for the model differs' },
  },
  state: {
    mutation: { noted: 'never' },
    expected: { part: 'call', text: 'The call of "note": The changes differ at writes' },
  },
  file: {
    mutation: { written: 'never' },
    expected: { part: 'call', text: 'The call of "note": The changes differ at files[0].after' },
  },
  policy: {
    mutation: { policies: [denyNotes] },
    expected: { part: 'call', text: 'It was committed, and is denied (denied by no-notes) now.' },
  },
} as const;
