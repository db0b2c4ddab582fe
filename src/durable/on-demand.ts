import type { RunOutcome } from '../core/evaluation/index.ts';
import type { Filesystem, OutsideChange } from '../core/filesystem/index.ts';
import type { Approver, PendingApproval, RunJournal } from '../core/runtime/index.ts';
import type { AnswerApprovalsOptions } from './approvals/answer-approvals.ts';
import type { PendingApprovalsOptions } from './approvals/asked-questions.ts';
import type { CancelRunOptions } from './cancel-run.ts';
import type { ContinueExtras, EnsureRunOptions } from './ensure-run.ts';
import type { ForkedRun, ForkRunOptions } from './fork/fork-run.ts';
import type { ResumeRunOptions } from './resume-run.ts';
import type { SayToRunOptions } from './say-to-run.ts';

// The rest is loaded with the first use: most programs that import the library have no journal. Each function names what it takes,
// so that a bundler leaves out the others.

/**
 * Keeps answers to the questions of a suspended run, which `resumeRun` then continues with. A question is answered once; the same answer again changes nothing.
 *
 * @throws {PromptValidationError} for a run that the journal does not have, and for an answer to a question that the run did not ask, whose digest is of something else,
 *   that has expired, or that was answered otherwise: none of the answers is kept then.
 * @throws {SessionBusyError} while a process has the run.
 * @throws {RunLostError} when the journal has failed.
 * @throws what the `queue` throws, once the answers are kept: giving them again sends the job.
 * @see docs/spec/durable-runs.md §6
 */
export async function answerApprovals(options: AnswerApprovalsOptions): Promise<void> {
  const { answerApprovals: run } = await import('./internal.ts');
  return run(options);
}

/**
 * Ends a run for good, from any process: nothing continues it any more, also when its job is delivered again. Unlike an aborted signal, which only interrupts it, this is a row of the run.
 *
 * Resolves when that is durable. A process that has the run ends it with its next row, or when it renews its lease; in this process at once. Its evaluation rejects with the code
 * `evaluation-cancelled`, and open calls end as when they are aborted. `forkRun` takes over what the run did. Cancelling it twice does nothing. A run that gets its answer at the same time
 * may keep it.
 *
 * @throws {RunRefusedError} `run-ended` for a run that has its answer.
 * @throws {PromptValidationError} for a run that the journal does not have, without a `queue`, and for an option of the wrong kind.
 * @throws {SessionBusyError} with a `queue`, while a process is about to begin the run: cancel it again.
 * @throws {RunLostError} when the journal has failed.
 * @see docs/spec/durable-runs.md §12
 */
export async function cancelRun(options: CancelRunOptions): Promise<void> {
  const { cancelRun: run } = await import('./internal.ts');
  return run(options);
}

/**
 * Begins a run, continues it, or says how it has ended: for a job that is delivered at least once. A run that the journal does not have begins. One that was interrupted, has failed
 * or has answers to its questions continues, as by `resumeRun`. One that waits for answers returns its questions again, and one that has its answer returns it, without a model being
 * asked. Without a `session` these two are made from the last rows, and observers get nothing.
 *
 * ```ts
 * import { ensureRun, promptTemplate, section } from 'weakincentives';
 * import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }).bind();
 * const job = { adapter: scriptedAdapter([{ text: 'Hello.' }]), prompt, journal: memoryJournal(), runId: 'job-1' };
 * await ensureRun(job);
 * const again = await ensureRun(job);
 * console.log(again.finishReason === 'suspended' ? again.pending : again.text); // Hello.
 * ```
 *
 * @throws {RunRefusedError} `run-known-otherwise` for a run that began with another prompt, other params or another `input`; `run-cancelled`; and as `resumeRun`.
 * @throws {SessionBusyError} while another process has the run: deliver the job again later.
 * @throws as `evaluate` of the adapter and `resumeRun`.
 * @see docs/spec/durable-runs.md §12
 */
export async function ensureRun<Output, A extends Approver = Approver>(
  options: EnsureRunOptions<Output, A>,
): Promise<RunOutcome<Output, A>> {
  const { ensureRun: run } = await import('./internal.ts');
  return run(options);
}

/**
 * Begins a run that has the rows of another one up to a commit, under a name and with a session of its own; `resumeRun` continues it, also with another model. Calls
 * that were not committed by then are made again, also those of the same turn and those whose effects are outside. The other run is not changed.
 *
 * Files in memory become what they were after the commit when the fork is resumed. Files on a disk are as they are: give the fork a folder that is as it was then.
 *
 * @throws {PromptValidationError} for a run, a commit or a call that the journal does not have, for a call that was not committed, for a name that is taken, for rows that were
 *   redacted, for the run of a tool runtime, and for an option of the wrong kind.
 * @throws {RunLostError} when the journal has failed.
 * @see docs/spec/durable-runs.md §9
 */
