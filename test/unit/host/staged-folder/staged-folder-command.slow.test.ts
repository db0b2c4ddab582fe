import { readFileSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openStagedFolder } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { openHost, testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';

const files = {
  'package.json': '{ "type": "module" }\n',
  'add.js': 'export const add = (a, b) => a - b;\n',
  'add.test.js': `import assert from 'node:assert/strict';
    import { writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    import { add } from './add.js';
    test('adds', () => {
      writeFileSync('last-run.txt', 'started');
      assert.equal(add(2, 3), 5);
      writeFileSync('last-run.txt', 'passed');
    });
  `,
};

/** A tool that edits a file and runs the tests on it: an error when they fail. */
const fix = tool({
  name: 'fix',
  description: 'Edit, then run the tests.',
  inputSchema: z.object({ newText: z.string() }),
  effects: 'external',
  execute: async ({ newText }, { filesystem, signal }) => {
    await filesystem.edit('add.js', [{ oldText: 'a - b', newText }]);
    await using staged = await openStagedFolder(filesystem, { signal, tempRoot: tempFolder() });
    const { exitCode, output } = await staged.run(process.execPath, ['--test', '--test-reporter=tap']);
    if (exitCode !== 0) return ToolResult.error(`failed with ${exitCode}: ${output}`);
    const { created, modified } = await staged.collect();
    return ToolResult.ok(null, `passed; ${[...created, ...modified].join()}`);
  },
});

/** Results of an edit whose tests fail, and of one whose tests pass. */
async function fixTwice(filesystem: Filesystem): Promise<readonly string[]> {
  const call = (newText: string) => ({ toolCalls: [{ name: 'fix', arguments: { newText } }] });
  const between: string[] = [];
  const adapter = scriptedAdapter(async (_conversation, { turn }) => {
    if (turn === 2) between.push(...(await filesystem.list()).map(({ path }) => path));
    return [call('a * b'), call('a + b')][turn - 1] ?? { text: 'Fixed.' };
  });
  const task = section({ title: 'Task', key: 'task', template: 'Make the test pass.', tools: [fix] });
  const { conversation } = await adapter.evaluate(
    promptTemplate({ ns: 'test', key: 'command', sections: [task] }).bind(
      {},
      { resources: [binding(Filesystem, { instance: filesystem })] },
    ),
  );
  // What the failing command wrote is gone.
  expect(between).toEqual(Object.keys(files).sort());
  return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
}

describe('a tool that edits files and runs a command on them', () => {
  it('leaves neither edits nor files of a command that fails, and both of one that succeeds', async () => {
    const filesystem = new MemoryFilesystem({ files });
    const [failing, passing] = await fixTwice(filesystem);
    // The second edit found the text that the first one had replaced.
    expect(failing).toMatch(/^failed with 1: [^]*not ok 1 - adds/);
    expect(passing).toBe('passed; last-run.txt');
    expect((await filesystem.read('add.js')).text).toBe('export const add = (a, b) => a + b;\n');
    expect((await filesystem.read('last-run.txt')).text).toBe('passed');
  });

  it('does the same on the disk, where the file keeps its permissions', async () => {
    const folders = testFolders(files);
    const file = join(folders.root, 'add.js');
    await chmod(file, 0o755);
    const [failing, passing] = await fixTwice(await openHost(folders));
    expect(failing).toMatch(/^failed with 1: /);
    expect(passing).toBe('passed; last-run.txt');
    expect(readFileSync(file, 'utf8')).toBe('export const add = (a, b) => a + b;\n');
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(folders.root, 'last-run.txt'), 'utf8')).toBe('passed');
  });
});
