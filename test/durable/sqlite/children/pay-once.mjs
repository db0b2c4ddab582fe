// Runs of a small agent that want the same payments made, one after another: each payment is a line that is appended to a file. Prints `ready`, waits for a line on its standard input, and then how many calls paid,
// were answered by the ledger, and were refused because another one was at it. Arguments: the form and the file of the journal, the file of payments, the name of the process, how many payments.
import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { openJournal } from './open-journal.mjs';

const [form = '', file = '', payments = '', name = '', count = ''] = process.argv.slice(2);
const journal = openJournal(form, file, 600_000);
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  effects: 'external',
  inputSchema: z.object({ invoice: z.string() }),
  once: ({ invoice }) => invoice,
  execute: async ({ invoice }) => {
    appendFileSync(payments, `${invoice}\n`);
    return ToolResult.ok(null, 'Paid.');
  },
});
const task = section({ title: 'Task', key: 'task', template: 'Pay.', tools: [pay] });
const prompt = promptTemplate({ ns: 'tests', key: 'pay', sections: [task] }).bind();

console.log('ready');
await once(process.stdin, 'data');
const counts = { paid: 0, known: 0, busy: 0 };
for (let number = 0; number < Number(count); number += 1) {
  const adapter = scriptedAdapter([
    { toolCalls: [{ name: 'pay', arguments: { invoice: `invoice-${number}` } }] },
    { text: 'done' },
  ]);
  const { conversation } = await adapter.evaluate(prompt, { journal, runId: `${name}-${number}` });
  const text = JSON.stringify(conversation);
  if (text.includes('This was done before')) counts.known += 1;
  else if (text.includes('another call is doing')) counts.busy += 1;
  else if (text.includes('"Paid."')) counts.paid += 1;
}
console.log(JSON.stringify(counts));
await journal[Symbol.asyncDispose]();
process.stdin.destroy();
