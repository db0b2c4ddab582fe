import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { type ToolFiles, textOf } from '../../harness/files.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: three sub-agents start in one turn. Each writes a file of its feature, and changes its line in the index, with a tool that
 * reads the file, works on it, and writes it. All three read before one of them writes, when they run at the same time. Afterwards
 * the three files are there, and the index has all three changes.
 */
export const features = ['a', 'b', 'c'] as const;
const index = 'index.md';

/** The model of the outer agent: a call of each sub-agent; `input` is what it is given. */
export const leadScript = (
  nameOf: (feature: string) => string,
  input: (feature: string) => Readonly<Record<string, unknown>>,
): Script =>
  new Script([features.map((feature) => ({ name: nameOf(feature), arguments: input(feature) })), 'Done.']);

/** The model of a sub-agent. */
export const builderScript = (feature: string): Script =>
  new Script([
    [
      { name: 'write_file', arguments: { path: `${feature}.md`, text: `Feature ${feature}\n` } },
      { name: 'edit_file', arguments: { path: index, before: `${feature}:`, after: `${feature}: done` } },
    ],
    'Built.',
  ]);

export async function prepare(): Promise<void> {
  await writeFile(index, 'a:\nb:\nc:\n');
}

let reading = 0;
let allHaveRead: () => void = () => undefined;
const meeting = new Promise<void>((resolve) => {
  allHaveRead = resolve;
});

export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What the tool `edit_file` does, whichever system runs it. A call that runs alone works for a moment. */
export async function editFile(files: ToolFiles, { path, before, after }: Edit): Promise<string> {
  const text = await files.read(path);
  reading += 1;
  if (reading === features.length) allHaveRead();
  await Promise.race([meeting, sleep(200)]);
  await files.write(
    path,
    text.replace(before, () => after),
  );
  return `${before} is ${after} now.`;
}

export async function check(): Promise<CellOutcome> {
  for (const feature of features) {
    if ((await textOf(`${feature}.md`)) === undefined)
      return fails(`The file of the feature ${feature} is missing.`);
  }
  const done = ((await textOf(index)) ?? '').split('\n').filter((line) => line.endsWith(': done')).length;
  if (done === features.length)
    return holds('The three files are there, and the index has all three changes.');
  return fails(`All sub-agents say that they are done, and the index has ${done} of three changes.`);
}
