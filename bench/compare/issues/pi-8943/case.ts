import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: a model writes an integer of 19 digits, which a JavaScript number rounds, as the argument of a tool that takes integers. The
 * tool does not get another integer: the call is refused, and the model reads why; or the tool gets all digits.
 */
const id = '2512292042121000001';
const given: string[] = [];

export const script = new Script([[{ name: 'look_up', arguments: `{"id": ${id}}` }], 'Done.']);

/** What the tool does, whichever system runs it. */
export function lookUp(value: number | bigint): string {
  given.push(BigInt(value).toString());
  return 'No order has this id.';
}

/** @param run an error of it is an end of the run */
export async function check(run: () => Promise<unknown>): Promise<CellOutcome> {
  await run();
  if (script.requests !== 2 || script.seen.length !== 1) throw new Error('The model did not read a result.');
  const [rounded] = given.filter((value) => value !== id);
  if (rounded !== undefined) return fails(`The tool gets ${rounded} in place of ${id}.`);
  return holds(given.length > 0 ? 'The tool gets all digits.' : 'The call is refused.');
}
