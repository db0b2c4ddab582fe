import { PromptValidationError, SessionBusyError } from '../../core/error/index.ts';
import { counted, present } from '../../core/internal/index.ts';
import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { answerApprovals } from '../../durable/index.ts';
import type { AnswerRequest } from '../commands/approvals.ts';
import { runningError } from '../journal/named-runs.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { chooseQuestion, isExpired, type NumberedQuestion, namesOf } from './choose-questions.ts';
import { type QuestionTextOptions, questionLines } from './question-text.ts';

/** An answer, and what it is given to. */
export interface GivenAnswer {
  readonly request: AnswerRequest;
  readonly run: JournaledRun;
  readonly questions: readonly NumberedQuestion[];
  readonly journal: RunJournal;
  readonly clock: Pick<Clock, 'now'>;
  readonly options: QuestionTextOptions;
  /** The line that says how the run continues; undefined: it continues at once. */
  readonly resume: string | undefined;
}

/** What became of an answer. */
export interface KeptAnswers {
  readonly lines: readonly string[];
  readonly openCount: number;
}

/**
 * Keeps an answer in the journal.
 *
 * @returns what was answered, line by line, and how many questions are open now.
 * @throws {UsageError} when the question is not clear, or the answer is refused; nothing is kept then.
 */
export async function answerQuestions(given: GivenAnswer): Promise<KeptAnswers> {
  const { request, run, questions, journal, clock, options, resume } = given;
  const { approved, by, note } = request;
  const chosen = choose(given);
  const reason = chosen[0]?.withoutEffect;
  if (reason !== undefined)
    throw new UsageError(`the answer is refused, because it would have no effect: ${reason}.`);
  const answer = {
    approved,
    ...present({ by, note }),
  };
  // The digest is that of the question which is printed below.
  const answers = chosen.map(({ question: { id, digest } }) => ({ id, digest, ...answer }));
  try {
    await orUsageError(
      () => answerApprovals({ journal, runId: run.runId, answers, clock }),
      ({ message }) => printable(message),
      PromptValidationError,
    );
  } catch (error) {
    throw SessionBusyError.isInstance(error) ? runningError(run.runId) : error;
  }
  const open = questions.filter((each) => each.answer === undefined && !chosen.includes(each));
  const rest = open.length === 0 ? resume : `${counted(open.length, 'more question')} open: ${namesOf(open)}`;
  return {
    lines: [
      ...chosen.flatMap((each) => questionLines({ ...each, answer: each.answer ?? answer }, options)),
      ...(rest === undefined ? [] : [rest]),
    ],
    openCount: open.length,
  };
}

/** @throws {UsageError} */
function choose({ request, questions, options }: GivenAnswer): readonly NumberedQuestion[] {
  const { question, isForAll } = request;
  if (question !== undefined) return [chooseQuestion(questions, question)];
  const open = questions.filter((each) => each.answer === undefined);
  if (open.length === 0) throw new UsageError('all questions of the run are answered.');
  if (isForAll) {
    const answerable = open.filter((each) => !isExpired(each, options.nowMs));
    if (answerable.length > 0) return answerable;
    throw new UsageError('all open questions of the run have expired, and their calls are denied.');
  }
  const [only, ...others] = open;
  if (only !== undefined && others.length === 0) return [only];
  throw new UsageError(`the run has several questions; name one, or use --all: ${namesOf(open)}.`);
}
