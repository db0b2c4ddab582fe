import { setTimeout as sleep } from 'node:timers/promises';
import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: a run, and where the system has it a call, gets a limit of 30 days, more milliseconds than a timer takes; its tool works a
 * moment. The run ends well; or the limit is refused before the model is asked, with an error that says how long it may be.
 */
export const thirtyDaysMs = 30 * 24 * 3_600_000;
const result = 'It has ended.';
const last = 'Done.';

export const script = new Script([[{ name: 'spawn_session', arguments: {} }], last]);

/** What the tool does, whichever system runs it: longer than a millisecond. */
export async function spawnSession(): Promise<string> {
  await sleep(50);
  return result;
}

/** @param run gives the last text of the run; an error of it is an end of the run, or a limit that is refused */
export async function check(run: () => Promise<string | undefined>): Promise<CellOutcome> {
  const { text, error } = await run().then(
    (answer) => ({ text: answer, error: undefined }),
    (thrown: unknown) => ({ text: undefined, error: thrown }),
  );
  const { name, message } = error instanceof Error ? error : { name: 'no Error', message: '' };
  if (/2[,_]?147[,_]?483[,_]?64[78]|24[.,]8/.test(message))
    return holds('The limit is refused, with its range.');
  if (error !== undefined) return fails(`The limit of 30 days ends the run at once (${name}).`);
  if (!script.seen.some((seen) => seen.text.includes(result)))
    return fails('The limit of 30 days ends the call at once.');
  if (text !== last) return fails('The limit of 30 days ends the run at once.');
  return holds('The limit of 30 days does not fire.');
}
