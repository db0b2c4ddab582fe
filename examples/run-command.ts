// A command of the project on staged files: when its tests fail, the edits that came with it roll back.
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem, openStagedFolder } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// The commands of the project. The model chooses one by its name and cannot add to it.
const commands = { test: [process.execPath, ['--test', '--test-reporter=tap']] } as const;

const runCommand = tool({
  name: 'run_command',
  description: 'Edit files, then run a command of the project on them. When it fails, the edits are gone.',
  inputSchema: z.object({
    command: z.literal('test'),
    edits: z.array(z.object({ path: z.string(), oldText: z.string(), newText: z.string() })),
  }),
  // A process can reach whatever its user can: the network, other files, other processes. None of that rolls back, so
  // this call is a barrier and is never repeated on its own. Only in a sandbox whose one outlet is the folder
  // (a container without network, say) nothing outlasts a failed call, and 'state' would be true.
  effects: 'external',
  timeoutMs: 330_000,
  execute: async ({ command, edits }, { filesystem, signal }) => {
    for (const { path, oldText, newText } of edits) await filesystem.edit(path, [{ oldText, newText }]);
    // An overlay of the folder where there is one and the kernel allows it, else a copy: nothing here depends on which.
    await using staged = await openStagedFolder(filesystem, { signal });
    const [file, args] = commands[command];
    const { exitCode, timedOut, output } = await staged.run(file, args, {
      timeoutMs: 300_000,
      maxOutputBytes: 4_000,
    });
    if (exitCode !== 0) {
      const how = timedOut ? 'took too long' : `failed with exit code ${exitCode ?? 'none'}`;
      return ToolResult.error(`${command} ${how}.\n\n${output}`);
    }
    const { created, modified, removed, skipped } = await staged.collect();
    return ToolResult.ok(
      { created, modified, removed, skipped: skipped.map(({ path, reason }) => `${path}: ${reason}`) },
      `${command} succeeded.`,
    );
  },
});

// A project with one test, which leaves a record of its last good run.
const files = {
  'package.json': '{ "type": "module" }\n',
  'add.js': 'export const add = (a, b) => a - b;\n',
  'add.test.js': `
    import assert from 'node:assert/strict';
    import { writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    import { add } from './add.js';
    test('adds', () => {
      writeFileSync('last-run.txt', 'started');
      assert.equal(add(2, 3), 5);
      assert.equal(process.env.EXAMPLE_SECRET, undefined);
      writeFileSync('last-run.txt', 'passed');
    });
  `,
};
process.env['EXAMPLE_SECRET'] = 'not for processes that a model starts';

const edit = (newText: string) => ({
  command: 'test',
  edits: [{ path: 'add.js', oldText: 'a - b', newText }],
});
const turns = [
  { toolCalls: [{ name: 'run_command', arguments: edit('a * b') }] },
  { toolCalls: [{ name: 'read_file', arguments: { file_path: 'add.js' } }] },
  { toolCalls: [{ name: 'run_command', arguments: edit('a + b') }] },
  { text: 'Fixed.' },
];
const template = promptTemplate({
  ns: 'examples',
  key: 'run-command',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Make the test pass.', tools: [runCommand] }),
    vfsToolsSection(),
  ],
});

/** Runs the agent on a project and checks the result. */
async function run(project: Filesystem): Promise<void> {
  const { conversation } = await scriptedAdapter(turns).evaluate(
    template.bind({}, { resources: [binding(Filesystem, { instance: project })] }),
  );
  const [failing = '', between = '', passing = ''] = conversation.flatMap((item) =>
    item.type === 'tool-result' ? [item.text] : [],
  );
  // The test failed: the edit that was made in that call is gone, and so is what the process wrote.
  assert.match(failing, /^test failed with exit code 1\./);
  assert.match(failing, /not ok 1 - adds/);
  assert.match(between, /a - b/);
  // It passed: the edit is kept, and so is what the process wrote.
  assert.match(passing, /^test succeeded\./);
  assert.equal((await project.read('add.js')).text, 'export const add = (a, b) => a + b;\n');
  assert.equal((await project.read('last-run.txt')).text, 'passed');
  console.log(`  With "a * b": ${failing.split('\n')[0]} The edit is gone.`);
  console.log(
    `  With "a + b": ${passing.split('\n')[0]} The edit is kept, and last-run.txt of the process too.`,
  );
}

console.log('A project in memory:');
await run(new MemoryFilesystem({ files }));

const folder = await mkdtemp(join(tmpdir(), 'run-command-'));
try {
  const root = join(folder, 'project');
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) await writeFile(join(root, path), content);
  await chmod(join(root, 'add.js'), 0o755);
  await using project = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  await using staged = await openStagedFolder(project);
  console.log(
    `A project on the disk, of which the command sees ${staged.kind === 'copy' ? 'a copy' : 'an overlay'}:`,
  );
  await run(project);
  // The disk holds the result of the successful call, with the original permissions.
  assert.equal(await readFile(join(root, 'last-run.txt'), 'utf8'), 'passed');
  assert.equal((await stat(join(root, 'add.js'))).mode & 0o777, 0o755);
} finally {
  await rm(folder, { recursive: true });
}
