import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: the model asks for a tool that does not exist, then writes arguments that are not JSON, then arguments without what the
 * tool needs. Each call is answered, and the run ends with the last text. A system may repair JSON that is cut off; the tool
 * must not run without a city.
 */
export const script = new Script([
  [{ name: 'look_up', arguments: { city: 'Rome' } }],
  [{ name: 'weather', arguments: '{"city": "Rome' }],
  [{ name: 'weather', arguments: { town: 'Rome' } }],
  [{ name: 'weather', arguments: { city: 'Rome' } }],
  'It is sunny in Rome.',
]);

const asked: unknown[] = [];

/** What the tool does, whichever system runs it. */
export function weatherOf(city: unknown): string {
  asked.push(city);
  return `It is sunny in ${String(city)}.`;
}

/** @param run gives the last text of the run; an error of it is an end of the run */
export async function check(run: () => Promise<string | undefined>): Promise<CellOutcome> {
  const steps = ['an unknown tool', 'bad JSON', 'wrong arguments', 'a right call'];
  const { text, error } = await run().then(
    (answer) => ({ text: answer, error: undefined }),
    (thrown: unknown) => ({ text: undefined, error: thrown }),
  );
  const after = steps[script.requests - 1];
  if (error !== undefined) {
    const reason = error instanceof Error ? error.name : 'no Error';
    // An error before the first request has nothing to do with what is asserted.
    if (script.requests === 0) throw error;
    return fails(`The run ends with an error after ${after} (${reason}).`);
  }
  if (script.requests < 5 || text !== 'It is sunny in Rome.') return fails(`The run ends after ${after}.`);
  if (script.seen.length !== 4) return fails(`The model reads ${script.seen.length} answers to four calls.`);
  const wrong = asked.filter((city) => city !== 'Rome');
  if (wrong.length > 0) return fails('The tool ran without what it needs.');
  const repaired = asked.length > 1 ? '; the JSON is repaired' : '';
  return holds(`Each of the three is answered, and the fourth call runs${repaired}.`);
}
