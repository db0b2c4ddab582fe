import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Filesystem } from 'weakincentives';
import { type HostFilesystemOptions, openHostFilesystem, openStagedFolder } from 'weakincentives/node';
import { tempFolder } from '../temp-folder.ts';

async function open(options: Partial<HostFilesystemOptions> = {}) {
  const root = tempFolder({
    '.git/config': '[core]\n',
    'nested/.git/HEAD': 'ref: refs/heads/main\n',
    'nested/a.txt': 'a',
    'a.txt': 'a',
  });
  symlinkSync('.git', join(root, 'link'));
  const filesystem = await openHostFilesystem({ root, stateDirectory: tempFolder(), ...options });
  onTestFinished(() => filesystem[Symbol.asyncDispose]());
  return { root, filesystem };
}

const changes: readonly (readonly [string, (filesystem: Filesystem) => Promise<unknown>])[] = [
  ['write', (files) => files.write('.git/config', 'x')],
  ['append', (files) => files.write('.git/config', 'x', { mode: 'append' })],
  ['create', (files) => files.write('.git/hooks/pre-commit', 'x')],
  ['create in a directory below', (files) => files.write('nested/.git/hooks/pre-commit', 'x')],
  ['create a new repository', (files) => files.write('new/.git/config', 'x')],
  ['write through a link', (files) => files.write('link/config', 'x')],
  ['write with another case', (files) => files.write('.GIT/config', 'x')],
  ['write with an invisible character', (files) => files.write('.g\u200cit/config', 'x')],
  ['write with a short name', (files) => files.write('GIT~1/config', 'x')],
  ['write the file', (files) => files.write('new/.git', 'gitdir: x')],
  ['edit', (files) => files.edit('.git/config', [{ oldText: 'core', newText: 'x' }])],
  ['mkdir', (files) => files.mkdir('.git/hooks')],
  ['remove', (files) => files.remove('.git/config')],
  ['remove all', (files) => files.remove('.git', { recursive: true })],
  ['move it', (files) => files.move('.git', 'mine')],
  ['move to it', (files) => files.move('a.txt', '.git/a.txt')],
  ['move in its place', (files) => files.move('nested', 'new/.git')],
  ['copy to it', (files) => files.copy('a.txt', '.git/hooks/pre-commit')],
];

describe('the Git directories of a folder', () => {
  it.each(changes)('are not changed: %s', async (_name, change) => {
    for (const writeOn of ['apply', 'flush'] as const) {
      const { root, filesystem } = await open({ writeOn });
      const fork = filesystem.fork();
      for (const files of [filesystem, fork.view, fork.view.fork().view])
        await expect(change(files)).rejects.toMatchObject({ code: 'path-excluded' });
      expect(fork.changes()).toStrictEqual([]);
      fork.dispose();
      filesystem.flush();
      expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('[core]\n');
      expect(existsSync(join(root, 'new'))).toBe(false);
    }
  });

  it.each(changes)('are changed when that is allowed: %s', async (_name, change) => {
    const { filesystem } = await open({ allowGitWrites: true });
    await expect(change(filesystem)).resolves.toBeDefined();
  });

  it('are read, and removed with what contains them', async () => {
    const { root, filesystem } = await open();
    expect(await filesystem.read('.git/config')).toMatchObject({ text: '[core]\n' });
    await filesystem.write('.gitignore', 'x');
    await filesystem.write('.github/a.yml', 'x');
    await filesystem.move('nested', 'moved');
    expect(existsSync(join(root, 'moved/.git/HEAD'))).toBe(true);
    await filesystem.remove('moved', { recursive: true });
    expect(existsSync(join(root, 'moved'))).toBe(false);
  });

  it.each(['copy', 'auto'] as const)(
    'are left as they are when a staged folder is collected (%s)',
    async (layer) => {
      const { root, filesystem } = await open();
      await using staged = await openStagedFolder(filesystem, { layer });
      for (const text of ['1', '2']) {
        writeFileSync(join(staged.path, '.git/config'), text);
        writeFileSync(join(staged.path, 'nested/.git/new'), text);
        writeFileSync(join(staged.path, 'a.txt'), text);
        const report = await staged.collect();
        expect(report).toMatchObject({
          created: [],
          modified: ['a.txt'],
          removed: [],
          skipped: [
            { path: '.git/config', reason: 'git-directory' },
            { path: 'nested/.git/new', reason: 'git-directory' },
          ],
        });
      }
      expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('[core]\n');
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('2');
    },
  );
});
