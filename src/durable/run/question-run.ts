import { none } from '../../core/internal/index.ts';
import type { BareEvent, OpenQuestion, RunEvent, RunJournal, RunSummary } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { Recorder } from '../../record/index.ts';
import { JournalWriter } from '../rows/journal-writer.ts';
import { readRunRows } from '../rows/run-rows.ts';
import { knownSummary, RunSummaryKeeper } from '../rows/run-summary.ts';

/** A run that is one question, and has a session of its own with the same name. */
interface QuestionRun {
  readonly journal: RunJournal;
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** A question that is to be kept. */
export interface NewQuestion extends QuestionRun {
  readonly question: OpenQuestion;
  /** The beginning of the run whose call asks. */
  readonly start: Extract<RunEvent, { readonly type: 'run-start' }>;
  /** The folder that this run works on; undefined: none. */
  readonly workspace: string | undefined;
}

/** Keeps a question as a run that is suspended with it. */
export async function appendQuestion(options: NewQuestion): Promise<void> {
  const { journal, runId, clock, question, start, workspace } = options;
  const summary = new RunSummaryKeeper(clock);
  summary.works(workspace);
  summary.waits(1);
  await writeRows({ journal, runId, rows: 0, summary: () => summary.current() }, (write, onFailure) => {
    const recorder = new Recorder({
      write,
      runId,
      clock,
      onFailure,
      maxContentBytes: Infinity,
      marksDeliveries: true,
    });
    const place = { evaluationId: start.evaluationId, path: none };
    const emit = (event: BareEvent): void => {
      summary.on(event);
      recorder.onEvent({ ...event, ...place }, place);
    };
    emit({ ...start, sessionId: runId });
    recorder.suspend([question]);
    emit({ type: 'run-end', outcome: 'suspended', turns: 0, usage: {} });
  });
}

/**
 * Ends the wait for an answer.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 * @throws {SessionBusyError} while someone answers.
 */
export async function closeQuestion({ journal, runId, clock }: QuestionRun): Promise<void> {
  const rows = readRunRows(runId, await journal.read(runId));
  const atMs = clock.now();
  const known = await knownSummary(journal, { runId }, rows, atMs);
  const summary: RunSummary = { ...known, status: 'finished', pending: 0 };
  await writeRows({ journal, runId, rows: rows.count, summary: () => summary }, (write, onFailure) => {
    const recorder = new Recorder({ write, runId, clock, onFailure });
    recorder.continueAfter({ ...rows, blobs: rows.blobs.keys() });
    recorder.add((part) => ({ type: 'end', ...part, outcome: 'finished', turns: 0, usage: {} }));
  });
}

interface WrittenRun {
  readonly journal: RunJournal;
  readonly runId: string;
  /** How many rows it has. */
  readonly rows: number;
  readonly summary: () => RunSummary;
}

async function writeRows(
  { journal, runId, rows, summary }: WrittenRun,
  make: (write: (line: string, type: string) => void, onFailure: (error: unknown) => void) => void,
): Promise<void> {
  const lease = await journal.acquire(runId);
  try {
    const writer = new JournalWriter({
      journal,
      lease,
      runId,
      rows,
      summary,
      onLost: () => undefined,
    });
    let failure: { readonly error: unknown } | undefined;
    make(
      (line, type) => writer.add(line, type),
      (error) => {
        failure = { error };
      },
    );
    // A question without one of its rows could not be answered.
    if (failure !== undefined) throw failure.error;
    await writer.flush();
  } finally {
    await lease.release();
  }
}
