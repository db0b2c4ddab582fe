import { assertOptions } from '../../core/error/index.ts';
import type { PendingApproval, RunJournal } from '../../core/runtime/index.ts';
import { askedQuestions } from './asked-questions.ts';

/** Options of {@link pendingApprovals}. */
export interface PendingApprovalsOptions {
  readonly journal: RunJournal;
  readonly runId: string;
}

/** See on-demand.ts, through which it is loaded. */
export async function pendingApprovals(
  options: PendingApprovalsOptions,
): Promise<readonly PendingApproval[]> {
  assertOptions('pendingApprovals()', options, { journal: 'object!', runId: 'string!' });
  const asked = await askedQuestions(options.journal, options.runId);
  return asked.filter(({ answer }) => answer === undefined).map(({ question }) => question);
}
