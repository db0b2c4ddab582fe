import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyDecision, type ToolPolicy } from 'weakincentives';
import {
  type RecordedCall,
  type ReplayReport,
  type RunRecord,
  readRunRecord,
  replayRun,
} from 'weakincentives/record';
import { draws, seenAtLeast } from '../support/draws.ts';
import {
  type Mutation,
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomRuns,
} from '../support/replayed-runs.ts';
import { linesOf } from '../support/replays.ts';

describe('a replay of a random run', () => {
  it('names the call of a commit in the record that was changed', async () => {
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
      { numRuns: draws(200) },
    );
    expect(seen).toBeGreaterThan(seenAtLeast(50));
  });

  it('names a change of prompt, tool or policy where it first shows', async () => {
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
          const [first] = rootIds(
            record,
            ({ toolName, outcome }) => toolName === 'note' && outcome === 'committed',
          );
          expect(firstDifference?.text).toContain(expected.text);
          expect(firstDifference?.path[0] ?? firstDifference?.callId).toBe(first);
        },
      ),
      { numRuns: draws(200) },
    );
  });

  it.each([
    { what: 'was removed', deniedReason: null, text: 'It was denied (denied by denied)' },
    { what: 'has another reason', deniedReason: 'Never.', text: 'The decisions of policies differ' },
  ])('names the first call that a policy had denied: the policy $what', async (policy) => {
    const { deniedReason, text } = policy;
    await fc.assert(
      fc.asyncProperty(randomRuns, async (drawn) => {
        const run = { ...drawn, denied: 'a.md', turns: [...drawn.turns, { toolCalls: [note] }] };
        const { rows, record, replay } = await recordedRows(run);
        const [first] = rootIds(record, ({ policy: by }) => by === 'denied');
        const { firstDifference } = await replay(rows, { deniedReason });
        expect(firstDifference?.text).toContain(text);
        expect(firstDifference?.path[0] ?? firstDifference?.callId).toBe(first);
      }),
      { numRuns: draws(100) },
    );
  });

  it('names the call of an answer in the record whose arguments were changed, or the message that has them', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(100), fc.boolean(), async (run, place, isRemoved) => {
        const { rows, replay } = await recordedRows(run);
        const answers = rows.filter(({ type, run: inside = 0 }) => type === 'response' && inside === 0);
        const changed = answers[place % (answers.length - 1)];
        const parts = changed?.content ?? [];
        const at = place % parts.length;
        const content = isRemoved
          ? parts.filter((_part, index) => index !== at)
          : parts.map((part, index) =>
              index === at ? { ...part, arguments: '{"path":"never.md","text":"z"}' } : part,
            );
        // An answer without any call would be the last one.
        if (changed === undefined || content.length === 0) return;
        const turn = changed.turn;
        const { firstDifference, isSame } = await replay(
          rows.map((row) => (row === changed ? { ...row, content } : row)),
        );
        expect(isSame).toBe(false);
        if (firstDifference?.callId === undefined) {
          seen.add('message');
          expect(firstDifference).toMatchObject({ path: [], turn: turn + 1 });
          expect(firstDifference?.text).toMatch(/^Message \d+ \(assistant\) differs at content/);
        } else {
          seen.add('call');
          // Without a call those after it may do something else.
          const ids = parts
            .slice(isRemoved ? at + 1 : at, isRemoved ? undefined : at + 1)
            .map((_part, index) => `call-${turn}-${at + index + (isRemoved ? 2 : 1)}`);
          expect(ids).toContain(firstDifference.callId);
        }
      }),
      { numRuns: draws(200) },
    );
    expect(seen).toEqual(new Set(['message', 'call']));
  });

  it('names the message of a request in the record that was changed', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(100), async (run, place) => {
        const { rows, replay } = await recordedRows(run);
        // The messages of the first request are what the run began with.
        const requests = rows.filter(
          ({ type, turn, run: inside = 0 }) => type === 'request' && turn > 1 && inside === 0,
        );
        const changed = requests[place % requests.length];
        const [edit, ...others] = changed?.edits ?? [];
        if (changed === undefined || edit === undefined) throw new Error('Each request has new messages.');
        expect(others).toEqual([]);
        const at = place % edit.insert.length;
        const insert = edit.insert.map((item, index) => (index === at ? withOther(item) : item));
        const edits = [{ ...edit, insert }];
        const { firstDifference, firstMessage } = await replay(
          rows.map((row) => (row === changed ? { ...row, edits } : row)),
        );
        expect(firstDifference).toMatchObject({ path: [], turn: changed.turn });
        expect(firstDifference?.callId).toBeUndefined();
        expect(firstMessage?.text).toContain(`Message ${edit.at + at} (`);
      }),
      { numRuns: draws(200) },
    );
  });

  it('names the call of a commit in the record that was made earlier', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(100), async (run, place) => {
        const { rows, replay } = await recordedRows(run);
        const commits = rows.filter(({ type, seq }) => type === 'commit' && seq !== undefined);
        if (commits.length < 2) return;
        const at = place % (commits.length - 1);
        const [early, late] = commits.slice(at, at + 2);
        if (early === undefined || late === undefined || early.turn !== late.turn) return;
        seen += 1;
        const { seq = 0 } = early;
        // What a row refers to is before it.
        const [header, ...others] = rows;
        const isBlob = ({ type }: Row): boolean => type === 'blob';
        const ordered = [header, ...others.filter(isBlob), ...others.filter((row) => !isBlob(row))].flatMap(
          (row) => row ?? [],
        );
        const mutated = ordered.map((row) => {
          if (row === early) return { ...late, seq };
          return row === late ? { ...early, seq: seq + 1 } : row;
        });
        const { firstDifference, calls } = await replay(mutated);
        expect(firstDifference).toMatchObject({ path: [], turn: late.turn, callId: late.callId });
        expect(calls.find(({ id }) => id === late.callId)?.differences).toContainEqual({
          part: 'order',
          text: `It was committed before ${early.callId}, and is committed after it now.`,
        });
      }),
      { numRuns: draws(200) },
    );
    expect(seen).toBeGreaterThan(seenAtLeast(20));
  });

  it('names the end of the run whose last text in the record was changed', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const { rows, replay } = await recordedRows(run);
        const { firstDifference } = await replay(
          rows.map((row) =>
            row.type === 'end' && row.text?.startsWith('Done in') === true && (row.run ?? 0) === 0
              ? { ...row, text: 'Never.' }
              : row,
          ),
        );
        expect(firstDifference?.text).toMatch(
          /^The run ended otherwise: it finished with "Never\.", and finished with "Done in \d\." now\.$/,
        );
      }),
      { numRuns: draws(50) },
    );
  });
});

