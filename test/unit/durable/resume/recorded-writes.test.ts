import { describe, expect, it } from 'vitest';
import {
  type AnySlice,
  type AnyTool,
  defineEvent,
  defineSlice,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  type Slice,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const Counted = defineEvent({ name: 'counted', schema: z.object({}) });
const Noted = defineEvent({ name: 'noted', schema: z.object({ name: z.string(), text: z.string() }) });

/** A counter whose reducer adds so much in this version of the code; the version of the slice stays. */
const countBy = (step: number): Slice<number> =>
  defineSlice({
    name: 'count',
    schema: z.number(),
    initial: [0],
    reducers: (on) => [on(Counted, (items) => items.replace([(items.latest() ?? 0) + step]))],
  });

const Notes = defineSlice({
  name: 'notes',
  schema: z.object({ name: z.string(), text: z.string() }),
  key: ({ name }) => name,
  reducers: (on) => [on(Noted, (items, note) => items.append(note, { moveToEnd: true }))],
});
const Log = defineSlice({ name: 'log', policy: 'log', schema: z.object({ text: z.string() }) });

const batchesUpTo = (batches: readonly JournalBatch[], count: number) => ({
  part: batches.slice(0, count),
  commits: batches
    .slice(0, count)
    .flatMap(({ rows }) => rows)
    .filter(({ type }) => type === 'commit').length,
});

function newSession(...slices: readonly AnySlice[]): Session {
  const session = new Session({ id: 'session' });
  for (const slice of slices) session.install(slice);
  return session;
}

function promptWith(tools: readonly AnyTool[], slices: readonly AnySlice[]): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'writes',
    sections: [section({ title: 'Task', key: 'task', template: 'Go.', slices, tools })],
  }).bind();
}

describe('a reducer that was changed between two lives of a run', () => {
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn > 4 ? { text: 'done' } : { toolCalls: [{ name: 'count', arguments: {} }] },
  );

  function counting(step: number): { readonly Count: Slice<number>; readonly prompt: Prompt } {
    const Count = countBy(step);
    const count = tool({
      name: 'count',
      description: 'Counts.',
      effects: 'state',
      inputSchema: z.object({}),
      execute: (_params, { session }) => {
        session.dispatch(Counted, {});
        return ToolResult.ok(null, `n=${session.slice(Count).latest()}`);
      },
    });
    return { Count, prompt: promptWith([count], [Count]) };
  }

  it('changes nothing of what was decided: what the model read and what the slice holds stay one story', async () => {
    const journal = watchedJournal();
    const before = counting(1);
    await adapter.evaluate(before.prompt, { journal, runId: 'run', session: newSession(before.Count) });
    for (let count = 1; count <= journal.batches.length; count += 1) {
      const { part, commits } = batchesUpTo(journal.batches, count);
      const { Count, prompt } = counting(10);
      const session = newSession(Count);
      const end = await resumeRun({
        adapter,
        runId: 'run',
        prompt,
        session,
        journal: await journalAfter(part, 'session'),
      });
      const expected = Array.from({ length: 4 }, (_, index) =>
        index < commits ? index + 1 : commits + 10 * (index + 1 - commits),
      );
      const read = end.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
      expect(read, `after ${count}`).toEqual(expected.map((value) => `n=${value}`));
      expect(session.slice(Count).all(), `after ${count}`).toEqual([expected[3]]);
    }
  });
});

describe('a snapshot that a call goes back to', () => {
  const script = ['note', 'undo', 'note', 'undo', 'note'];
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    const name = script[turn - 1];
    return name === undefined ? { text: 'done' } : { toolCalls: [{ name, arguments: {} }] };
  });

  function notingPrompt(): Prompt {
    const inputSchema = z.object({});
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effects: 'state',
      inputSchema,
      execute: (_params, { session, callId }) => {
        session.dispatch(Noted, { name: 'latest', text: callId });
        session.dispatch(Noted, { name: callId, text: callId });
        return ToolResult.ok(null, 'Noted.');
      },
    });
    const undo = tool({
      name: 'undo',
      description: 'Tries something and goes back.',
      effects: 'state',
      inputSchema,
      execute: (_params, { session, callId }) => {
        const snapshot = session.snapshot();
        session.slice(Notes).clear();
        session.dispatch(Noted, { name: 'tried', text: callId });
        session.slice(Log).append({ text: callId });
        session.restore(snapshot);
        session.dispatch(Noted, { name: 'undone', text: callId });
        return ToolResult.ok(null, JSON.stringify(session.slice(Notes).all()));
      },
    });
    return promptWith([note, undo], [Notes, Log]);
  }

  it('is taken over as what it changed, whenever the run was interrupted', async () => {
    const journal = watchedJournal();
    const session = newSession(Notes, Log);
    const whole = await adapter.evaluate(notingPrompt(), { journal, runId: 'run', session });
    const state = [session.slice(Notes).all(), session.slice(Log).all()];
    expect(state).toEqual([
      [
        { name: 'call-1-1', text: 'call-1-1' },
        { name: 'call-3-1', text: 'call-3-1' },
        { name: 'undone', text: 'call-4-1' },
        { name: 'latest', text: 'call-5-1' },
        { name: 'call-5-1', text: 'call-5-1' },
      ],
      // A log is not put back.
      [{ text: 'call-2-1' }, { text: 'call-4-1' }],
    ]);
    for (let count = 1; count <= journal.batches.length; count += 1) {
      const { part } = batchesUpTo(journal.batches, count);
      const again = newSession(Notes, Log);
      const end = await resumeRun({
        adapter,
        runId: 'run',
        prompt: notingPrompt(),
        session: again,
        journal: await journalAfter(part, 'session'),
      });
      expect(end.conversation, `after ${count}`).toEqual(whole.conversation);
      expect([again.slice(Notes).all(), again.slice(Log).all()], `after ${count}`).toEqual(state);
    }
  });
});
