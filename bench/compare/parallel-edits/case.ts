import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { type ToolFiles, textOf } from '../harness/files.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: two calls of one turn change different lines of the same file. Afterwards both changes are in the file.
 * The tool reads the file, works on it, and writes it. Both calls read before one of them writes, when they run at the same time.
 */
const file = 'rates.md';
const edit = (before: string, after: string) => ({
  name: 'edit_file',
  arguments: { path: file, before, after },
});

export const script = new Script([[edit('north: 50', 'north: 55'), edit('south: 75', 'south: 80')], 'Done.']);

export async function prepare(): Promise<void> {
  await writeFile(file, 'north: 50\nsouth: 75\n');
}

export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

let reading = 0;
let bothHaveRead: () => void = () => undefined;
const meeting = new Promise<void>((resolve) => {
  bothHaveRead = resolve;
});

/** What the tool does, whichever system runs it. A call that runs alone works for a moment. */
export async function editFile(files: ToolFiles, { path, before, after }: Edit): Promise<string> {
  const text = await files.read(path);
  reading += 1;
  if (reading === 2) bothHaveRead();
  await Promise.race([meeting, sleep(200)]);
  await files.write(
    path,
    text.replace(before, () => after),
  );
  return `${before} is ${after} now.`;
}

export async function check(): Promise<CellOutcome> {
  const text = await textOf(file);
  if (text === 'north: 55\nsouth: 80\n') return holds('Both edits are in the file.');
  return fails('Both calls say that they have edited the file, and only one edit is there.');
}
