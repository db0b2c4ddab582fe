import { answerUsage } from '../answer-usage.ts';
import type { EndOfCase } from './end-of-case.ts';

/**
 * How many answers of the model each run has paid for that the uninterrupted run has not: those in an evaluation that a handler began and was killed in.
 * The handler runs again, and asks again.
 */
export function extraAnswers(whole: EndOfCase, end: EndOfCase): readonly number[] {
  return end.answers.map((count, index) => count - (whole.answers[index] ?? 0));
}

/** The end with the usage that it would have without answers that were asked for again: of the runs, and of the calls around the evaluations. */
export function withoutExtraAnswers(end: EndOfCase, extra: readonly number[]): EndOfCase {
  return { ...end, answers: [], runs: end.runs.map((run, index) => withLess(run, extra[index] ?? 0)) };
}

function withLess(run: EndOfCase['runs'][number], extra: number): EndOfCase['runs'][number] {
  const plain = JSON.stringify(run, function (this: Holder, key, value: unknown) {
    return key === 'usage' && countsAnswers(this) ? less(value as Usage, extra) : value;
  });
  // An object, since it was one.
  return JSON.parse(plain) as EndOfCase['runs'][number];
}

type Usage = Readonly<Record<string, number>>;
interface Holder {
  readonly toolName?: unknown;
  readonly promptName?: unknown;
  readonly finishReason?: unknown;
}

/** The run itself, its record, and the record of the call that evaluates. */
function countsAnswers({ toolName, promptName, finishReason }: Holder): boolean {
  return toolName === undefined
    ? promptName === 'agent' || (promptName === undefined && finishReason !== undefined)
    : toolName === 'nested';
}

function less(usage: Usage, extra: number): Usage {
  const paid: Usage = { ...answerUsage };
  return Object.fromEntries(
    Object.entries(usage).map(([key, count]) => [key, count - (paid[key] ?? 0) * extra]),
  );
}
