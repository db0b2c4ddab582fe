import { Volume } from 'memfs';
import { MemoryFilesystem } from 'weakincentives';
import { runProgram } from '../harness/program.ts';
import { measureRounds, type Repeated } from './repeat.ts';

/** 100 files to a folder, 100 bytes to a file. */
const filesOf = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `folder-${Math.floor(index / 100)}/file-${index}.txt`,
      `${index}\n`.padEnd(100, 'x'),
    ]),
  );

const path = 'folder-0/file-7.txt';

/** A snapshot, one file overwritten, and the snapshot restored. */
const ways = {
  weakincentives: (files) => {
    const filesystem = new MemoryFilesystem({ files });
    return {
      rounds: 10_000,
      run: async () => {
        const snapshot = await filesystem.snapshot();
        await filesystem.write(path, 'changed');
        await filesystem.restore(snapshot);
      },
      read: async () => (await filesystem.read(path)).text,
      write: () => filesystem.write(path, 'changed'),
    };
  },
  memfs: (files) => {
    const volume = Volume.fromJSON(files, '/');
    return {
      rounds: 1,
      run: () => {
        const kept = volume.toJSON();
        volume.writeFileSync(`/${path}`, 'changed');
        volume.reset();
        volume.fromJSON(kept);
      },
      read: async () => String(volume.readFileSync(`/${path}`, 'utf8')),
      write: async () => volume.writeFileSync(`/${path}`, 'changed'),
    };
  },
} satisfies Record<
  string,
  (
    files: Record<string, string>,
  ) => Repeated & { readonly read: () => Promise<string>; readonly write: () => Promise<unknown> }
>;

await runProgram<{ readonly way: keyof typeof ways; readonly files: number }>(
  async ({ way, files }, plan) => {
    const made = ways[way](filesOf(files));
    const before = await made.read();
    const report = await measureRounds(plan, made);
    if ((await made.read()) !== before) throw new Error('The file was not restored.');
    await made.write();
    if ((await made.read()) !== 'changed') throw new Error('Nothing was written.');
    return report;
  },
);
