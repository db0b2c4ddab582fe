import { appendFile, writeFile } from 'node:fs/promises';
import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { type ToolFiles, textOf } from '../harness/files.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: a tool works out a change, here of a file, and a person has to agree. The process ends with the question, which shows
 * the change. Another process answers yes. Then exactly the shown change is there, and the tool has run once: what it worked out
 * has not been worked out anew. Each run of the tool makes another text, so that a second one is seen.
 */
const file = 'production/rates.md';
const log = 'runs.log';

/** The model, in both processes; `request` counts those of one process. */
export const askingScript = (): Script =>
  new Script([[{ name: 'deploy', arguments: { target: 'production' } }], 'Done.']);
export const answeringScript = (): Script => new Script(['Done.']);

export async function prepare(): Promise<void> {
  await writeFile('rates.md', 'north: 50\n');
}

/** What the tool works out, whichever system runs it. It counts its runs outside of everything that rolls back. */
export async function planDeployment(
  files: ToolFiles,
  target: string,
): Promise<{ path: string; text: string }> {
  await appendFile(log, '.');
  const runs = (await textOf(log))?.length ?? 0;
  return { path: `${target}/rates.md`, text: `${await files.read('rates.md')}deployed by run ${runs}\n` };
}

/** @param shown the new text of the file, when the question has it */
export async function check(shown: string | undefined): Promise<CellOutcome> {
  const landed = await textOf(file);
  const runs = (await textOf(log))?.length ?? 0;
  if (landed === undefined) return fails('The answer arrives, and the change does not.');
  if (shown === undefined) {
    return fails(
      'Answered in another process; the question shows the arguments, not the change that follows from them.',
    );
  }
  if (landed !== shown)
    return fails('Answered in another process; the tool runs again, and another change lands.');
  if (runs !== 1) return fails(`The shown change lands, and the tool has run ${runs} times.`);
  return holds('Answered in another process: the shown change lands, and the tool has run once.');
}
