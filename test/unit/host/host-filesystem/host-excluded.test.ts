import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFilesystem, HostFilesystemOptions } from 'weakincentives/node';
import { expectCode, textOf } from '../../../contract/filesystem-setup.ts';
import { childProgram } from '../../../support/child-program.ts';
import { asOrdinaryUser, canOrdinaryUserRun, giveToOrdinaryUser } from '../../../support/ordinary-user.ts';
import { openHost, testFolders } from './host-workspace.ts';

const child = await childProgram('write-as-other');

const files = {
  'src/a.ts': 'a',
  'src/notes.md': 'notes',
  'lib/.git/config': 'secret',
  'lib/b.ts': 'b',
  '.git/config': 'secret',
  'bare/keep.txt': 'k',
};

async function open(
  options: Partial<HostFilesystemOptions> = { exclude: ['**/.git/**'] },
): Promise<{ readonly filesystem: HostFilesystem; readonly at: (path: string) => string }> {
  const folders = testFolders(files);
  return {
    filesystem: await openHost({ ...folders, ...options }),
    at: (path) => join(folders.root, path),
  };
}

describe.each(['apply', 'flush'] as const)('what a folder leaves out, with writeOn %s', (writeOn) => {
  const options = { exclude: ['**/.git/**'], writeOn };

  it('is not shown', async () => {
    const { filesystem } = await open(options);
    expect((await filesystem.glob('**')).paths).toEqual([
      'bare/keep.txt',
      'lib/b.ts',
      'src/a.ts',
      'src/notes.md',
    ]);
    expect((await filesystem.list('lib')).map(({ name }) => name)).toEqual(['b.ts']);
    expect((await filesystem.grep('secret')).matches).toEqual([]);
    expect(await filesystem.stat('.git')).toBeUndefined();
    expect(await filesystem.stat('lib/.git/config')).toBeUndefined();
  });

  it.each<[string, (filesystem: HostFilesystem) => Promise<unknown>]>([
    ['read', (fs) => fs.read('.git/config')],
    ['readBytes', (fs) => fs.readBytes('.git/config')],
    ['write', (fs) => fs.write('.git/config', 'x')],
    ['write something new', (fs) => fs.write('src/.git/new', 'x')],
    ['edit', (fs) => fs.edit('.git/config', [{ oldText: 's', newText: 'x' }])],
    ['list', (fs) => fs.list('.git')],
    ['glob', (fs) => fs.glob('**', { path: '.git' })],
    ['grep', (fs) => fs.grep('s', { path: '.git/config' })],
    ['mkdir', (fs) => fs.mkdir('.git')],
    ['remove', (fs) => fs.remove('.git', { recursive: true })],
    ['remove what holds it', (fs) => fs.remove('lib', { recursive: true })],
    ['move it', (fs) => fs.move('.git/config', 'mine')],
    ['move what holds it', (fs) => fs.move('lib', 'moved')],
    ['move to it', (fs) => fs.move('src/a.ts', '.git/a.ts')],
    ['copy to it', (fs) => fs.copy('src', 'lib/.git')],
    ['follow a link to it', (fs) => fs.read('link')],
    ['read through a link', (fs) => fs.read('file-link')],
  ])('is refused: %s', async (_what, act) => {
    const { filesystem, at } = await open(options);
    symlinkSync('.git', at('link'));
    symlinkSync('.git/config', at('file-link'));
    await expectCode(act(filesystem), 'path-excluded');
    const fork = filesystem.fork();
    await expectCode(act(fork.view as HostFilesystem), 'path-excluded');
    expect(readFileSync(at('.git/config'), 'utf8')).toBe('secret');
    expect(readFileSync(at('lib/.git/config'), 'utf8')).toBe('secret');
  });

  it('is not copied with its directory, and the copy may go', async () => {
    const { filesystem, at } = await open(options);
    const fork = filesystem.fork();
    await fork.view.copy('lib', 'copied');
    await fork.view.copy('lib', 'dropped');
    await fork.view.remove('dropped', { recursive: true });
    filesystem.apply(fork.patch());
    if (writeOn === 'flush') filesystem.flush();
    expect(readdirSync(at('copied'))).toEqual(['b.ts']);
    expect(existsSync(at('dropped'))).toBe(false);
  });

  it('keeps its directory when everything that is shown of it was removed', async () => {
    const { filesystem, at } = await open(options);
    await filesystem.remove('lib/b.ts');
    await expectCode(filesystem.remove('lib'), 'path-excluded');
    if (writeOn === 'flush') filesystem.flush();
    expect(readdirSync(at('lib'))).toEqual(['.git']);
  });

  it('is not removed when it came after a removal that was not yet written to the disk', async () => {
    const { filesystem, at } = await open(options);
    const fork = filesystem.fork();
    await fork.view.remove('bare', { recursive: true });
    if (writeOn === 'flush') filesystem.apply(fork.patch());
    mkdirSync(at('bare/.git'));
    writeFileSync(at('bare/.git/HEAD'), 'ref');
    const commit = (): void => (writeOn === 'flush' ? filesystem.flush() : filesystem.apply(fork.patch()));
    expect(commit).toThrow(expect.objectContaining({ code: 'path-excluded' }));
    expect(readFileSync(at('bare/.git/HEAD'), 'utf8')).toBe('ref');
    expect(readFileSync(at('bare/keep.txt'), 'utf8')).toBe('k');
  });

  it('is everything that include does not ask for, there or to be made', async () => {
    const { filesystem, at } = await open({ include: ['src/**/*.ts', '*.md'], writeOn });
    expect((await filesystem.glob('**')).paths).toEqual(['src/a.ts']);
    await filesystem.write('src/deep/b.ts', 'b');
    await filesystem.write('README.md', 'r');
    for (const path of ['src/x.md', 'other/b.ts', 'README.txt', 'bare/x']) {
      await expectCode(filesystem.write(path, 'x'), 'path-excluded');
    }
    await expectCode(filesystem.mkdir('bare/deep'), 'path-excluded');
    await expectCode(filesystem.remove('src', { recursive: true }), 'path-excluded');
    expect(await textOf(filesystem, 'src/deep/b.ts')).toBe('b');
    if (writeOn === 'flush') filesystem.flush();
    expect(readFileSync(at('src/notes.md'), 'utf8')).toBe('notes');
  });
});

