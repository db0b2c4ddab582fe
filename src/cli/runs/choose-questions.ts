import { counted, present } from '../../core/internal/index.ts';
import type { PendingApproval } from '../../core/runtime/index.ts';
import type { AskedQuestion } from '../../durable/internal.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';

/** A question and its place among those of the run, from 1. */
export interface NumberedQuestion extends AskedQuestion {
  readonly number: number;
  /** What names it on a command line: no other question, and nothing that is asked later, has this name. */
  readonly name: string;
  /** Why an answer would have no effect, without a period. Absent: it may have one. */
  readonly withoutEffect?: string;
}

const nameLength = 8;
const minDigestLength = 6;

/** The questions of a run with their numbers and names. */
export function numbered(
  asked: readonly AskedQuestion[],
  withoutEffect?: string,
): readonly NumberedQuestion[] {
  const names = questionNames(asked.map(({ question }) => question));
  return asked.map((each, index) => ({
    ...each,
    number: index + 1,
    name: names[index] ?? '',
    ...present({ withoutEffect }),
  }));
}

/**
 * The names of questions: the beginning of the digest, so that an answer to a name is one to what was shown under it. Two questions that ask the same have their
 * ids as names.
 */
export function questionNames(
  questions: readonly Pick<PendingApproval, 'id' | 'digest'>[],
): readonly string[] {
  return questions.map(({ id, digest }) => {
    const name = digest.slice(0, nameLength);
    return questions.filter((other) => other.digest.startsWith(name)).length === 1 ? name : shellWord(id);
  });
}

/**
 * The question that a word names: its number, or the beginning of its digest, of at least 6 characters, or of its id.
 *
 * @throws {UsageError} for no question, and for several.
 */
export function chooseQuestion(questions: readonly NumberedQuestion[], word: string): NumberedQuestion {
  const exact = questions.find(({ question, number }) => question.id === word || String(number) === word);
  if (exact !== undefined) return exact;
  const found = questions.filter(
    ({ question: { id, digest } }) =>
      id.startsWith(word) || (word.length >= minDigestLength && digest.startsWith(word)),
  );
  const [only, ...others] = found;
  if (only === undefined) {
    throw new UsageError(
      `the run does not ask "${printable(word)}"; it has ${counted(questions.length, 'question')}: ${namesOf(questions)}.`,
    );
  }
  if (others.length === 0) return only;
  throw new UsageError(`"${printable(word)}" is the beginning of several questions: ${namesOf(found)}.`);
}

/** Whether a question can no longer be answered. */
export function isExpired(
  { question: { expiresAtMs } }: { readonly question: Pick<PendingApproval, 'expiresAtMs'> },
  nowMs: number,
): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** Names for a message. */
export function namesOf(questions: readonly NumberedQuestion[]): string {
  return questions
    .map(({ number, name, question }) => `${number} (${name}, ${printable(question.toolName)})`)
    .join(', ');
}
