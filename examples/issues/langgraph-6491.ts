// A tool writes a value that its state does not allow; it is saved, and from then on the thread cannot be read any more.
// Thread: https://github.com/langchain-ai/langgraph/issues/6491
// Group: Crashes
// Steps: The state is a list of texts. A tool appends null to it, and 21 other odd values, each in a call. Then the run breaks, and another process would continue it.
// Asserted: What is not a text fails its call and leaves nothing. The run is resumed, and its state has exactly the texts that were kept.
// Compared: issues/langgraph-6491
import assert from 'node:assert/strict';
import {
  defineAgent,
  defineSlice,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Items = defineSlice({ name: 'items', schema: z.object({ item: z.string() }) });
const circular: { item?: unknown } = {};
circular.item = circular;
const texts = ['', 'null', '\u0000', '\uD83D\uDE00', '__proto__', '{"item":1}', 'x'.repeat(100_000)];
const odd: readonly unknown[] = [
  null,
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -0,
  2 ** 60,
  10n,
  Symbol('item'),
  () => 'item',
  new Date(0),
  new Map([['item', 1]]),
  circular,
  ['item'],
  new Uint8Array(2),
  Promise.resolve('item'),
];
const values = [...odd, ...texts];
assert.equal(values.length, 22);

const append = tool({
  name: 'append',
  description: 'Appends a value.',
  inputSchema: z.object({ index: z.number() }),
  effects: 'state',
  execute: ({ index }, { session }) => {
    // What the types of a program would refuse, and what data of a service gets past them.
    session.slice(Items).append({ item: values[index] } as { item: string });
    return ToolResult.ok(null);
  },
});
const task = section({ title: 'Task', key: 'task', template: 'Keep it.', tools: [append], slices: [Items] });
const template = promptTemplate({ ns: 'issues', key: 'langgraph-6491', sections: [task] });
const toolCalls = values.map((_, index) => ({ name: 'append', arguments: { index } }));
const journal = memoryJournal();
const job = { journal, runId: 'odd' };

const breaking = scriptedAdapter((_conversation, { turn }) => {
  if (turn === 2) throw new Error('The process ends.');
  return { toolCalls };
});
await assert.rejects(runAgent(defineAgent({ template, adapter: breaking }), job));

const adapter = scriptedAdapter(() => ({ text: 'Kept.' }));
await using session = new Session({ id: 'odd' });
await assert.doesNotReject(runAgent(defineAgent({ template, adapter }), { ...job, session }));
assert.deepEqual(
  session.slice(Items).all(),
  texts.map((item) => ({ item })),
);
console.log('holds: 15 odd values are refused, 7 odd texts are kept, and the run is resumed with them');
