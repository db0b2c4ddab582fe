// A model uses the path that a command has printed, and the file tool makes a second tree of folders inside of the first.
// Thread: https://github.com/langchain-ai/deepagents/issues/5469
// Group: Files
// Steps: A folder of the disk is the workspace. A command prints where it is; the model writes a file below that path, and reads it by its short one.
// Asserted: The file is in the folder itself, by both paths, and nothing else is there. A path outside of it is refused.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'deepagents-5469-')));
const pwd = tool({
  name: 'pwd',
  description: 'Prints the working directory.',
  effects: 'read',
  execute: () => ToolResult.ok(null, folder),
});
const write = (file_path: string) => ({
  name: 'write_file',
  arguments: { file_path, content: 'print(1)\n' },
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'deepagents-5469',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Write fib.py.', tools: [pwd] }),
      vfsToolsSection(),
    ],
  }),
  workspace: {},
  adapter: scriptedAdapter((conversation, { turn }) => {
    const printed = conversation.findLast((item) => item.type === 'tool-result')?.text ?? '';
    if (turn === 1) return { toolCalls: [{ name: 'pwd' }] };
    if (turn === 2) return { toolCalls: [write(`${printed}/fib.py`), write('/elsewhere/fib.py')] };
    if (turn === 3) return { toolCalls: [{ name: 'read_file', arguments: { file_path: 'fib.py' } }] };
    return { text: 'Written.' };
  }),
});
try {
  await using workspace = await openWorkspace({ agent, folder, apply: 'end' });
  const { conversation } = await runAgent(agent, { workspace });
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item] : []));
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, false, true, false],
  );
  assert.match(results[3]?.text ?? '', /print\(1\)/);
  assert.deepEqual(await readdir(folder), ['fib.py']);
  assert.equal(await readFile(join(folder, 'fib.py'), 'utf8'), 'print(1)\n');
} finally {
  await rm(folder, { recursive: true });
}
console.log(
  'holds: the path that a command printed is the path in the workspace, and no second tree is there',
);
