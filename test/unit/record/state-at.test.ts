import { expect, it } from 'vitest';
import {
  defineEvent,
  defineSlice,
  promptTemplate,
  reducers,
  type Slice,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Step = z.object({ id: z.number(), done: z.boolean() });
const Replaced = defineEvent({ name: 'steps-replaced', schema: z.array(Step) });
const Added = defineEvent({ name: 'note-added', schema: z.string() });
const Steps: Slice<z.infer<typeof Step>> = defineSlice({
  name: 'steps',
  schema: Step,
  initial: [{ id: 0, done: true }],
  reducers: (on) => [on(Replaced, (items, steps) => items.replace(steps))],
});
const Notes: Slice<string> = defineSlice({
  name: 'notes',
  schema: z.string(),
  reducers: (on) => [on(Added, reducers.append())],
});
const replace = tool({
  name: 'replace',
  description: 'Replaces all steps.',
  effects: 'state',
  inputSchema: z.object({ steps: z.array(Step) }),
  execute: ({ steps }, { session }) => {
    session.dispatch(Replaced, steps);
    return ToolResult.ok(null, 'Replaced.');
  },
});
const add = tool({
  name: 'add',
  description: 'Adds a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }, { session }) => {
    session.dispatch(Added, text);
    return ToolResult.ok(null, 'Added.');
  },
});

async function record(turns: Parameters<typeof scriptedAdapter>[0]): Promise<RunRecord> {
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Do it.',
    tools: [replace, add],
    slices: [Steps, Notes],
  });
  const lines: string[] = [];
  await scriptedAdapter(turns).evaluate(
    promptTemplate({ ns: 'test', key: 'steps', sections: [task] }).bind(),
    {
      observers: [runRecorder({ write: (line) => void lines.push(line) })],
      limits: { maxTurns: 1_000 },
    },
  );
  return readRunRecord(lines);
}

const stepsAt = (run: RunRecord, seq: number): readonly unknown[] =>
  run
    .stateAt(seq)
    .find(({ name }) => name === 'steps')
    ?.items.map(({ value, writtenBy }) => [value, writtenBy?.id]) ?? [];

it('names who wrote each item, also of a slice that is replaced as a whole', async () => {
  const call = (...done: readonly boolean[]) => ({
    name: 'replace',
    arguments: { steps: done.map((isDone, id) => ({ id, done: isDone })) },
  });
  const run = await record([
    { toolCalls: [call(true, false, false)] },
    { toolCalls: [call(true, true, false)] },
    { text: 'done' },
  ]);
  expect(stepsAt(run, 0)).toEqual([[{ id: 0, done: true }, undefined]]);
  expect(stepsAt(run, 1)).toEqual([
    [{ id: 0, done: true }, undefined],
    [{ id: 1, done: false }, 'call-1-1'],
    [{ id: 2, done: false }, 'call-1-1'],
  ]);
  expect(stepsAt(run, 2)).toEqual([
    [{ id: 0, done: true }, undefined],
    [{ id: 1, done: true }, 'call-2-1'],
    [{ id: 2, done: false }, 'call-1-1'],
  ]);
});

it('is the same whichever way one goes through the commits', async () => {
  const turns = Array.from({ length: 300 }, (_, turn) => ({
    toolCalls: [{ name: 'add', arguments: { text: `${turn}` } }],
  }));
  const run = await record([...turns, { text: 'done' }]);
  const countAt = (seq: number): number | undefined =>
    run.stateAt(seq).find(({ name }) => name === 'notes')?.items.length;
  const forward = Array.from({ length: 301 }, (_, seq) => countAt(seq));
  expect(forward).toEqual(Array.from({ length: 301 }, (_, seq) => seq));
  expect(Array.from({ length: 301 }, (_, index) => countAt(300 - index))).toEqual(forward.toReversed());
  for (const seq of [7, 299, 128, 127, 256, 0, 300, 129]) expect(countAt(seq)).toBe(seq);
  expect([countAt(-1), countAt(1_000), countAt(2.5)]).toEqual([0, 300, 2]);
});
