import { present } from '../../core/internal/index.ts';
import {
  type BareEvent,
  type CallCommit,
  findRun,
  type JournaledRun,
  type PendingApproval,
  type RunJournal,
  type RunSummary,
  summaryOf,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { EndRow } from '../../record/index.ts';
import type { RunRows } from './run-rows.ts';

/** What a journal lists of a run, but for how it is going. */
type KnownSummary = Omit<RunSummary, 'status' | 'pending' | 'waitsUntilMs'>;

/**
 * What is known of a run whose rows are written by another program now: what its rows say, and what only the list of the journal says, such as
 * the folder and how the run was called.
 *
 * @param listed the run that the list is of. Default: the one with these rows; otherwise one that they were copied from.
 */
export async function knownSummary(
  journal: RunJournal,
  { header, commits, root, interruptions }: RunRows,
  atMs: number,
  { runId }: Pick<JournaledRun, 'runId'> = header,
): Promise<KnownSummary> {
  const found = await findRun(journal, runId);
  const listed: Partial<RunSummary> = found === undefined ? {} : summaryOf(found);
  const {
    status: _status,
    pending: _pending,
    waitsUntilMs: _until,
    interruptions: _interruptions,
    ...known
  } = listed;
  const { promptName, agent, startedAtMs } = header;
  const turns = root.decisions.at(-1)?.turn ?? 0;
  return {
    ...known,
    promptName,
    startedAtMs,
    commits,
    turns,
    updatedAtMs: atMs,
    ...present({ agent, interruptions: interruptions.count === 0 ? undefined : interruptions.count }),
  };
}

/** How a run is that has ended. One that its signal has ended can continue, as one whose process was killed. */
export function statusAfter({ outcome, error }: Pick<EndRow, 'outcome' | 'error'>): RunSummary['status'] {
  return error?.code === 'evaluation-aborted' ? 'running' : outcome;
}

/** What the list says of the questions that a run waits for. */
export function waitingFor(
  questions: readonly Pick<PendingApproval, 'expiresAtMs'>[],
): Pick<RunSummary, 'pending' | 'waitsUntilMs'> {
  const untilMs = Math.max(...questions.map(({ expiresAtMs = Infinity }) => expiresAtMs));
  return {
    pending: questions.length,
    ...present({ waitsUntilMs: Number.isFinite(untilMs) ? untilMs : undefined }),
  };
}

/** What a journal lists of a run, kept up to date while the run continues. */
export class RunSummaryKeeper {
  readonly #clock: Pick<Clock, 'now'>;
  #summary: RunSummary;
  #isCancelled = false;

  /** @param known what the journal lists of the run so far. Default: nothing. */
  constructor(clock: Pick<Clock, 'now'>, known: Partial<RunSummary> = {}) {
    const atMs = clock.now();
    this.#clock = clock;
    this.#summary = {
      promptName: '',
      startedAtMs: atMs,
      turns: 0,
      commits: 0,
      ...known,
      status: 'running',
      pending: 0,
      updatedAtMs: atMs,
    };
  }

  /** The summary for the rows that are written now. */
  current(): RunSummary {
    return { ...this.#summary, updatedAtMs: this.#clock.now() };
  }

  /** Whether the run has ended with an answer. */
  get hasAnswer(): boolean {
    return this.#summary.status === 'finished';
  }

  /** The run is ended for good, unless it has its answer. */
  cancelled(): void {
    this.#isCancelled = true;
    this.#summary = { ...this.#summary, status: 'cancelled', pending: 0 };
  }

  /** The folder that the run works on; undefined: none. */
  works(workspace: string | undefined): void {
    if (workspace !== undefined) this.#summary = { ...this.#summary, workspace };
  }

  /** The run ends with questions. */
  waits(questions: readonly Pick<PendingApproval, 'expiresAtMs'>[]): void {
    this.#summary = { ...this.#summary, ...waitingFor(questions) };
  }

  committed({ seq }: CallCommit): void {
    if (seq !== undefined) this.#summary = { ...this.#summary, commits: seq };
  }

  on(event: BareEvent): void {
    switch (event.type) {
      case 'run-start': {
        const { promptName, agent, isToolRuntime } = event;
        this.#summary = { ...this.#summary, promptName, ...present({ agent, isToolRuntime }) };
        break;
      }
      case 'turn-start':
        this.#summary = { ...this.#summary, turns: event.turn };
        break;
      case 'tool-call-start':
        // The turns of a tool runtime have no other beginning.
        this.#summary = { ...this.#summary, turns: Math.max(event.turn, this.#summary.turns) };
        break;
      case 'run-end': {
        this.#summary = { ...this.#summary, status: this.#statusAfter(event) };
        break;
      }
      default:
        break;
    }
  }
  #statusAfter(event: Extract<BareEvent, { readonly type: 'run-end' }>): RunSummary['status'] {
    const isToolRuntime = this.#summary.isToolRuntime === true;
    if (this.#isCancelled && (isToolRuntime || event.outcome !== 'finished')) return 'cancelled';
    return isToolRuntime ? event.outcome : statusAfter(event);
  }
}
