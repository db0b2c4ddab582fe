// A change of a prompt, a tool or a rule can only be tried by asking a model again, which is slow, costs money and differs each time.
// Thread: https://github.com/elastic/example-mcp-dashbuilder/issues/34
// Group: Tests
// Steps: A run is recorded once. The record is replayed without a model: with the same agent, with a tool that answers otherwise, and with a new rule.
// Asserted: The same agent differs in nothing. The other two differ in one call each, which the report names. No model is asked.
// Compared: replay
import assert from 'node:assert/strict';
import { PolicyDecision, promptTemplate, section, type ToolPolicy, ToolResult, tool } from 'weakincentives';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const params = z.object({ index: z.string() });
const promptWith = (rows: number, policies: readonly ToolPolicy[] = []) => {
  const query = tool({
    name: 'run_query',
    description: 'Counts the rows of an index.',
    inputSchema: params,
    effects: 'read',
    pure: true, // A replay calls the handler again, so that a change of it shows.
    execute: ({ index }) => ToolResult.ok(null, `${rows} rows in ${index}`),
  });
  const task = section({ title: 'Task', key: 'task', template: 'Build the dashboard.', tools: [query] });
  return promptTemplate({ ns: 'issues', key: 'elastic-34', sections: [task], policies }).bind();
};

let requests = 0;
const adapter = scriptedAdapter((_conversation, { turn }) => {
  requests += 1;
  const index = ['orders', 'customers'][turn - 1];
  return index === undefined
    ? { text: 'Built.' }
    : { toolCalls: [{ name: 'run_query', arguments: { index } }] };
});
const lines: string[] = [];
const recorder = runRecorder({ write: (line) => void lines.push(line) });
await adapter.evaluate(promptWith(3), { observers: [recorder] });
await recorder.flush();
const record = await readRunRecord(lines);

const same = await replayRun({ record, prompt: promptWith(3) });
assert.equal(same.isSame, true);

const otherTool = await replayRun({ record, prompt: promptWith(4) });
assert.match(
  otherTool.firstDifference?.text ?? '',
  /"run_query".*"3 rows in orders", now "4 rows in orders"/,
);

const noCustomers: ToolPolicy = {
  name: 'no-customers',
  check: ({ params: given }) =>
    params.parse(given).index === 'customers' ? PolicyDecision.deny('Private.') : PolicyDecision.allow(),
};
const denied = await replayRun({ record, prompt: promptWith(3, [noCustomers]) });
assert.match(denied.firstDifference?.text ?? '', /"run_query".*is denied \(denied by no-customers\) now/);
assert.equal(requests, 3);
console.log('holds: the replay asks no model, and names the one call that the new rule denies');
