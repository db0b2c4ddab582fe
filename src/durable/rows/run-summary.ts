import { present } from '../../core/internal/index.ts';
import {
  type BareEvent,
  type CallCommit,
  findRun,
  type JournaledRun,
  type RunJournal,
  type RunSummary,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { EndRow } from '../../record/index.ts';
import type { RunRows } from './run-rows.ts';

/** What a journal lists of a run, but for how it is going. */
type KnownSummary = Omit<RunSummary, 'status' | 'pending'>;

/**
 * What is known of a run whose rows are written by another program now: what its rows say, and what only the list of the journal says, such as
 * the folder and how the run was called.
 *
 * @param listed the run that the list is of: the one with these rows, or the one that they were copied from.
 */
export async function knownSummary(
  journal: RunJournal,
  { runId }: Pick<JournaledRun, 'runId'>,
  { header, commits, root }: RunRows,
  atMs: number,
): Promise<KnownSummary> {
  const found = await findRun(journal, runId);
  const { promptName, agent, startedAtMs } = header;
  const turns = root.decisions.at(-1)?.turn ?? 0;
  return {
    ...(found === undefined ? {} : withoutKeys(found)),
    promptName,
    startedAtMs,
    commits,
    turns,
    updatedAtMs: atMs,
    ...present({ agent }),
  };
}

function withoutKeys({
  runId: _run,
  sessionId: _session,
  rows: _rows,
  status: _status,
  pending: _pending,
  ...summary
}: JournaledRun): KnownSummary {
  return summary;
}

/** How a run is that has ended. One that its signal has ended can go on, as one whose process was killed. */
export function statusAfter({ outcome, error }: Pick<EndRow, 'outcome' | 'error'>): RunSummary['status'] {
  return error?.code === 'evaluation-aborted' ? 'running' : outcome;
}

/** What a journal lists of a run, kept up to date while the run goes on. */
export class RunSummaryKeeper {
  readonly #clock: Pick<Clock, 'now'>;
  #summary: RunSummary;

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

  /** The folder that the run works on; undefined: none. */
  works(workspace: string | undefined): void {
    if (workspace !== undefined) this.#summary = { ...this.#summary, workspace };
  }

  /** The run ends with so many questions. */
  waits(pending: number): void {
    this.#summary = { ...this.#summary, pending };
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
        const status = this.#summary.isToolRuntime === true ? event.outcome : statusAfter(event);
        this.#summary = { ...this.#summary, status };
        break;
      }
      default:
        break;
    }
  }
}
