import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedCommandArguments } from '../../process/run-options.ts';

/** The location of staged files, and how a command reaches them. */
export interface StagedPlace extends AsyncDisposable {
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
  [Symbol.asyncDispose](): Promise<void>;
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
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Makes the folder for temporary files of commands. */
export async function makeTemporary(folder: string): Promise<string> {
  const path = join(folder, 'tmp');
  await mkdir(path, { mode: 0o700 });
  return path;
}
