import { join } from 'node:path';
import { type Filesystem, MemoryFilesystem } from '../../../core/filesystem/index.ts';
import type { RunJournal } from '../../../core/runtime/index.ts';
import { HostFilesystemClass } from '../../../host/index.ts';
import type { Life, RunLeft } from '../life.ts';
import { startFiles } from '../start-files.ts';
import type { Points } from './points.ts';
import { readLeft } from './run-left.ts';

/** The files of a run. */
export interface OpenedFiles {
  readonly filesystem: Filesystem;
  /** What they hold at the end; nothing for a folder, which the parent reads. */
  read(): Promise<Pick<RunLeft, 'files' | 'directories'>>;
  close(): Promise<void>;
}

/** Opens the files of a run: the folder, or those in memory as the run before left them. */
export async function openFiles(
  { folder, stateFolder, files, runs }: Life,
  runId: string,
  journal: RunJournal,
  points: Points,
): Promise<OpenedFiles> {
  if (files === 'folder') {
    const root = join(folder, 'work');
    const filesystem = await HostFilesystemClass.open(
      { root, stateDirectory: stateFolder, journal },
      (failpoint) => points.pass(`disk ${failpoint}`),
    );
    return {
      filesystem,
      read: async () => ({}),
      close: async () => filesystem[Symbol.asyncDispose](),
    };
  }
  const before = runs[runs.indexOf(runId) - 1];
  const left = before === undefined ? undefined : readLeft(folder, before);
  const filesystem = new MemoryFilesystem({ files: left?.files ?? startFiles });
  for (const directory of left?.directories ?? []) await filesystem.mkdir(directory);
  return { filesystem, read: () => contentOf(filesystem), close: async () => undefined };
}

async function contentOf(filesystem: Filesystem): Promise<Pick<RunLeft, 'files' | 'directories'>> {
  const files: Record<string, string> = {};
  const directories: string[] = [];
  const visit = async (directory: string): Promise<void> => {
    for (const { name, kind } of await filesystem.list(directory)) {
      const path = directory === '.' ? name : `${directory}/${name}`;
      if (kind === 'directory') {
        directories.push(path);
        await visit(path);
      } else files[path] = (await filesystem.read(path)).text;
    }
  };
  await visit('.');
  return { files, directories };
}
