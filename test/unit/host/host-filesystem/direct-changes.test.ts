import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFilesystem } from 'weakincentives/node';
import { expectCode } from '../../../contract/filesystem-setup.ts';
import { openHost, testFolders } from './host-workspace.ts';

/** A folder that another process changes after a write has looked at it: a write asks the clock before it commits. */
async function interferedWith(
  writeOn: 'apply' | 'flush',
  files: Readonly<Record<string, string>>,
  interfere: (root: string) => void,
): Promise<{ readonly filesystem: HostFilesystem; readonly at: (path: string) => string }> {
  const folders = testFolders(files);
  let isDue = true;
  const now = (): number => {
    if (isDue) interfere(folders.root);
    isDue = false;
    return 0;
  };
  const filesystem = await openHost({ ...folders, writeOn, clock: { now } });
  return { filesystem, at: (path) => join(folders.root, path) };
}

describe.each(['apply', 'flush'] as const)('a direct change, with writeOn %s,', (writeOn) => {
  it('does not overwrite a file that is changed while it is made', async () => {
    const { filesystem, at } = await interferedWith(writeOn, { 'a.md': 'old' }, (root) =>
      writeFileSync(join(root, 'a.md'), 'of another process'),
    );
    await expectCode(filesystem.write('a.md', 'mine'), 'file-changed-on-disk');
    expect(readFileSync(at('a.md'), 'utf8')).toBe('of another process');
    await filesystem.write('a.md', 'mine');
    if (writeOn === 'flush') filesystem.flush();
    expect(readFileSync(at('a.md'), 'utf8')).toBe('mine');
  });

  it('does not overwrite a file that appears while it is made', async () => {
    const { filesystem, at } = await interferedWith(writeOn, {}, (root) =>
      writeFileSync(join(root, 'a.md'), 'of another process'),
    );
    await expectCode(filesystem.write('a.md', 'mine'), 'file-changed-on-disk');
    expect(readFileSync(at('a.md'), 'utf8')).toBe('of another process');
  });

  it('does not make a file again that is removed while it is changed', async () => {
    const { filesystem } = await interferedWith(writeOn, { 'a.md': 'old' }, (root) =>
      rmSync(join(root, 'a.md')),
    );
    await expectCode(filesystem.edit('a.md', [{ oldText: 'old', newText: 'new' }]), 'file-changed-on-disk');
    expect(await filesystem.stat('a.md')).toBeUndefined();
  });
});

it('a write through a directory that becomes a link out of the folder stays within it', async () => {
  const outside = testFolders().root;
  const { filesystem } = await interferedWith('apply', { 'docs/a.md': 'old' }, (root) => {
    renameSync(join(root, 'docs'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'docs'));
  });
  await expectCode(filesystem.write('docs/a.md', 'mine'), 'file-changed-on-disk');
  expect(readdirSync(outside)).toEqual([]);
});
