// A tool changes one file, fails at the next, and leaves the folder half changed.
// Thread: https://github.com/openclaw/openclaw/issues/128028
// Group: Files
// Steps: A patch changes two files. The first part fits; the marker of the second is in its file twice, so the tool fails.
// Asserted: On the disk, both files are byte for byte as before. The same run looks, sends a better patch, and both change together.
// Compared: half-done
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defineAgent,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const before = { 'app.mjs': 'export const version = 1;\n', 'todo.md': '- [ ] test\n- [ ] test\n' };
const folder = await mkdtemp(join(tmpdir(), 'openclaw-128028-'));
const onDisk = async () => ({
  'app.mjs': await readFile(join(folder, 'app.mjs'), 'utf8'),
  'todo.md': await readFile(join(folder, 'todo.md'), 'utf8'),
});
for (const [name, text] of Object.entries(before)) await writeFile(join(folder, name), text);

const patch = tool({
  name: 'apply_patch',
  description: 'Replaces texts in several files.',
  inputSchema: z.object({ hunks: z.array(z.object({ path: z.string(), from: z.string(), to: z.string() })) }),
  effects: 'state',
  execute: async ({ hunks }, { filesystem }) => {
    for (const { path, from, to } of hunks) {
      const { text } = await filesystem.read(path);
      if (text.split(from).length !== 2) throw new Error(`"${from}" is not in ${path} exactly once.`);
      await filesystem.write(
        path,
        text.replace(from, () => to),
      );
    }
    return ToolResult.ok(null, 'Patched.');
  },
});
const code = { path: 'app.mjs', from: 'version = 1', to: 'version = 2' };
const states: unknown[] = [];
const adapter = scriptedAdapter(async (_conversation, { turn }) => {
  states.push(await onDisk());
  if (turn > 2) return { text: 'Both are patched.' };
  const from = turn === 1 ? '- [ ] test' : '- [ ] test\n- [ ] test\n';
  const list = { path: 'todo.md', from, to: '- [x] test\n' };
  return { toolCalls: [{ name: 'apply_patch', arguments: { hunks: [code, list] } }] };
});
const task = section({ title: 'Task', key: 'task', template: 'Update both files.', tools: [patch] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'issues', key: 'openclaw-128028', sections: [task] }),
  adapter,
});
try {
  await using workspace = await openWorkspace({ agent, folder, apply: 'each' });
  await using session = new Session();
  await runAgent(agent, { workspace, session });

  assert.equal(session.slice(ToolCallLog).all()[0]?.reason, 'threw');
  assert.deepEqual(states[1], before);
  assert.deepEqual(states[2], {
    'app.mjs': 'export const version = 2;\n',
    'todo.md': '- [x] test\n',
  });
} finally {
  await rm(folder, { recursive: true });
}
console.log('holds: after the failure the folder is as before, and the next patch changes both files');
