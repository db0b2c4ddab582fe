import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedCommandArguments } from '../../process/run-options.ts';
import type { OverlayMount } from './overlay-mount.ts';

/** The location of staged files, and how a command reaches them. */
export interface StagedPlace {
  readonly kind: 'overlay' | 'copy';
  /** The path of the folder for this process. */
  readonly path: string;
  /** For an overlay, the layer with the changes. */
  readonly upper: string | undefined;
  /** Paths of the folder that a command may print. */
  readonly innerPaths: readonly string[];
  /** A folder for temporary files of commands. */
  readonly temporary: string;
  commandLine(command: string, args: readonly string[], cwd: string): StagedCommandArguments;
  /** Kills the processes in it, as far as possible. Does not remove anything. */
  dispose(): Promise<void>;
}

/** An ordinary folder. */
export async function copyPlace(folder: string): Promise<StagedPlace> {
  const path = join(folder, 'files');
  await mkdir(path, { mode: 0o700 });
  return {
    kind: 'copy',
    path,
    upper: undefined,
    innerPaths: [path],
    temporary: await makeTemporary(folder),
    commandLine: (command, args, cwd) => ({ command, args, cwd: join(path, cwd) }),
    dispose: () => Promise.resolve(),
  };
}

/** A mounted overlay. */
export async function overlayPlace(folder: string, mount: OverlayMount): Promise<StagedPlace> {
  const { path, upper, innerPath } = mount;
  return {
    kind: 'overlay',
    path,
    upper,
    innerPaths: [join(folder, 'files'), innerPath],
    temporary: await makeTemporary(folder),
    commandLine: (command, args, cwd) => {
      const [first = '', ...rest] = mount.enter(command, args, cwd);
      return { command: first, args: rest, cwd: folder };
    },
    dispose: () => mount.dispose(),
  };
}

async function makeTemporary(folder: string): Promise<string> {
  const path = join(folder, 'tmp');
  await mkdir(path, { mode: 0o700 });
  return path;
}
