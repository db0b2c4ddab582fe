import { expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { VirtualFiles } from '../../../../../src/host/sandbox/virtual/virtual-files.ts';

it.each(['/constructor/x', '/__proto__', '/toString', '/', '/etc/passwd', '/workspaces'])(
  'the thread cannot reach %s, which is outside of the workspace and /tmp',
  async (path) => {
    const files = new VirtualFiles(new MemoryFilesystem(), 1000);
    for (const op of ['read', 'stat', 'list', 'realpath'] as const) {
      await expect(files.operations[op](path)).rejects.toThrow(/^ENOENT: /);
    }
    await files[Symbol.asyncDispose]();
  },
);

it('commands read files of skills at /skills, and change nothing there', async () => {
  const skills = new MemoryFilesystem({ files: { 'pdf/scripts/fill.sh': 'echo filled' } });
  const workspace = new MemoryFilesystem();
  const files = new VirtualFiles(workspace, 1000, skills);
  const { operations } = files;
  const path = '/skills/pdf/scripts/fill.sh';
  expect(Buffer.from(await operations.read(path)).toString()).toBe('echo filled');
  expect((await operations.list('/skills/pdf')).map(({ name }) => name)).toEqual(['scripts']);
  const data = new Uint8Array([1]);
  await expect(operations.write(path, data)).rejects.toThrow(/^EROFS: /);
  await expect(operations.append(path, data)).rejects.toThrow(/^EROFS: /);
  await expect(operations.mkdir('/skills/more', true)).rejects.toThrow(/^EROFS: /);
  await expect(operations.rm(path, false, false)).rejects.toThrow(/^EROFS: /);
  // As where a disk can only be read: copied, and not removed.
  await expect(operations.mv(path, '/workspace/moved.sh')).rejects.toThrow(/^EROFS: /);
  await operations.cp(path, '/workspace/copy.sh', false);
  expect(await files.collect()).toMatchObject({
    created: ['copy.sh', 'moved.sh'],
    modified: [],
    removed: [],
  });
  expect((await skills.glob('**')).paths).toEqual(['pdf/scripts/fill.sh']);
  await files[Symbol.asyncDispose]();
});

it('there is nothing at /skills without skills', async () => {
  const files = new VirtualFiles(new MemoryFilesystem(), 1000);
  await expect(files.operations.list('/skills')).rejects.toThrow(/^ENOENT: /);
  await files[Symbol.asyncDispose]();
});
