// A call waits for an approval, the process is restarted, and the answer of the person finds no run any more.
// Thread: https://github.com/mastra-ai/mastra/issues/19301
// Group: Crashes
// Steps: One process runs the agent until a person must agree to a change of a file, and ends. Another process shows the question, gives the answer and runs the agent again.
// Asserted: The run continues to its end. What lands is the change that was shown, without a second run of the handler.
// Compared: approval-later
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  answerApprovals,
  defineAgent,
  PolicyDecision,
  pendingApprovals,
  promptTemplate,
  runAgent,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';

const runId = 'page-1';

/** Runs the agent in `kept/folder`, as any process would. */
async function run(kept: string) {
  const publish = tool({
    name: 'publish',
    description: 'Publishes the page.',
    effects: 'state',
    execute: async (_params, { filesystem }) => {
      await appendFile(join(kept, 'handlers'), `${process.pid}\n`);
      await filesystem.write('page.md', `Published by process ${process.pid}.\n`);
      return ToolResult.ok(null, 'Published.');
    },
  });
  const approval = { name: 'approval', checkChanges: () => PolicyDecision.ask('Publish this?') };
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Publish.',
    tools: [publish],
    policies: [approval],
  });
  const agent = defineAgent({
    template: promptTemplate({ ns: 'issues', key: 'mastra-19301', sections: [task] }),
    adapter: scriptedAdapter([{ toolCalls: [{ name: 'publish' }] }, { text: 'The page is published.' }]),
  });
  await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
  await using workspace = await openWorkspace({
    agent,
    folder: join(kept, 'folder'),
    apply: 'each',
    journal,
  });
  return await runAgent(agent, { journal, runId, workspace, approve: suspendApproval() });
}

async function restart(): Promise<void> {
  const kept = await mkdtemp(join(tmpdir(), 'mastra-19301-'));
  try {
    await mkdir(join(kept, 'folder'));
    await writeFile(join(kept, 'folder/page.md'), 'Draft.\n');
    const first = fork(fileURLToPath(import.meta.url), [kept]);
    assert.deepEqual(await once(first, 'exit'), [0, null]);
    assert.equal(await readFile(join(kept, 'folder/page.md'), 'utf8'), 'Draft.\n');

    await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
    const questions = await pendingApprovals({ journal, runId });
    assert.deepEqual(
      questions.map(({ reason }) => reason),
      ['Publish this?'],
    );
    const answers = questions.map(({ id, digest }) => ({ id, digest, approved: true, by: 'ada' }));
    await answerApprovals({ journal, runId, answers });
    const ended = await run(kept);
    assert.equal(ended.finishReason, 'stop');
    const page = await readFile(join(kept, 'folder/page.md'), 'utf8');
    assert.equal(page, `Published by process ${first.pid}.\n`);
    assert.equal(await readFile(join(kept, 'handlers'), 'utf8'), `${first.pid}\n`);
  } finally {
    await rm(kept, { recursive: true });
  }
  console.log('holds: another process answers, and the change that was shown lands; its handler ran once');
}

const [, , kept] = process.argv;
if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else if (kept === undefined) await restart();
else assert.equal((await run(kept)).finishReason, 'suspended');
