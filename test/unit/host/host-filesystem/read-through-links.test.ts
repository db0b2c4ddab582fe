import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBeforeWritePolicy } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { PolicyStage } from '../../core/policy/policy-fixtures.ts';
import { testFolders } from './host-workspace.ts';

const policy = readBeforeWritePolicy();

describe('a file that was read through a link', () => {
  it.each([
    ['a link to the file', 'link.txt'],
    ['a link to its directory', 'linked/a.txt'],
  ])('(%s) is known under its own path, and the other way round', async (_what, link) => {
    for (const [read, written] of [
      [link, 'dir/a.txt'],
      ['dir/a.txt', link],
      [link, link],
    ] as const) {
      const { root, stateDirectory } = testFolders({ 'dir/a.txt': 'one\ntwo\nthree\n' });
      symlinkSync('dir/a.txt', join(root, 'link.txt'));
      symlinkSync('dir', join(root, 'linked'));
      await using files = await openHostFilesystem({ root, stateDirectory });
      const stage = new PolicyStage(files);
      const edit = (oldText: string): Promise<string | undefined> =>
        stage.call(policy, 'edit_file', { path: written }, ({ view }) =>
          view.edit(written, [{ oldText, newText: oldText.toUpperCase() }]),
        );
      expect(await edit('two')).toContain('"dir/a.txt" exists and has not been read');
      await stage.call(policy, 'read_file', { path: read }, ({ view }) =>
        view.read(read, { offset: 1, limit: 1 }),
      );
      expect(await edit('two')).toBeUndefined();
      expect(await edit('three')).toContain('"dir/a.txt" was read in part');
      await stage.call(policy, 'grep', { path: read }, ({ view }) => view.grep('three', { path: read }));
      expect(await edit('three')).toBeUndefined();
    }
  });
});
