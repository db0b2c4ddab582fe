import { writeFile } from 'node:fs/promises';
import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { type ToolFiles, textOf } from '../harness/files.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: a tool writes a file and changes state, then throws. Afterwards the file and the state are as before, and the
 * model has read the reason. The state is what the system offers to tools for it, or a variable where it offers nothing.
 */
const file = 'report.md';
const before = 'Status: draft\n';

export const script = new Script([[{ name: 'publish', arguments: {} }], 'Done.']);

export async function prepare(): Promise<void> {
  await writeFile(file, before);
}

/** What the tool does, whichever system runs it. `publish` changes the state of the system. */
export async function publishReport(files: ToolFiles, publish: () => void | Promise<void>): Promise<never> {
  const text = await files.read(file);
  await files.write(file, text.replace('draft', 'published'));
  await publish();
  throw new Error('zones.md is missing.');
}

/** @param published what the state has afterwards: `undefined` or an empty list when it is as before */
export async function check(published: readonly string[]): Promise<CellOutcome> {
  if (!script.read.includes('zones.md is missing'))
    return fails('The model does not read why the call failed.');
  const kept = [
    ...((await textOf(file)) === before ? [] : ['the file']),
    ...(published.length === 0 ? [] : ['the state']),
  ];
  if (kept.length === 0) return holds('File and state are as before, and the model reads the reason.');
  return fails(`The model reads that the call failed, and ${kept.join(' and ')} kept what it did.`);
}
