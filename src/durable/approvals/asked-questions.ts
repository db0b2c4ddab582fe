import { assertOptions, keptName, required } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { PendingApproval, RunJournal } from '../../core/runtime/index.ts';
import type { PendingQuestion } from '../../record/index.ts';
import { fileChanges } from '../resume/resumed-call.ts';
import { type RunRows, readRunRows } from '../rows/run-rows.ts';

/** A question that a run was suspended with, and its answer. */
export interface AskedQuestion {
  readonly question: PendingApproval;
  /** Undefined: it waits for one. */
  readonly answer: { readonly approved: boolean; readonly by?: string; readonly note?: string } | undefined;
}

/**
 * The questions that a run ended with, in the order of the calls, as its rows have them; empty unless it is suspended.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 */
export async function askedQuestions(
  journal: Pick<RunJournal, 'read'>,
  runId: string,
): Promise<readonly AskedQuestion[]> {
  return questionsAtEnd(readRunRows(runId, await journal.read(runId)));
}

/** The questions of a suspended run that have no answer. */
export function openQuestions(rows: RunRows): readonly PendingApproval[] {
  return questionsAtEnd(rows)
    .filter(({ answer }) => answer === undefined)
    .map(({ question }) => question);
}

function questionsAtEnd({
  answers,
  blobs,
  cancelled,
  end,
  pending,
  questions,
}: RunRows): readonly AskedQuestion[] {
  // What a run was asked before it continued is answered, or is asked again.
  if (end?.outcome !== 'suspended' || cancelled !== undefined) return [];
  return pending.flatMap((id): readonly AskedQuestion[] => {
    const question = questions.get(id);
    if (question === undefined) return [];
    return [{ question: toApproval(question, blobs), answer: answerOf(answers.get(id)) }];
  });
}

function toApproval(question: PendingQuestion, blobs: RunRows['blobs']): PendingApproval {
  const { attempt: _attempt, staged, ...asked } = question;
  return { ...asked, ...present({ changes: staged === undefined ? undefined : fileChanges(staged, blobs) }) };
}

function answerOf(row: AskedQuestion['answer']): AskedQuestion['answer'] {
  if (row === undefined) return undefined;
  const { approved, by, note } = row;
  return { approved, ...present({ by, note }) };
}

/** Options of {@link pendingApprovals}. */
export interface PendingApprovalsOptions {
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
}

/** See on-demand.ts, through which it is loaded. */
export async function pendingApprovals(
  options: PendingApprovalsOptions,
): Promise<readonly PendingApproval[]> {
  assertOptions('pendingApprovals()', options, { journal: 'object!', runId: required(keptName) });
  const { journal, runId } = options;
  return openQuestions(readRunRows(runId, await journal.read(runId)));
}
