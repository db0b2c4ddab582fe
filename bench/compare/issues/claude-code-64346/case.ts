import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: a turn has 27 calls. One is a search without a hit, whose tool throws; one lacks a field. The other 25 are answered with
 * their own results, the two are answered too, and the run ends with the last text.
 */
const others = ['ls docs', 'pwd', ...Array.from({ length: 23 }, (_, index) => `echo ${index + 1}`)];
const failing = 'grep -i plans';
const last = 'All but two worked.';

export const script = new Script([
  [
    ...[failing, ...others].map((command) => ({ name: 'shell', arguments: { command } })),
    { name: 'create_task', arguments: { title: 'Plan' } },
  ],
  last,
]);

/** What the tool `shell` does, whichever system runs it. */
export async function runShell(command: string): Promise<string> {
  await Promise.resolve();
  if (command === failing) throw new Error('grep ended with 1: no line matches.');
  return `Output of ${command}.`;
}

/** What the tool `create_task` does with a title and an owner. */
export function createTask(): string {
  return 'Created.';
}

/** @param run gives the last text of the run; an error of it is an end of the run */
export async function check(run: () => Promise<string | undefined>): Promise<CellOutcome> {
  const { text, error } = await run().then(
    (answer) => ({ text: answer, error: undefined }),
    (thrown: unknown) => ({ text: undefined, error: thrown }),
  );
  if (script.requests === 0) throw error ?? new Error('The run ended at once.');
  if (error !== undefined) {
    return fails(
      `The run ends with an error after the turn (${error instanceof Error ? error.name : 'no Error'}).`,
    );
  }
  if (text !== last || script.seen.length !== 27)
    return fails(`The model reads ${script.seen.length} answers to 27 calls.`);
  const missing = others.filter(
    (command) => !script.seen.some((seen) => seen.text.includes(`Output of ${command}.`)),
  );
  if (missing.length > 0) return fails(`The results of ${missing.length} calls that worked are missing.`);
  if (script.seen.some((seen) => seen.text.includes('Created.')))
    return fails('The task is created without its owner.');
  return holds('Of 27 calls 25 have their results, the two that fail are answered, and the run continues.');
}
