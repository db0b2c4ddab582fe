import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  bindInstance,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
  vfsToolsSection,
} from 'weakincentives';
import { materialize } from 'weakincentives/node';
import { scriptedModel } from 'weakincentives/testing';
import { z } from 'zod';

// The commands of the project. The model chooses one by its name and cannot add to it.
const commands = { test: [process.execPath, '--test', '--test-reporter=tap'] } as const;
const MAX_OUTPUT_CHARACTERS = 4000;

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs a command in a folder, with nothing of this process's environment but the search path. Keeps the end of its output. */
async function run(command: readonly string[], folder: string, signal: AbortSignal): Promise<Ended> {
  const [file = '', ...args] = command;
  // A group of its own, so that what the command starts can be ended with it.
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const endGroup = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  signal.addEventListener('abort', endGroup);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', endGroup);
      child.once('close', resolve);
      if (signal.aborted) endGroup();
    });
    signal.throwIfAborted();
    // Where the folder is, is nothing for a model.
    return { exitCode, output: output.replaceAll(folder, '.') };
  } finally {
    signal.removeEventListener('abort', endGroup);
  }
}

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
  timeoutMs: 20_000,
  execute: async ({ command, edits }, { filesystem, signal }) => {
    for (const { path, oldText, newText } of edits) await filesystem.edit(path, [{ oldText, newText }]);
    await using staged = await materialize(filesystem, { signal });
    const { exitCode, output } = await run(commands[command], staged.path, signal);
    if (exitCode !== 0) return ToolResult.error(`${command} failed with exit code ${exitCode}.\n\n${output}`);
    const { created, modified, removed, skipped } = await staged.collect();
    return ToolResult.ok(
      { created, modified, removed, skipped: skipped.map(({ path, reason }) => `${path}: ${reason}`) },
      `${command} succeeded.`,
    );
  },
});

// A project with one test, which leaves a record of its last good run.
const project = new MemoryFilesystem({
  files: {
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
        assert.deepEqual(Object.keys(process.env).filter((name) => name === 'EXAMPLE_SECRET'), []);
        writeFileSync('last-run.txt', 'passed');
      });
    `,
  },
});
process.env['EXAMPLE_SECRET'] = 'not for processes that a model starts';

const edit = (newText: string) => ({
  command: 'test',
  edits: [{ path: 'add.js', oldText: 'a - b', newText }],
});
const model = scriptedModel([
  { toolCalls: [{ name: 'run_command', arguments: edit('a * b') }] },
  { toolCalls: [{ name: 'read_file', arguments: { file_path: 'add.js' } }] },
  { toolCalls: [{ name: 'run_command', arguments: edit('a + b') }] },
  { text: 'Fixed.' },
]);
const template = promptTemplate({
  ns: 'examples',
  key: 'run-command',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Make the test pass.', tools: [runCommand] }),
    vfsToolsSection(),
  ],
});
const { conversation } = await model.evaluate(
  template.bind({}, { resources: [bindInstance(Filesystem, project)] }),
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

console.log(`With "a * b": ${failing.split('\n')[0]} The edit is gone.`);
console.log(`With "a + b": ${passing.split('\n')[0]} The edit is kept, and last-run.txt of the process too.`);
