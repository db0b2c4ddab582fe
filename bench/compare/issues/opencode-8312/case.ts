import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: a turn has two calls. The first one ends; the run is stopped while the second is running. Then the conversation continues
 * with what the system has kept of it. The model is asked, the finished call is in what it reads, and every call there has a result:
 * providers refuse a request with a call that has none.
 */
export const script = new Script([
  [
    { name: 'look', arguments: {} },
    { name: 'edit', arguments: {} },
  ],
  'I was stopped. What should I do?',
]);

export function look(): string {
  return 'Seen.';
}

/** What the tool `edit` does: the person stops the run, and the tool ends with it, as its signal asks. */
export async function edit(signal: AbortSignal | undefined, stop: () => void): Promise<string> {
  // After the other call of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  stop();
  signal?.throwIfAborted();
  return 'Edited.';
}

/** @param next continues the conversation; an error of it is a request that is refused */
export async function check(next: () => Promise<unknown>): Promise<CellOutcome> {
  if (script.requests !== 1) throw new Error(`The model was asked ${script.requests} times before the stop.`);
  const error: unknown = await next().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const name = error instanceof Error ? error.name : 'no Error';
  if (script.requests === 1) return fails(`The next message is refused before the model is asked (${name}).`);
  if (error !== undefined) throw error;
  const [looked, edited] = ['call-1-1', 'call-1-2'].map((id) => ({
    isThere: script.read.includes(id),
    hasResult: script.seen.some((result) => result.id === id),
  }));
  if (looked?.isThere !== true) return fails('The finished call is not in the conversation.');
  const without = [looked, edited].filter((call) => call?.isThere === true && !call.hasResult);
  if (without.length > 0) return fails(`${without.length} calls in the next request have no result.`);
  if (edited?.isThere === true) return holds('In the next request both calls have a result.');
  return holds('In the next request the stopped call is left out, and the other one has its result.');
}
