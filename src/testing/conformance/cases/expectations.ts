import { expectEqual, expectTrue } from '../expect.ts';
import type { PlayedRun, Stage } from '../stage.ts';
import { itemsOf } from '../turn.ts';

/** Checks the calls of a run: id, outcome and, for one that was not committed, the reason. */
export function expectCalls({ calls }: PlayedRun, expected: readonly (readonly string[])[]): void {
  const actual = calls.map(({ callId, outcome, reason = [] }) => [callId, outcome].concat(reason));
  expectEqual('the outcomes of the calls', actual, expected);
}

/** The result of each call as it was recorded. */
export function recordedResults({ calls }: PlayedRun): readonly (readonly [callId: string, text: string])[] {
  return calls.map(({ callId, modelText }) => [callId, modelText]);
}

/** Checks the results in a request: each once, in order, with the text for the model. */
export function expectResults(
  stage: Stage,
  number: number,
  texts: readonly (readonly [callId: string, text: string])[],
): void {
  const results = itemsOf(stage.request(number), 'result').map(({ callId, text }) => [callId, text]);
  expectEqual(`the results in request ${number}`, results, texts);
}

/**
 * Checks that a result in a request has a text.
 *
 * @param index of the result, from 0; from the last one when it is negative.
 * @param what the model reads by it: `why a call failed`.
 */
export function expectRead(stage: Stage, number: number, index: number, what: string, text: string): void {
  const result = itemsOf(stage.request(number), 'result').at(index);
  expectTrue(`the model reads ${what}`, result?.text.includes(text) === true, result);
}

/** Checks that failures are marked, where the wire format has a mark. */
export function expectMarks(stage: Stage, number: number, failed: readonly boolean[]): void {
  const results = itemsOf(stage.request(number), 'result');
  const marks = results.map(({ isError }, index) => isError ?? failed[index]);
  expectEqual(`the marks of failures in request ${number}`, marks, failed);
}
