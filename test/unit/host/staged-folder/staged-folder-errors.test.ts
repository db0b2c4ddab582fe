import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryFilesystem, WinkError } from 'weakincentives';
import { openStagedFolder } from 'weakincentives/node';
import { openHost, testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';

/** What a promise rejects with. It must. */
async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('Expected a rejection.');
    },
    (error: unknown) => error,
  );
}

function expectOurs(error: unknown, code: string): void {
  expect(WinkError.isInstance(error), String(error)).toBe(true);
  expect(error).toMatchObject({ code });
  // Wherever it comes from, nothing in it says where the folders are.
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  expect(messages.join('\n')).not.toContain('/tmp');
}

/** A signal that does something when it is asked for the nth time. */
function signalAt(nth: number, act: () => void): AbortSignal {
  const { signal } = new AbortController();
  let asked = 0;
  Object.defineProperty(signal, 'throwIfAborted', {
    value: () => {
      asked += 1;
      if (asked === nth) act();
    },
  });
  return signal;
}

const layers = ['copy', 'auto'] as const;

it.each(layers)('a folder that goes away while it is planned is changed-on-disk (%s)', async (layer) => {
  let rejected = 0;
  for (let nth = 1; nth <= 9; nth += 1) {
    const folders = testFolders({ 'a/x.txt': 'x', 'b/inner/y.txt': 'y', 'c/z.txt': 'z' });
    const filesystem = await openHost(folders);
    const { view } = filesystem.fork();
    // Everything has been seen, and then it goes away.
    await view.glob('**');
    const signal = signalAt(nth, () => {
      for (const name of ['a', 'b', 'c']) rmSync(join(folders.root, name), { recursive: true });
    });
    const tempRoot = tempFolder();
    try {
      await using staged = await openStagedFolder(view, { layer, signal, tempRoot });
      // Of an overlay, what is on the disk is not written.
      expect(staged.files).toBe(3);
    } catch (error) {
      rejected += 1;
      expectOurs(error, 'file-changed-on-disk');
    }
    expect(readdirSync(tempRoot)).toEqual([]);
  }
  expect(rejected).toBeGreaterThan(3);
});

it.each(['a file', 'a link', 'nothing'])(
  'a folder that became %s while its files are cloned is changed-on-disk',
  async (kind) => {
    const folders = testFolders({ 'a/x.txt': 'x', 'z.txt': 'z' });
    const filesystem = await openHost(folders);
    const { view } = filesystem.fork();
    await view.glob('**');
    const signal = signalAt(4, () => {
      renameSync(join(folders.root, 'a'), join(folders.root, '../moved'));
      if (kind === 'a file') writeFileSync(join(folders.root, 'a'), '');
      if (kind === 'a link') symlinkSync('..', join(folders.root, 'a'));
    });
    expectOurs(await rejectionOf(openStagedFolder(view, { layer: 'copy', signal })), 'file-changed-on-disk');
  },
);

it('an error of another file system is kept as the cause', async () => {
  const broken = new MemoryFilesystem({ files: { 'a.txt': 'a' } });
  const cause = new RangeError('broken');
  Object.defineProperty(broken, 'readBytes', { value: () => Promise.reject(cause) });
  const error = await rejectionOf(openStagedFolder(broken));
  expectOurs(error, 'filesystem-storage-failed');
  expect(error).toMatchObject({ cause });
});

it('an error of another file system while it is collected is kept as the cause', async () => {
  const broken = new MemoryFilesystem({ files: { 'a.txt': 'a' } });
  await using staged = await openStagedFolder(broken);
  writeFileSync(join(staged.path, 'a.txt'), 'changed');
  const cause = new RangeError('broken');
  Object.defineProperty(broken, 'write', { value: () => Promise.reject(cause) });
  const error = await rejectionOf(staged.collect());
  expectOurs(error, 'filesystem-storage-failed');
  expect(error).toMatchObject({ cause });
});

it.each([
  ['a NUL in an argument', 'true', ['a\0b']],
  ['a NUL in the command', 'tr\0ue', []],
  ['no command', '', []],
  ['arguments that are too long', 'true', ['x'.repeat(4_000_000)]],
])('a command line that cannot be started is invalid-argument: %s', async (_what, command, args) => {
  await using staged = await openStagedFolder(new MemoryFilesystem());
  expectOurs(await rejectionOf(staged.run(command, args)), 'argument-invalid');
});

it('an environment that cannot be passed is invalid-argument', async () => {
  await using staged = await openStagedFolder(new MemoryFilesystem());
  expectOurs(await rejectionOf(staged.run('true', [], { env: { A: 'a\0b' } })), 'argument-invalid');
});

it('errors of the operating system keep their code in the cause, without paths', async () => {
  const tempRoot = join(tempFolder({ file: '' }), 'file');
  const error = await rejectionOf(openStagedFolder(new MemoryFilesystem(), { tempRoot }));
  expect(error).toMatchObject({ code: 'path-not-directory', cause: { code: 'ENOTDIR' } });
});

it('the reason of a signal is rejected with as it is', async () => {
  const reason = new Error('enough');
  const files = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`${index}.txt`, 'x']));
  const controller = new AbortController();
  const filesystem = await openHost(testFolders(files));
  const work = openStagedFolder(filesystem, { layer: 'copy', signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  expect(await rejectionOf(work)).toBe(reason);
});
