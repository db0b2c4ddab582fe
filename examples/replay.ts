// A recorded run is replayed with a new rule and with another text: what would change, without asking a model.
import assert from 'node:assert/strict';
import {
  defineSlice,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const params = z.object({ order: z.string(), amount: z.number() });
const Refunded = defineSlice({ name: 'refunded', schema: params });
let payments = 0;
const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: params,
  execute: (given, { session }) => {
    payments += 1; // Something outside, which a replay must not do again.
    session.slice(Refunded).append(given);
    return ToolResult.ok(null, `Refunded ${given.amount}.`);
  },
});
const promptOf = ({ text = 'Refund what is broken.', policies = [] as readonly ToolPolicy[] } = {}) =>
  promptTemplate({
    ns: 'examples',
    key: 'replay',
    sections: [section({ title: 'Task', key: 'task', template: text, tools: [refund], slices: [Refunded] })],
    policies,
  }).bind();

// The run as it was, with its record. In a program, openRunRecorder({ file }) writes it.
const lines: string[] = [];
const recorder = runRecorder({ write: (line) => void lines.push(line) });
const call = (order: string, amount: number) => ({ name: 'refund', arguments: { order, amount } });
const adapter = scriptedAdapter([
  { toolCalls: [call('7', 20), call('8', 900)] },
  { toolCalls: [call('9', 30)] },
  { text: 'Three orders are refunded.' },
]);
await adapter.evaluate(promptOf(), { observers: [recorder] });
await recorder.flush();
const record = await readRunRecord(lines);

const same = await replayRun({ record, prompt: promptOf() });
assert.equal(same.isSame, true);

// A rule that was added since: which calls would it have denied?
const small: ToolPolicy = {
  name: 'small-refunds',
  check: ({ params: given }) =>
    params.parse(given).amount > 100
      ? PolicyDecision.deny('A person refunds more than 100.')
      : PolicyDecision.allow(),
};
const ruled = await replayRun({ record, prompt: promptOf({ policies: [small] }) });
// What comes after it is not known: the model has read something else.
assert.deepEqual(
  ruled.calls.map(({ status }) => status),
  ['same', 'changed', 'not-replayed'],
);

assert.equal(
  ruled.firstDifference?.text,
  'The call of "refund": It was committed, and is denied (denied by small-refunds) now.',
);

// Another text: the first request already differs, and the report shows where.
const reworded = await replayRun({ record, prompt: promptOf({ text: 'Refund what is broken or late.' }) });
assert.equal(reworded.isSame, false);
assert.match(reworded.firstDifference?.text ?? '', /instructions/);

assert.equal(payments, 3);
console.log('ok: the new rule would have denied the refund of 900, and nothing was refunded again');
