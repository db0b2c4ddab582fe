import { ConformanceError } from '../../conformance/expect.ts';
import { answerUsage } from '../life.ts';
import type { DurableOutcome } from '../options.ts';
import { differences } from './differences.ts';
import type { EndOfCase } from './end-of-case.ts';
import { type CallInDoubt, isExcusedBy, mayAskAgain, type StruckLife } from './windows.ts';

/** The evaluation inside a call asks the model twice. */
const answersLostByAKill = 2;

/** What is judged. */
export interface Judged {
  /** Where the processes were killed or stopped. */
  readonly at: readonly string[];
  readonly struck: readonly StruckLife[];
  readonly whole: EndOfCase;
  readonly end: EndOfCase;
}

/**
 * Compares the end of a case with that of the uninterrupted run.
 *
 * @throws {ConformanceError} which says what differs and must not.
 */
export function judge({ at, struck, whole, end }: Judged): DurableOutcome['became'] {
  const refuse = (
    claim: string,
    values: { readonly expected?: unknown; readonly actual?: unknown } = {},
  ): never => {
    throw new ConformanceError(`Killed or stopped at ${at.join(', then ')}: ${claim}`, {
      ...values,
      code: 'journal-not-conformant',
    });
  };
  const twice = end.effects.filter((line, index) => end.effects.indexOf(line) !== index);
  if (twice.length > 0)
    refuse(`an effect outside happened twice: ${twice.join(', ')}.`, { actual: end.effects });
  const { doubts } = end;
  for (const doubt of doubts) checkDoubt(doubt, struck, end, refuse);
  const isAskedAgain = new Set(end.asked).size < end.asked.length;
  if (isAskedAgain && !struck.some(mayAskAgain))
    refuse('a person was asked again although the answer was durable.', { actual: end.asked });
  if (end.changed.length > 0)
    refuse(`the run that continued says that it is not as it was: ${end.changed.join(', ')}.`);
  const extra = extraAnswers(whole, end);
  const allowed = struck.length * answersLostByAKill;
  if (extra.some((count) => count < 0 || count > allowed))
    refuse('the rows have other answers of the model.', { expected: whole.answers, actual: end.answers });
  const plain = (of: EndOfCase): EndOfCase => withoutCalls({ ...of, asked: [...new Set(of.asked)] }, doubts);
  const expected = plain({ ...whole, answers: [] });
  const actual = plain(withoutExtraAnswers(end, extra));
  const different = differences(expected, actual);
  if (different.length > 0)
    refuse(`the end differs from that of the uninterrupted run in\n${different.join('\n')}`, {
      expected,
      actual,
    });
  if (doubts.length > 0) return 'in-doubt';
  return isAskedAgain ? 'asked-again' : 'same';
}

function checkDoubt(
  doubt: CallInDoubt,
  struck: readonly StruckLife[],
  { effects }: EndOfCase,
  refuse: (claim: string) => never,
): void {
  const { callId, toolName, became } = doubt;
  const hasEffect = effects.some((line) => line.endsWith(callId));
  if (became === 'not-done' && hasEffect)
    refuse(`the model reads that the call "${callId}" had no effect, and it had one.`);
  if (!struck.some((life) => isExcusedBy(doubt, life)))
    refuse(
      `the call "${callId}" of "${toolName}" is in doubt, and was not cut off between its beginning and its decision.`,
    );
}

/**
 * How many answers of the model each run has paid for that the uninterrupted run has not: those in an evaluation that a handler began and was killed in.
 * The handler runs again, and asks again.
 */
function extraAnswers(whole: EndOfCase, end: EndOfCase): readonly number[] {
  return end.answers.map((count, index) => count - (whole.answers[index] ?? 0));
}

/** The end with the usage that it would have without answers that were asked for again: of the runs, and of the calls around the evaluations. */
function withoutExtraAnswers(end: EndOfCase, extra: readonly number[]): EndOfCase {
  return { ...end, answers: [], runs: end.runs.map((run, index) => withLess(run, extra[index] ?? 0)) };
}

function withLess(run: EndOfCase['runs'][number], extra: number): EndOfCase['runs'][number] {
  return rewritten(run, function (this: Holder, key, value: unknown) {
    return key === 'usage' && countsAnswers(this) ? less(value as Usage, extra) : value;
  });
}

function rewritten(
  run: EndOfCase['runs'][number],
  replacer: (this: Holder, key: string, value: unknown) => unknown,
): EndOfCase['runs'][number] {
  // An object, since it was one.
  return JSON.parse(JSON.stringify(run, replacer)) as EndOfCase['runs'][number];
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

/** The end without what some calls left, or would have left: their results, records, texts, files, entries and effects. */
function withoutCalls(end: EndOfCase, calls: readonly CallInDoubt[]): EndOfCase {
  if (calls.length === 0) return end;
  const callIds = calls.map(({ callId }) => callId);
  const names = (text: string): boolean => callIds.some((callId) => text.includes(callId));
  const entriesWithout = (of: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(of).filter(([path]) => !names(path) && !madeByCalls.has(path)));
  return {
    ...end,
    doubts: [],
    runs: end.runs.map((run) => withoutResults(run, calls, entriesWithout)),
    disk: entriesWithout(end.disk),
    effects: end.effects.filter((line) => !names(line)),
    ledger: Array.isArray(end.ledger) ? end.ledger.filter((entry) => !callIds.includes(String(entry))) : [],
  };
}

/** Directories that exist for files of such calls only. */
const madeByCalls: ReadonlySet<string> = new Set(['mailed', 'booked']);

function withoutResults(
  run: EndOfCase['runs'][number],
  calls: readonly CallInDoubt[],
  entriesWithout: (of: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): EndOfCase['runs'][number] {
  return rewritten(run, (key, value: unknown) => {
    if (!Array.isArray(value)) {
      // Files by path.
      return key === 'files' ? entriesWithout(value as Readonly<Record<string, string>>) : value;
    }
    if (key === 'directories') return value.filter((path) => !madeByCalls.has(String(path)));
    return value.filter((item) => !isOf(item, calls));
  });
}

/** Whether an item of a conversation or a slice is of one of the calls, but for the call of the model itself. */
function isOf(item: unknown, calls: readonly CallInDoubt[]): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const { callId, type, text, policyName, tool } = item as Readonly<Record<string, unknown>>;
  if (type === 'tool-call') return false;
  return calls.some(
    (call) =>
      call.callId === callId ||
      (policyName !== undefined && tool === call.toolName) ||
      (call.toolName === 'mail' && text === 'mailed bob'),
  );
}