const note = { name: 'note', arguments: { path: 'a.md', text: 'x' } };

interface RecordedRows {
  readonly record: RunRecord;
  readonly rows: readonly Row[];
  /** Replays these rows, with the prompt that they are of or another one. */
  replay(rows: readonly Row[], mutation?: Mutation): Promise<ReplayReport>;
}

/** The record of a random run. */
async function recordedRows(run: RandomRun): Promise<RecordedRows> {
  const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), {
    input: 'Go.',
    approve: () => run.approves,
  });
  return {
    record: await readRunRecord(lines),
    // The recorder wrote them.
    rows: lines.map((line) => JSON.parse(line) as Row),
    replay: async (rows, mutation = {}) => {
      const record = await readRunRecord(rows.map((row) => JSON.stringify(row)));
      return replayRun({ record, prompt: randomPrompt(run, { count: 0 }, {}, mutation) });
    },
  };
}

/**
 * Ids of the calls of the root run that are, or have inside, such a call that is made again, in order. Those inside calls of "order", which the record answers
 * for, are not.
 */
function rootIds(record: RunRecord, isMeant: (call: RecordedCall) => boolean): readonly string[] {
  return record.calls
    .filter((call) => isMeant(call) && call.run.parent?.call.toolName !== 'order')
    .map(({ id }) => id.split('/')[0] ?? '')
    .sort();
}

/** A message with another text. */
function withOther(item: Item): Item {
  if (item.type === 'tool-result') return { ...item, text: 'Never.' };
  return { ...item, content: [{ type: 'text', text: 'Never.' }] };
}

/** What the mutations need of a row. */
interface Row {
  readonly type: string;
  /** The evaluation; absent for the root one. */
  readonly run?: number;
  readonly seq?: number;
  readonly turn: number;
  readonly callId: string;
  readonly toolName?: string;
  readonly text?: string;
  readonly content?: readonly object[];
  readonly edits?: readonly { readonly at: number; readonly insert: readonly Item[] }[];
  readonly writes: readonly { readonly slice: string; readonly items?: readonly object[] }[];
  readonly files: readonly { readonly after?: { readonly hash: string; readonly bytes: number } }[];
  readonly result: { readonly modelText?: string };
}

interface Item {
  readonly type: string;
  readonly text?: string;
  readonly content?: readonly object[];
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
  unused: {
    mutation: { unusedText: 'Do it.' },
    expected: { part: 'request', text: 'The tool "unused" differs at description' },
  },
  policy: {
    mutation: { policies: [denyNotes] },
    expected: { part: 'call', text: 'It was committed, and is denied (denied by no-notes) now.' },
  },
} as const;
