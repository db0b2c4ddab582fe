// A run is tried again, the model asks for the same refund with a new call id, and the customer is paid twice.
// Thread: https://github.com/openai/openai-agents-python/issues/4254
// Group: Crashes
// Steps: The refund is paid, and the run ends before the model answers. It runs again, and the model asks again. Another run asks, too.
// Asserted: One refund is paid, and each later call returns the receipt of the first, whatever its call id.
// Compared: issues/openai-agents-python-4254
import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const payments: string[] = [];
const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  outputSchema: z.object({ receipt: z.number() }),
  // The model makes a new call id with each turn. What stays is the order.
  once: ({ orderId }) => `order/${orderId}`,
  execute: (_params, { idempotencyKey }) => {
    payments.push(idempotencyKey);
    return ToolResult.ok({ receipt: payments.length }, 'Refunded.');
  },
});
const template = promptTemplate({
  ns: 'issues',
  key: 'openai-agents-python-4254',
  sections: [section({ title: 'Task', key: 'task', template: 'Refund order 7.', tools: [refund] })],
});
const call = { name: 'refund', arguments: { orderId: '7', amount: 20 } };
const journal = memoryJournal();

const breaking = scriptedAdapter((_conversation, { turn }) => {
  if (turn === 2) throw new Error('The connection was lost.');
  return { toolCalls: [call] };
});
await assert.rejects(runAgent(defineAgent({ template, adapter: breaking }), { journal, runId: 'try-1' }));
const receipts: string[] = [];
for (const runId of ['try-1', 'try-2']) {
  const again = scriptedAdapter((_conversation, { turn }) =>
    turn > 2 ? { text: 'Refunded.' } : { toolCalls: [{ ...call, callId: `${runId}-${turn}` }] },
  );
  const { conversation } = await runAgent(defineAgent({ template, adapter: again }), { journal, runId });
  receipts.push(...conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : [])));
}
assert.deepEqual(payments, ['try-1/1/call-1-1']);
assert.equal(receipts.length, 4);
assert.ok(receipts.every((text) => text.includes('{"receipt":1}')));
console.log('holds: four calls in two runs, one refund, and each call returns its receipt');
