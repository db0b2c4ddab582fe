import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesystemError } from 'weakincentives';
import { openHostFilesystem, openStagedFolder } from 'weakincentives/node';

/** What a staged folder can be. */
export type Layer = 'copy' | 'overlay';

async function findRefusal(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'staging-layers-'));
  const stateDirectory = await mkdtemp(join(tmpdir(), 'staging-layers-state-'));
  try {
    await using filesystem = await openHostFilesystem({ root: folder, stateDirectory });
    await using _staged = await openStagedFolder(filesystem, { layer: 'overlay' });
    return undefined;
  } catch (error) {
    if (FilesystemError.isInstance(error)) return error.message;
    throw error;
  } finally {
    for (const path of [folder, stateDirectory]) rmSync(path, { recursive: true });
  }
}

const refusal = await findRefusal();

/** Each kind of folder with why there is none of it here. */
export const layers: readonly (readonly [layer: Layer, refusal: string | undefined])[] = [
  ['copy', undefined],
  ['overlay', refusal],
];
