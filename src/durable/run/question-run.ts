import { none } from '../../core/internal/index.ts';
import type { BareEvent, OpenQuestion, RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { appendRows, knownSummary, RunSummaryKeeper, withLease } from '../rows/journal-writer.ts';
import { readRunRows } from '../rows/run-rows.ts';
import type { RunStart } from './run-reports.ts';

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
  readonly start: RunStart;
  /** The folder that this run works on; undefined: none. */
  readonly workspace: string | undefined;
}

/** Keeps a question as a run that is suspended with it. */
export async function appendQuestion(options: NewQuestion): Promise<void> {
  const { journal, runId, clock, question, start, workspace } = options;
  const summary = new RunSummaryKeeper(clock);
  summary.works(workspace);
  summary.waits(1);
  await withLease(journal, runId, (lease) =>
    appendRows({ journal, lease, runId, clock, rows: undefined, summary }, (recorder) => {
      const place = { evaluationId: start.evaluationId, path: none };
      const emit = (event: BareEvent): void => {
        summary.on(event);
        recorder.onEvent({ ...event, ...place }, place);
      };
      emit({ ...start, sessionId: runId });
      recorder.suspend([question]);
      emit({ type: 'run-end', outcome: 'suspended', turns: 0, usage: {} });
    }),
  );
}

/**
 * Ends the wait for an answer.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 * @throws {SessionBusyError} while someone answers.
 */
export async function closeQuestion({ journal, runId, clock }: QuestionRun): Promise<void> {
  const rows = readRunRows(runId, await journal.read(runId));
  const known = await knownSummary(journal, rows, clock.now());
  const summary = { current: () => ({ ...known, status: 'finished', pending: 0 }) as const };
  await withLease(journal, runId, (lease) =>
    appendRows({ journal, lease, runId, clock, rows, summary }, (recorder) =>
      recorder.add((part) => ({ type: 'end', ...part, outcome: 'finished', turns: 0, usage: {} })),
    ),
  );
}
