// Six calls of one turn that end in five ways.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  section,
  sequentialDependencyPolicy,
  ToolCallLog,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { openRunRecorder } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

// What the agent keeps: a stock that rolls back with a failed call, and a journal that does not.
const StockCounted = defineEvent({
  name: 'stock-counted',
  schema: z.object({ item: z.string(), count: z.number().int() }),
});
const Stock = defineSlice({
  name: 'stock',
  schema: z.object({ item: z.string(), count: z.number().int() }),
  key: ({ item }) => item,
  initial: [{ item: 'pear', count: 10 }],
  reducers: (on) => [on(StockCounted, (items, counted) => items.append(counted))],
});
const Tried = defineEvent({ name: 'tried', schema: z.object({ what: z.string() }) });
const Journal = defineSlice({
  name: 'journal',
  schema: z.object({ what: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Tried, (items, tried) => items.append(tried))],
});

const sell = tool({
  name: 'sell',
  description: 'Sell some pieces of an item.',
  inputSchema: z.object({ item: z.string(), count: z.number().int().positive() }),
  effects: 'state',
  execute: ({ item, count }, { session }) => {
    session.dispatch(Tried, { what: `sell ${count}` });
    const left = (session.slice(Stock).get(item)?.count ?? 0) - count;
    if (left < 0) return ToolResult.error(`There are only ${left + count} of ${item}.`);
    session.dispatch(StockCounted, { item, count: left });
    return ToolResult.ok(null, `${left} left.`);
  },
});

const importCounts = tool({
  name: 'import_counts',
  description: 'Take counts over from a file of lines like "pear 10".',
  inputSchema: z.object({ path: z.string() }),
  effects: 'state',
  execute: async ({ path }, { session, filesystem }) => {
    session.dispatch(Tried, { what: `import ${path}` });
    await filesystem.move(path, `done/${path}`);
    for (const line of (await filesystem.read(`done/${path}`)).text.trimEnd().split('\n')) {
      const [item = '', count] = line.split(' ');
      if (!Number.isInteger(Number(count))) throw new Error(`"${line}" has no count`);
      session.dispatch(StockCounted, { item, count: Number(count) });
    }
    return ToolResult.ok(null, 'Imported.');
  },
});

let supplierAnswers: () => void = () => undefined;
const answer = new Promise<void>((resolve) => {
  supplierAnswers = resolve;
});
let refusedLateWrite: unknown;
const askSupplier = tool({
  name: 'ask_supplier',
  description: 'Ask the supplier how many pieces are on their way.',
  effects: 'state',
  timeoutMs: 200,
  execute: async (_params, { session }) => {
    try {
      session.dispatch(StockCounted, { item: 'fig', count: 0 });
      await answer; // The supplier is slow, and this handler ignores its signal.
      session.dispatch(StockCounted, { item: 'fig', count: 50 });
    } catch (error) {
      refusedLateWrite = error;
    }
    return ToolResult.ok(null, '50 figs are on their way.');
  },
});

const closeDay = tool({
  name: 'close_day',
  description: 'Close the books for today.',
  effects: 'state',
  execute: () => ToolResult.ok(null, 'Closed.'),
});

const shop = section({
  title: 'Shop',
  key: 'shop',
  template: 'Keep the stock of the shop.',
  slices: [Stock, Journal],
  tools: [sell, importCounts, askSupplier, closeDay],
  policies: [sequentialDependencyPolicy({ dependencies: { close_day: ['import_counts'] } })],
});
const template = promptTemplate({ ns: 'examples', key: 'transactions', sections: [shop] });

// All six calls belong to one turn and run at the same time.
const adapter = scriptedAdapter([
  {
    toolCalls: [
      { name: 'sell', arguments: { item: 'pear', count: 3 } },
      { name: 'sell', arguments: { item: 'pear', count: 4 } },
      { name: 'import_counts', arguments: { path: 'counts.txt' } },
      { name: 'close_day' },
      { name: 'ask_supplier' },
      { name: 'sell', arguments: { item: 'pear', count: 'two' } },
    ],
  },
  { text: 'Seven pears are sold; the rest did not work.' },
]);

await using session = new Session();
const files = new MemoryFilesystem({ files: { 'counts.txt': 'plum 12\nquince many\n' } });
const resources = [binding(Filesystem, { instance: files })];
// RECORD=run.jsonl npm run example -- transactions
const file = process.env['RECORD'];
const recorder = file === undefined ? undefined : await openRunRecorder({ file });
const observers = recorder === undefined ? [] : [recorder];
await adapter.evaluate(template.bind({}, { resources }), { session, observers });
await recorder?.[Symbol.asyncDispose]();

const calls = session.slice(ToolCallLog).all();
for (const { toolName, outcome, attempts, conflicts, modelText } of calls) {
  const again = attempts > 1 ? ` in attempt ${attempts}, since ${conflicts.join(', ')} had changed` : '';
  console.log(`${toolName}: ${outcome}${again}\n  ${modelText}`);
}

assert.deepEqual(
  calls.map(({ outcome, attempts, reason }) => [outcome, attempts, reason]),
  [
    ['committed', 1, undefined],
    ['committed', 2, undefined], // It read 10 pears, and then there were 7.
    ['rolled-back', 1, 'threw'],
    ['denied', 1, 'denied'],
    ['rolled-back', 1, 'timeout'],
    ['rejected', 1, 'invalid-arguments'],
  ],
);
// No plums from the invalid file, no figs from the handler that timed out.
assert.deepEqual(session.slice(Stock).all(), [{ item: 'pear', count: 3 }]);
assert.deepEqual((await files.glob('**')).paths, ['counts.txt']);
// A log keeps what a rolled-back call wrote, but not what a superseded attempt wrote.
assert.deepEqual(
  session
    .slice(Journal)
    .all()
    .map(({ what }) => what),
  ['sell 3', 'sell 4', 'import counts.txt'],
);

supplierAnswers();
await sleep(0);
assert.ok(TransactionClosedError.isInstance(refusedLateWrite));
console.log(`\nThe late write of ask_supplier: ${refusedLateWrite.message}`);
if (file !== undefined) console.log(`\nOpen the run in the viewer: npx wink view ${file}`);
