import { SessionBusyError } from '../../core/error/index.ts';
import { none } from '../../core/internal/index.ts';
import type {
  BareEvent,
  JournaledRun,
  OpenQuestion,
  PendingApproval,
  RunJournal,
  RunLease,
  RunSummary,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { AnswerRow } from '../../record/index.ts';
import { appendRows } from '../rows/journal-writer.ts';
import { readRunRows } from '../rows/run-rows.ts';
import { knownSummary, RunSummaryKeeper } from '../rows/run-summary.ts';
import type { RunStart } from './run-reports.ts';

/** A question of a tool runtime, as its run has it. */
export interface KeptQuestion {
  readonly runId: string;
  readonly question: Pick<PendingApproval, 'expiresAtMs'>;
  /** Undefined: it waits for one. */
  readonly answer: Pick<AnswerRow, 'approved' | 'note'> | undefined;
}

/** A question that is to be kept. */
interface NewQuestion {
  readonly runId: string;
  readonly sessionId: string;
  readonly question: OpenQuestion;
  /** The beginning of the run whose call asks. */
  readonly start: RunStart;
  /** The folder that this run works on; undefined: none. */
  readonly workspace: string | undefined;
}

/** What {@link QuestionRuns} work with. */
interface QuestionRunsOptions {
  readonly journal: RunJournal;
  readonly clock: Clock;
}

/** How often a lease is asked for that another process holds: those who ask, answer or take an answer hold it for a few appends. */
const maxTries = 60;
const retryAfterMs = 50;

/** The last part of the name of a question, after that of the run whose call asked. */
const questionSuffix = /\.ask-\d+$/;

/** How the sessions begin whose questions outlive their runtime. */
const lastingPrefix = 'ask-';

/**
 * The session of questions about the same.
 *
 * @param about hash of what is asked, and of what that depends on.
 * @param runId of the run that the question ends with; undefined: it outlives it.
 */
export function questionSession(about: string, runId: string | undefined): string {
  return runId === undefined ? `${lastingPrefix}${about}` : `${runId}.${lastingPrefix}${about}`;
}

/** The name of a question of a run. @param number from 1. */
export function questionName(runId: string, number: number): string {
  return `${runId}.ask-${number}`;
}

/** The run whose call asked a question; undefined for a run that is not a question of a tool runtime. */
export function askerOf({ runId }: { readonly runId: string }): string | undefined {
  return questionSuffix.test(runId) ? runId.replace(questionSuffix, '') : undefined;
}

/** Whether a question of a tool runtime outlives it, so that another one takes its answer. */
export function isLasting({ sessionId }: { readonly sessionId: string }): boolean {
  return sessionId.startsWith(lastingPrefix);
}

/**
 * The questions of tool runtimes in a journal, each a suspended run. All that ask the same are in one session, so that they are found without reading others, and its lease decides between
 * processes: one asks at a time, and one takes the answer.
 *
 * @see docs/spec/durable-runs.md §11
 */
export class QuestionRuns {
  readonly #options: QuestionRunsOptions;
  /** The last piece of work on each session in this process. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(options: QuestionRunsOptions) {
    this.#options = options;
  }

  /** The question of a session that has not ended; undefined: there is none. */
  async find(sessionId: string): Promise<KeptQuestion | undefined> {
    const { journal } = this.#options;
    const runs = await journal.runs({ sessionId, status: 'suspended' });
    for (const run of runs) {
      // A journal that does not know the filter returns others, too.
      if (run.sessionId !== sessionId || run.status !== 'suspended') continue;
      const kept = await this.#read(run.runId);
      if (kept !== undefined) return kept;
    }
    return undefined;
  }

  /** Keeps a question as a run that is suspended with it. @throws {RunLostError} */
  async append(
    { runId, sessionId, question, start, workspace }: NewQuestion,
    lease: RunLease,
  ): Promise<void> {
    const { journal, clock } = this.#options;
    const summary = new RunSummaryKeeper(clock);
    summary.works(workspace);
    summary.waits([question.pending]);
    await appendRows({ journal, lease, runId, clock, rows: undefined, summary }, (recorder) => {
      const place = { evaluationId: start.evaluationId, path: none };
      const emit = (event: BareEvent): void => {
        summary.on(event);
        recorder.onEvent({ ...event, ...place }, place);
      };
      emit({ ...start, sessionId });
      recorder.suspend([question]);
      emit({ type: 'run-end', outcome: 'suspended', turns: 0, usage: {} });
    });
  }

  /** Ends a question. @returns false when it has ended already, or was removed. */
  close(runId: string, lease: RunLease): Promise<boolean> {
    return this.#end(runId, lease, 'suspended', 'finished');
  }

  /** Takes back that a question has ended: its answer counts again. @returns false when it was removed. */
  reopen(runId: string, lease: RunLease): Promise<boolean> {
    return this.#end(runId, lease, 'finished', 'suspended');
  }

  /**
   * Holds a session while `work` continues. What this process does with one session is done in order; another process is waited for, for some seconds.
   *
   * @throws {SessionBusyError} when another process holds it for longer.
   */
  async hold<T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    work: (lease: RunLease) => Promise<T>,
  ): Promise<T> {
    const before = this.#last.get(sessionId);
    const done = (async (): Promise<T> => {
      await before?.catch(() => undefined);
      const lease = await this.#acquire(sessionId, signal);
      try {
        return await work(lease);
      } finally {
        await lease.release();
      }
    })();
    this.#last.set(sessionId, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(sessionId) === done) this.#last.delete(sessionId);
    }
  }

  async #acquire(sessionId: string, signal: AbortSignal | undefined): Promise<RunLease> {
    const { journal, clock } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await journal.acquire(sessionId);
      } catch (error) {
        if (!SessionBusyError.isInstance(error) || tries >= maxTries || signal?.aborted === true) throw error;
        await new Promise<void>((resolve) => clock.schedule(retryAfterMs, resolve));
      }
    }
  }

  /** Undefined: it was removed, or has no question. */
  async #read(runId: string): Promise<KeptQuestion | undefined> {
    const rows = await this.#options.journal.read(runId);
    if (rows.length === 0) return undefined;
    const { answers, pending, questions } = readRunRows(runId, rows);
    const question = questions.get(pending[0] ?? '');
    return question === undefined ? undefined : { runId, question, answer: answers.get(question.id) };
  }

  async #end(
    runId: string,
    lease: RunLease,
    from: 'suspended' | 'finished',
    outcome: 'suspended' | 'finished',
  ): Promise<boolean> {
    const { journal, clock } = this.#options;
    const written = await journal.read(runId);
    if (written.length === 0) return false;
    const rows = readRunRows(runId, written);
    if (rows.end?.outcome !== from) return false;
    const known = await knownSummary(journal, rows, clock.now());
    const current = (): RunSummary => ({ ...known, status: outcome, pending: 0 });
    await appendRows({ journal, lease, runId, clock, rows, summary: { current } }, (recorder) =>
      recorder.add((part) => ({ type: 'end', ...part, outcome, turns: 0, usage: {} })),
    );
    return true;
  }
}

/**
 * Why an answer to a question of a tool runtime would have no effect; undefined: it may have one.
 *
 * @param statusOf how a run is; undefined for one that the journal does not have.
 */
export async function whyWithoutEffect(
  run: { readonly runId: string; readonly sessionId: string },
  statusOf: (runId: string) => Promise<JournaledRun['status'] | undefined>,
): Promise<string | undefined> {
  const asker = askerOf(run);
  if (asker === undefined || isLasting(run) || (await statusOf(asker)) === 'running') return undefined;
  return `the tool runtime "${asker}" that asked has ended, and its questions with it. Make the call again in another one, which asks anew.`;
}
