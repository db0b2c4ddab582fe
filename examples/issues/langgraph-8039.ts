// A process is killed after a step has had its effect; the run is resumed, and the step has its effect again.
// Thread: https://github.com/langchain-ai/langgraph/issues/8039
// Group: Crashes
// Steps: Three orders are placed, one a turn. The process is killed when the second is placed and nothing of it is written down. Then the run is resumed twice at once.
// Asserted: One of the two is refused. Each order is placed once; the model reads that the second is in doubt, and looks before it continues.
// Compared: killed
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  defineAgent,
  promptTemplate,
  runAgent,
  SessionBusyError,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** Runs the agent, with the orders and the journal in the folder `kept`. */
async function run(kept: string, killedAt?: string) {
  const orders = join(kept, 'orders');
  const place = tool({
    name: 'place_order',
    description: 'Places an order.',
    inputSchema: z.object({ order: z.string() }),
    execute: async ({ order }) => {
      await appendFile(orders, `${order}\n`);
      if (order === killedAt) process.kill(process.pid, 'SIGKILL');
      return ToolResult.ok(null, 'Placed.');
    },
  });
  const list = tool({
    name: 'list_orders',
    description: 'Lists the orders that are placed.',
    effects: 'read',
    execute: async () => ToolResult.ok(null, await readFile(orders, 'utf8')),
  });
  const call = (order: string) => ({ name: 'place_order', arguments: { order } });
  const adapter = scriptedAdapter((conversation, { turn }) => {
    if (turn < 3) return { toolCalls: [call(`${turn}`)] };
    if (turn === 3) return { toolCalls: [{ name: 'list_orders' }] };
    const last = conversation.at(-1);
    if (turn > 4) return { text: 'All orders are placed.' };
    return { toolCalls: [call(last?.type === 'tool-result' && last.text.includes('2\n') ? '3' : '2')] };
  });
  const task = section({ title: 'Task', key: 'task', template: 'Place the orders.', tools: [place, list] });
  const template = promptTemplate({ ns: 'issues', key: 'langgraph-8039', sections: [task] });
  await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
  return await runAgent(defineAgent({ template, adapter }), { journal, runId: 'orders' });
}

async function kill(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'langgraph-8039-'));
  try {
    const [, signal] = await once(fork(fileURLToPath(import.meta.url), [folder, '2']), 'exit');
    assert.equal(signal, 'SIGKILL');
    const [first, second] = await Promise.allSettled([run(folder), run(folder)]);
    const [ended, refused] = first.status === 'fulfilled' ? [first, second] : [second, first];
    assert.ok(refused.status === 'rejected' && SessionBusyError.isInstance(refused.reason));
    assert.ok(ended.status === 'fulfilled');
    const results = ended.value.conversation.flatMap((item) =>
      item.type === 'tool-result' ? [item.text] : [],
    );
    assert.match(results[1] ?? '', /may have/);
    assert.equal(await readFile(join(folder, 'orders'), 'utf8'), '1\n2\n3\n');
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log(
    'holds: killed and resumed twice at once, each order is placed once, and the one in doubt is named',
  );
}

const [, , kept, killedAt] = process.argv;
if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else await (kept === undefined ? kill() : run(kept, killedAt));
