// A process is killed in a tool call; the same line in another process continues the run, and repeats nothing.
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
  defineSlice,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Pages = defineSlice({ name: 'pages', schema: z.object({ page: z.number() }) });

/** @param isDoomed the process is killed when the second page is rendered. */
async function run(kept: string, isDoomed: boolean) {
  const log = join(kept, 'log');
  const render = tool({
    name: 'render_page',
    description: 'Renders a page.',
    inputSchema: z.object({ page: z.number() }),
    // State only: after a crash the handler runs again, since what it did is gone.
    effects: 'state',
    execute: async ({ page }, { session }) => {
      await appendFile(log, `${page}\n`);
      session.slice(Pages).append({ page });
      if (page === 2 && isDoomed) process.kill(process.pid, 'SIGKILL');
      return ToolResult.ok(null, 'Rendered.');
    },
  });
  const agent = defineAgent({
    template: promptTemplate({
      ns: 'examples',
      key: 'killed',
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Render three pages.',
          tools: [render],
          slices: [Pages],
        }),
      ],
    }),
    adapter: scriptedAdapter((_conversation, { turn }) => {
      const toolCalls = [{ name: 'render_page', arguments: { page: turn } }];
      return turn > 3 ? { text: 'Three pages.' } : { toolCalls };
    }),
  });
  await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
  await using session = new Session({ id: 'site' });
  const { text } = await runAgent(agent, { journal, runId: 'site', session });
  return { text, pages: session.slice(Pages).all() };
}

const [, , kept] = process.argv;
if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else if (kept !== undefined) await run(kept, true);
else {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  try {
    const [, signal] = await once(fork(fileURLToPath(import.meta.url), [folder]), 'exit');
    assert.equal(signal, 'SIGKILL');

    const ended = await run(folder, false);
    assert.equal(ended.text, 'Three pages.');
    // Page 1 was committed and is not rendered again. Page 2 had begun, and left nothing.
    assert.equal(await readFile(join(folder, 'log'), 'utf8'), '1\n2\n2\n3\n');
    assert.deepEqual(ended.pages, [{ page: 1 }, { page: 2 }, { page: 3 }]);

    // Once more: the answer is in the journal, and nothing runs.
    assert.equal((await run(folder, false)).text, 'Three pages.');
    assert.equal(await readFile(join(folder, 'log'), 'utf8'), '1\n2\n2\n3\n');
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log('ok: killed in call 2 of 3, continued from there, and asked again it returns the same answer');
}