export async function forkRun(options: ForkRunOptions): Promise<ForkedRun> {
  const { forkRun: run } = await import('./internal.ts');
  return run(options);
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
  const { pendingApprovals: run } = await import('./internal.ts');
  return run(options);
}

/**
 * Continues a run that was interrupted, or that ended without an answer: takes what it did from the rows of its journal, without asking the
 * model or running a handler again, and continues after the last one. A run that has its answer returns it again.
 *
 * Functions cannot be compared: give the same prompt, params, resources, options and files in memory that the run began with. Files on a disk, and resources
 * outside of the process, are as the run left them.
 *
 * @returns the response, or the questions that the run waits for: those that `answers` leaves open, and new ones. A function as `approve` rules that out.
 * @throws {PromptValidationError} for a run that the journal does not have, for one whose rows were redacted, for that of a tool runtime, for one whose prompt has changed with `strict`, for an answer that `answerApprovals` refuses, and for
 *   an option out of its range.
 * @throws {SnapshotError} as `Session.importState`, when items of a slice that has another version now cannot be migrated. Nothing is written then.
 * @throws {SessionBusyError} while another process has the run.
 * @throws {PromptEvaluationError} when the run ends early; code `evaluation-diverged` when it does not ask for what its rows have.
 * @throws {RunLostError} when the journal, or a disk after a decision, has failed.
 * @see docs/spec/durable-runs.md §4
 */
export async function resumeRun<Output, A extends Approver = Approver>(
  options: ResumeRunOptions<Output, A>,
): Promise<RunOutcome<Output, A>> {
  const { resumeRun: run } = await import('./internal.ts');
  return run(options);
}

/**
 * Says something to the model of a run, from any process. The owner of the run takes it before the next turn of the run, together with its row: once, and never between a call and its result, nor before a turn that
 * continues a paused one. What an abort or a kill comes before is taken when the run is resumed; a suspended run takes it once it has its answers. Said during the last answer, the run continues, where its
 * limits leave it another turn. It interrupts neither a call nor an answer: `cancelRun` does. Evaluations inside calls do not get it.
 *
 * Resolves when the message is durable. A message whose run ends at the same time waits, and `resumeRun` continues the run with it.
 *
 * ```ts
 * import { ensureRun, promptTemplate, sayToRun, section } from 'weakincentives';
 * import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Paint the house.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'painter', sections: [task] }).bind();
 * const journal = memoryJournal();
 * const adapter = scriptedAdapter(async (conversation, { turn }) => {
 *   // Somewhere else, while the model answers.
 *   if (turn === 1) await sayToRun({ journal, runId: 'house', input: 'Use blue.', by: 'ann' });
 *   return { text: JSON.stringify(conversation).includes('blue') ? 'It is blue.' : 'It is red.' };
 * });
 * const run = await ensureRun({ adapter, prompt, journal, runId: 'house' });
 * console.log(run.finishReason === 'suspended' ? run.pending : run.text); // It is blue.
 * ```
 *
 * @returns the name of the message, and how many wait for the run: 0 when one of this name was taken before and the run has ended.
 * @throws {RunRefusedError} `run-ended` for a run that has its answer or has failed: continue it by `input` of `resumeRun`; `run-cancelled`; `run-has-no-model` for that of a tool runtime; `run-inbox-full` when 100
 *   messages wait.
 * @throws {PromptValidationError} for a run that the journal does not have, an `input` that is empty, no input or longer than 20,000 characters, and an option of the wrong kind.
 * @see docs/spec/durable-runs.md §19
 */
export async function sayToRun(
  options: SayToRunOptions,
): Promise<{ readonly id: string; readonly waiting: number }> {
  const { sayToRun: run } = await import('./internal.ts');
  return run(options);
}

/** As {@link ensureRun}, for a run that the journal has. */
export async function continueRun<Output>(
  options: EnsureRunOptions<Output>,
  extras?: ContinueExtras,
): Promise<RunOutcome<Output, Approver>> {
  const { continueRun: run } = await import('./internal.ts');
  return run(options, extras);
}

/** The files that a run has changed in memory and another process has changed on disk since, which the run would replace when it writes them. */
export async function changedMeanwhile(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
): Promise<readonly OutsideChange[]> {
  const { changedMeanwhile: compare } = await import('./internal.ts');
  return compare(journal, runId, filesystem);
}
