import { expectEqual } from '../expect.ts';
import type { Stage } from '../stage.ts';
import type { PlayedRun } from '../started-run.ts';
import { itemsOf } from '../turn.ts';

/** The outcome of each call, and its reason. */
export function outcomes({ calls }: PlayedRun): readonly (readonly (string | undefined)[])[] {
  return calls.map(({ callId, outcome, reason }) => [callId, outcome, reason]);
}

/** Checks the results in a request: each once, in order, with the text for the model. */
export function expectResults(
  stage: Stage,
  number: number,
  texts: readonly (readonly [callId: string, text: string])[],
): void {
  const results = itemsOf(stage.request(number), 'result');
  expectEqual(
    `the results in request ${number}`,
    results.map(({ callId, text }) => [callId, text]),
    texts,
  );
}

/** Checks that failures are marked, where the wire format has a mark. */
export function expectMarks(stage: Stage, number: number, failed: readonly boolean[]): void {
  const marks = itemsOf(stage.request(number), 'result').map(
    ({ isError }, index) => isError ?? failed[index],
  );
  expectEqual(`the marks of failures in request ${number}`, marks, failed);
}
