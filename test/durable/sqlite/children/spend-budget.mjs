// Runs of a small agent at the same time, which share a budget. Prints `ready`, waits for a line on its standard input, prints a line for each turn, and `end` when all runs have ended.
// Arguments: the form and the file of the journal, the name of the process, how many runs, the limit of the budget.
import { once } from 'node:events';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { sharedBudget } from 'weakincentives/durable';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { openJournal } from './open-journal.mjs';

const [form = '', file = '', name = '', count = '', limit = ''] = process.argv.slice(2);
const journal = openJournal(form, file, 600_000);
const budget = sharedBudget({
  journal,
  name: 'all',
  period: () => 'now',
  limits: { maxTotalTokens: Number(limit) },
});
const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: async () => ToolResult.ok(null, 'Nothing.'),
});
const task = section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] });
const prompt = promptTemplate({ ns: 'tests', key: 'spend', sections: [task] }).bind();
const adapter = () =>
  scriptedAdapter((_conversation, { turn }) => {
    console.log('turn');
    const usage = { inputTokens: 900, outputTokens: 100 };
    return turn < 10 ? { usage, toolCalls: [{ name: 'look', arguments: {} }] } : { usage, text: 'done' };
  });

console.log('ready');
await once(process.stdin, 'data');
await Promise.allSettled(
  Array.from({ length: Number(count) }, (_, run) =>
    adapter().evaluate(prompt, { journal, runId: `${name}-${run}`, limits: { budget } }),
  ),
);
console.log('end');
await journal[Symbol.asyncDispose]();
process.stdin.destroy();
