import { assertOptions, keptName, PromptValidationError, required } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { findRun, type RunJournal, type RunLease, type RunSummary } from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { assertQueue, keptJob, type RunQueue } from '../queue/index.ts';
import { assertNotCancelled } from '../rows/cancellation.ts';
import { appendRows, withLease } from '../rows/journal-writer.ts';
import { isExpired } from '../rows/recorded-answers.ts';
import { type RunRows, readRunRows } from '../rows/run-rows.ts';
import { knownSummary, statusAfter, waitingFor } from '../rows/run-summary.ts';
import { whyWithoutEffect } from '../run/question-runs.ts';

/** The answer to a question of a suspended run. */
export interface ResumeAnswer {
  /** Of the question. */
  readonly id: string;
  /** Of the question: an answer to something else is refused. */
  readonly digest: string;
  readonly approved: boolean;
  /** Who answers. Default: not said. */
  readonly by?: string;
  /** What the model reads when it is a no. Default: that it was not approved. */
  readonly note?: string;
}

/** Options of {@link answerApprovals}. */
export interface AnswerApprovalsOptions {
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
  /** Answers to open questions of the run, at least one, and one for each question. */
  readonly answers: readonly ResumeAnswer[];
  /** Sends the job of the run to its workers once no question is left, after the answers are kept. Only for a run that a worker has begun. Default: the caller resumes the run. */
  readonly queue?: RunQueue;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** See on-demand.ts, through which it is loaded. */
export async function answerApprovals(options: AnswerApprovalsOptions): Promise<void> {
  assertOptions('answerApprovals()', options, {
    journal: 'object!',
    runId: required(keptName),
    answers: 'array!',
    queue: 'object',
    clock: 'object',
  });
  const { journal, runId, answers, queue, clock = systemClock } = options;
  const { header } = readRunRows(runId, await journal.read(runId));
  if (header.toolRuntime === true) {
    const asked = { runId, sessionId: header.sessionId };
    const why = await whyWithoutEffect(asked, async (name) => (await findRun(journal, name))?.status);
    if (why !== undefined)
      throw new PromptValidationError(`The answer is refused: ${why}`, { details: { runId } });
  }
  const send = queue === undefined ? undefined : await sender(journal, runId, queue);
  await withLease(journal, header.sessionId, async (lease) => {
    const rows = readRunRows(runId, await journal.read(runId));
    await assertNotCancelled({ journal, runId, clock }, lease, rows);
    await appendAnswers({ journal, runId, answers, clock }, lease, rows);
  });
  await send?.();
}

/** Sends the job of a run when it can continue. @throws {PromptValidationError} for a run that no worker has begun. */
async function sender(journal: RunJournal, runId: string, queue: RunQueue): Promise<() => Promise<void>> {
  assertQueue('answerApprovals()', queue);
  const run = await findRun(journal, runId);
  const job = run === undefined ? undefined : keptJob(run);
  if (job === undefined) {
    throw new PromptValidationError(
      `No worker has begun the run "${runId}", so there is not a job to send: leave out queue, and resume the run.`,
      { details: { option: 'queue', runId } },
    );
  }
  return async () => {
    if ((await findRun(journal, runId))?.isReady === true) await queue.send(job);
  };
}

/** {@link answerApprovals} for the owner of the session. */
export async function appendAnswers(
  { journal, runId, answers, clock }: AnswerApprovalsOptions & { readonly clock: Pick<Clock, 'now'> },
  lease: RunLease,
  rows: RunRows,
): Promise<void> {
  const atMs = clock.now();
  const fresh = checked(answers, rows, runId, atMs);
  if (fresh.length === 0) return;
  const open = rows.pending.filter(
    (id) => !rows.answers.has(id) && !fresh.some((answer) => answer.id === id),
  );
  const questions = open.flatMap((id) => rows.questions.get(id) ?? []);
  const isSuspended = rows.end?.outcome === 'suspended';
  const summary: RunSummary = {
    ...(await knownSummary(journal, rows, atMs)),
    // An answer to a run that continued and was cut off is kept, and the run is not suspended for that.
    ...(isSuspended
      ? { status: 'suspended', ...waitingFor(questions) }
      : { status: rows.end === undefined ? 'running' : statusAfter(rows.end), pending: 0 }),
  };
  const current = (): RunSummary => summary;
  await appendRows({ journal, lease, runId, clock, rows, summary: { current } }, (recorder) => {
    for (const { id, digest, approved, by, note } of fresh) {
      const said = present({ by, note });
      recorder.add((part) => ({ type: 'answer', ...part, id, digest, approved, atMs, ...said }));
    }
  });
}

/** The answers that are not kept yet. @throws {PromptValidationError} */
function checked(
  answers: readonly ResumeAnswer[],
  rows: RunRows,
  runId: string,
  nowMs: number,
): readonly ResumeAnswer[] {
  const fresh = new Map<string, ResumeAnswer>();
  for (const answer of answers) {
    assertOptions('answers', answer, {
      id: 'string!',
      digest: 'string!',
      approved: 'boolean!',
      by: 'string',
      note: 'string',
    });
    const { id, approved } = answer;
    const refuse = (why: string): PromptValidationError =>
      new PromptValidationError(`The answer to "${id}" is refused: ${why}`, { details: { runId, id } });
    const isOver = rows.end?.outcome === 'finished' && !rows.answers.has(id);
    const question = !isOver && rows.pending.includes(id) ? rows.questions.get(id) : undefined;
    if (question === undefined) throw refuse(whyUnknown(id, rows, runId));
    if (answer.digest !== question.digest) {
      throw refuse(
        `its digest is not that of the question "${question.reason}", so it answers something else. Show the question again and answer what it says now.`,
      );
    }
    const known = rows.answers.get(id) ?? fresh.get(id);
    if (known !== undefined && known.approved !== approved)
      throw refuse(`it was answered with ${known.approved ? 'yes' : 'no'} before, and that is final.`);
    if (known !== undefined) continue;
    if (isExpired(question, nowMs)) throw refuse('the question has expired, and the call is denied.');
    fresh.set(id, answer);
  }
  return [...fresh.values()];
}

function whyUnknown(id: string, { end, pending, questions }: RunRows, runId: string): string {
  if (end?.outcome === 'finished') return `the run "${runId}" has its answer, so nothing waits for this.`;
  if (questions.has(id)) return `the run "${runId}" does not ask this any more.`;
  const open = pending.map((each) => `"${each}"`).join(', ');
  return `the run "${runId}" has not asked this.${open === '' ? ' It waits for no answer.' : ` Its open questions are ${open}.`}`;
}