describe('listSkipped', () => {
  it('names what is deeper than paths reach, and does not enter it', async () => {
    const levels = Array.from({ length: 70 }, () => 'd').join('/');
    const { filesystem } = await open({});
    const folders = testFolders({ [`${levels}/f`]: '' });
    const deep = await openHost(folders);
    expect(filesystem.listSkipped()).toEqual([]);
    expect(deep.listSkipped()).toEqual([
      { path: Array.from({ length: 65 }, () => 'd').join('/'), reason: 'name-not-allowed' },
    ]);
    expect((await deep.glob('**')).paths).toEqual([]);
  });

  it('names entries that are not regular files, but no excluded ones', async () => {
    const { filesystem, at } = await open({ exclude: ['**/.git'], maxFileBytes: 6 });
    symlinkSync('src', at('link'));
    symlinkSync('/etc', at('src/away'));
    writeFileSync(at('src/large'), '1234567');
    writeFileSync(Buffer.concat([Buffer.from(`${at('src')}/caf`), Buffer.from([0xe9])]), 'x');
    symlinkSync('x', at('.git/link'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(filesystem.listSkipped()).toEqual([
      { path: 'link', reason: 'symlink' },
      { path: 'pipe', reason: 'special-file' },
      { path: 'src/away', reason: 'symlink-outside' },
      { path: 'src/caf\ufffd', reason: 'name-not-allowed' },
      { path: 'src/large', reason: 'file-too-large' },
    ]);
  });
});

describe('what the operating system keeps closed', () => {
  it('is passed over by searches, and refused when it is named', async () => {
    const { filesystem, at } = await open({ writeOn: 'never' });
    const closed = [at('lib'), at('src/a.ts')];
    await asOrdinaryUser(at('..'), async () => {
      for (const path of closed) chmodSync(path, 0o000);
      expect((await filesystem.glob('**/*.ts')).paths).toEqual(['src/a.ts']);
      expect((await filesystem.grep('.', { path: 'src' })).skippedBinary).toBe(1);
      await expectCode(filesystem.list('lib'), 'path-forbidden');
      await expectCode(filesystem.read('src/a.ts'), 'path-forbidden');
      await expectCode(filesystem.remove('lib', { recursive: true }), 'path-forbidden');
      await expectCode(filesystem.remove('lib'), 'path-forbidden');
      await expectCode(filesystem.move('lib', 'x'), 'path-forbidden');
      await expectCode(filesystem.copy('lib', 'x'), 'path-forbidden');
      for (const path of closed) chmodSync(path, 0o700);
    });
  });

  it.skipIf(!canOrdinaryUserRun(child)).each(['apply', 'flush'])(
    'is found out when a change is made, with writeOn %s',
    (writeOn) => {
      const { root, stateDirectory } = testFolders({ 'protected.txt': 'p', 'closed/a': 'a', 'open/a': 'a' });
      chmodSync(join(root, 'protected.txt'), 0o444);
      chmodSync(join(root, 'closed'), 0o555);
      const paths = ['protected.txt', 'closed/a', 'closed/new/deep.txt', 'open/new/deep.txt'];
      // The operating system asks who started the process, so another one has to.
      const said = execFileSync(process.execPath, [child, root, stateDirectory, writeOn, ...paths], {
        ...giveToOrdinaryUser(join(root, '..')),
        encoding: 'utf8',
      });
      chmodSync(join(root, 'closed'), 0o755);
      const denied = 'path-forbidden';
      expect(JSON.parse(said)).toEqual([denied, denied, denied, 'written']);
      expect(readFileSync(join(root, 'open/new/deep.txt'), 'utf8')).toBe('x');
      expect(readFileSync(join(root, 'protected.txt'), 'utf8')).toBe('p');
      expect(statSync(join(root, 'protected.txt')).mode & 0o777).toBe(0o444);
      expect(readdirSync(join(root, 'closed'))).toEqual(['a']);
    },
  );
});
