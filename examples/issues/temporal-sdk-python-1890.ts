// The history of a durable run holds the whole conversation again for each request, grows with its square, and the run is ended for its size.
// Thread: https://github.com/temporalio/sdk-python/issues/1890
// Group: Crashes
// Steps: A run with a journal makes 1,000 turns with one call each, whose result has 5 KB. The rows of each are measured.
// Asserted: Each turn up to the 1,000th adds as many bytes to the journal as the 10th, within 5 percent.
import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const turns = 1_000;
const search = tool({
  name: 'search',
  description: 'Searches.',
  inputSchema: z.object({ page: z.string() }),
  effects: 'read',
  execute: ({ page }) => ToolResult.ok(null, page.padEnd(5_000, '.')),
});
const journal = memoryJournal();
let rowsSoFar = 0;
/** The bytes that each turn has added to the journal. */
const bytesOfTurn: number[] = [];
const adapter = scriptedAdapter(async (_conversation, { turn }) => {
  const rows = await journal.read('long', rowsSoFar);
  rowsSoFar += rows.length;
  bytesOfTurn[turn - 1] = rows.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
  const [early = 0, late = 0] = [bytesOfTurn[10], bytesOfTurn[turn - 1]];
  if (turn > 10)
    assert.ok(late > 5_000 && Math.abs(late / early - 1) < 0.05, `Turn ${turn - 1} adds ${late} bytes.`);
  const page = `${turn}`.padStart(6, '0');
  return turn > turns ? { text: 'Found.' } : { toolCalls: [{ name: 'search', arguments: { page } }] };
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'temporal-sdk-python-1890',
    sections: [section({ title: 'Task', key: 'task', template: 'Search everything.', tools: [search] })],
  }),
  adapter,
});
await assert.doesNotReject(runAgent(agent, { journal, runId: 'long', limits: { maxTurns: turns + 1 } }));

assert.equal(bytesOfTurn.length, turns + 1);
console.log('holds: each turn up to the 1,000th adds as much to the journal as the 10th, within 5 percent');
