import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHostFilesystem, openStagedFolder } from 'weakincentives/node';
import { stagingSupport } from '../../../../src/host/staged-folder/staging-support.ts';

it('says of a disk what staging does there, and leaves nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wink-staging-'));
  const tempRoot = join(folder, 'temp');
  const root = join(folder, 'root');
  mkdirSync(tempRoot);
  mkdirSync(root);
  writeFileSync(join(root, 'file'), 'x');
  try {
    const support = await stagingSupport(tempRoot);
    expect(readdirSync(tempRoot)).toEqual([]);
    await using filesystem = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
    const mounted = await openStagedFolder(filesystem, { tempRoot, layer: 'overlay' }).then(
      async (staged) => {
        await staged[Symbol.asyncDispose]();
        return true;
      },
      () => false,
    );
    expect(support).toEqual({ overlay: mounted, reflink: expect.any(Boolean) });
    await expect(stagingSupport(join(folder, 'absent'))).rejects.toHaveProperty('code', 'path-not-found');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
