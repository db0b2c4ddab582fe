import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { createVfsTools } from '../../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from '../../suite/run-tool.ts';
import { testFolders } from './host-workspace.ts';

const code = 'path-forbidden';
const message = expect.stringMatching(
  /"a\.txt" is write-protected \(mode 4[04][04]\), so its content is not changed\./,
);

describe.each(['apply', 'flush', 'never'] as const)('a write-protected file, with writeOn %s', (writeOn) => {
  const ways: readonly (readonly [string, (view: Filesystem) => Promise<unknown>])[] = [
    ['written', (view) => view.write('a.txt', 'new')],
    ['appended to', (view) => view.write('a.txt', 'new', { mode: 'append' })],
    ['edited', (view) => view.edit('a.txt', [{ oldText: 'old', newText: 'new' }])],
    ['written through a link', (view) => view.write('link', 'new')],
  ];

  it.each(ways)('is not %s, whoever runs the process', async (_how, change) => {
    const { root, stateDirectory } = testFolders({ 'a.txt': 'old' });
    symlinkSync('a.txt', join(root, 'link'));
    await using files = await openHostFilesystem({ root, stateDirectory, writeOn });
    for (const mode of [0o444, 0o400]) {
      chmodSync(join(root, 'a.txt'), mode);
      await expect(change(files)).rejects.toMatchObject({ code, message });
      const fork = files.fork();
      await expect(change(fork.view)).rejects.toMatchObject({ code, message });
      expect(fork.changes()).toEqual([]);
    }
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  });
});

describe('a write-protected file', () => {
  it('is not replaced by a call that removes it first, or protects nothing until it is written', async () => {
    const { root, stateDirectory } = testFolders({ 'a.txt': 'old', 'b.txt': 'b' });
    await using files = await openHostFilesystem({ root, stateDirectory });
    chmodSync(join(root, 'a.txt'), 0o444);
    const replaced = files.fork();
    await replaced.view.remove('a.txt');
    await replaced.view.write('a.txt', 'new');
    expect(() => files.apply(replaced.patch())).toThrow(expect.objectContaining({ code, message }));
    const moved = files.fork();
    await moved.view.remove('a.txt');
    await moved.view.move('b.txt', 'a.txt');
    expect(() => files.apply(moved.patch())).toThrow(expect.objectContaining({ code, message }));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('b');
  });

  it('that others have protected since a change was made is not replaced by a flush', async () => {
    const { root, stateDirectory } = testFolders({ 'a.txt': 'old' });
    await using files = await openHostFilesystem({ root, stateDirectory, writeOn: 'flush' });
    await files.write('a.txt', 'new');
    chmodSync(join(root, 'a.txt'), 0o444);
    expect(() => files.flush()).toThrow(/"a\.txt"/);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  it('is moved with its permissions, and named when it is removed, also with its directory', async () => {
    const { root, stateDirectory } = testFolders({
      'a.txt': 'old',
      'dir/b.txt': 'b',
      'dir/c.txt': 'c',
      'd.txt': 'd',
    });
    await using files = await openHostFilesystem({ root, stateDirectory });
    for (const path of ['a.txt', 'dir/b.txt']) chmodSync(join(root, path), 0o444);
    await files.move('a.txt', 'moved.txt');
    expect(statSync(join(root, 'moved.txt')).mode & 0o777).toBe(0o444);
    const { rm } = createVfsTools();
    expect((await runTool(rm, files, { path: 'moved.txt' })).message).toBe(
      'Removed moved.txt: 1 file (1 write-protected).',
    );
    expect(await runTool(rm, files, { path: 'dir' })).toMatchObject({
      message: 'Removed dir: 2 files, 1 directory (1 write-protected).',
      value: { files: 2, directories: 1, writeProtected: 1 },
    });
    expect(await runTool(rm, files, { path: 'd.txt' })).toMatchObject({ message: 'Removed d.txt: 1 file.' });
  });

  it('is named to the model with what to do', async () => {
    const { root, stateDirectory } = testFolders({ 'a.txt': 'old' });
    await using files = await openHostFilesystem({ root, stateDirectory });
    chmodSync(join(root, 'a.txt'), 0o444);
    const { write_file, edit_file } = createVfsTools();
    const answers = [
      await runTool(write_file, files, { file_path: 'a.txt', content: 'new' }),
      await runTool(edit_file, files, { file_path: 'a.txt', old_string: 'old', new_string: 'new' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        success: false,
        message:
          '"a.txt" is write-protected (mode 444), so its content is not changed. Leave it as it is, or write to another path.',
      });
    }
  });
});
