import { assertOptions } from '../error/index.ts';
import type { PendingApproval, RunJournal } from '../runtime/index.ts';
import { askedQuestions } from './asked-questions.ts';

/** Options of {@link pendingApprovals}. */
export interface PendingApprovalsOptions {
  readonly journal: RunJournal;
  readonly runId: string;
}

/**
 * The questions of a suspended run that have no answer, in the order of the calls, for a program that shows them to a person and gives the answers to
 * `answerApprovals`. Any process may ask, at any time: it takes no lease. `changes` have the contents of the files. A question that has expired is
 * among them, with an `expiresAtMs` that is past.
 *
 * @returns empty for a run that is not suspended, and for one whose questions are all answered.
 * @throws {PromptValidationError} for a run that the journal does not have, and for an option of the wrong kind.
 * @see docs/spec/durable-runs.md §6
 */
export async function pendingApprovals(
  options: PendingApprovalsOptions,
): Promise<readonly PendingApproval[]> {
  assertOptions('pendingApprovals()', options, { journal: 'object!', runId: 'string!' });
  const { asked } = await askedQuestions(options.journal, options.runId);
  return asked.filter(({ answer }) => answer === undefined).map(({ question }) => question);
}
