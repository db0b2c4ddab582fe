import { lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskFolder } from '../../host-filesystem/disk-source.ts';
import { HostJail } from '../../host-filesystem/jail/jail.ts';
import { runProcess } from '../../process/run-process.ts';
import { makePrivateFolder, removeFolder } from '../staging/private-folder.ts';
import { mountOverlay, OverlayRefusedError } from './overlay-mount.ts';

/**
 * Whether overlays work with their layers in this folder. Tried once for each device: mounting, hiding, replacing a file, a
 * folder and the other way round, and running a program.
 * @param trials the results of earlier trials.
 * @returns why they do not work; undefined when they do.
 */
export function overlayRefusal(
  trials: DiskFolder['overlayTrials'],
  tempRoot: string,
): Promise<Error | undefined> {
  const { dev } = lstatSync(tempRoot);
  const known = trials.get(dev);
  if (known !== undefined) return known;
  const trial = tryOverlay(tempRoot);
  trials.set(dev, trial);
  // A failure of the trial itself may be temporary.
  trial.catch(() => trials.delete(dev));
  return trial;
}

async function tryOverlay(tempRoot: string): Promise<OverlayRefusedError | undefined> {
  if (process.platform !== 'linux') return new OverlayRefusedError('Overlays require Linux.');
  const folder = await makePrivateFolder(tempRoot, undefined);
  try {
    await tryIn(folder);
    return undefined;
  } catch (error) {
    return error instanceof OverlayRefusedError
      ? error
      : new OverlayRefusedError('An overlay does not work here.');
  } finally {
    await removeFolder(folder);
  }
}

async function tryIn(folder: string): Promise<void> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'deep/er'), { recursive: true });
  for (const name of ['edited', 'hidden', 'deep/file', 'deep/er/file'])
    await writeFile(join(root, name), 'old');
  const layers = join(folder, 'layers');
  await mkdir(layers);
  const jail = HostJail.open(root);
  try {
    const hidden = [{ folder: '.', name: Buffer.from('hidden') }];
    const mount = await mountOverlay({ folder: layers, jail, hidden });
    try {
      await writeFile(join(mount.path, 'edited'), 'new');
      await rm(join(mount.path, 'deep'), { recursive: true });
      await mkdir(join(mount.path, 'deep'));
      const script =
        '[ "$(cat edited)" = new ] && [ ! -e deep/file ] && [ ! -e hidden ] && echo made >deep/made';
      const [command = '', ...args] = mount.enter('sh', ['-c', script], '.');
      const { exitCode } = await runProcess({ command, args, cwd: '/' }, {}).ended;
      const isAsWanted =
        exitCode === 0 &&
        (await readdir(join(mount.path, 'deep'))).join() === 'made' &&
        (await readdir(mount.upper)).toSorted().join() === 'deep,edited,hidden' &&
        (await readFile(join(root, 'edited'), 'utf8')) === 'old' &&
        (await readdir(root, { recursive: true })).length === 6;
      if (!isAsWanted) throw new OverlayRefusedError('An overlay does not keep changes apart here.');
    } finally {
      await mount.dispose();
    }
  } finally {
    jail.dispose();
  }
}
