import { ConformanceError } from '../../conformance/index.ts';
import type { DurableOutcome } from '../outcome.ts';
import { differences } from './differences.ts';
import type { EndOfCase } from './end-of-case.ts';
import { extraAnswers, withoutExtraAnswers } from './extra-answers.ts';
import { type CallInDoubt, isExcusedBy, mayAskAgain, type StruckLife } from './windows.ts';
import { withoutCalls } from './without-calls.ts';

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
    refuse(`the run that went on says that it is not as it was: ${end.changed.join(', ')}.`);
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
