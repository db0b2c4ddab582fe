import { RunRefusedError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { findRun, type RunSummary, summaryOf } from '../../core/runtime/index.ts';
import { type LifeRow, lineOf } from '../../record/index.ts';
import { type RunAppendOptions, runAppender } from '../rows/journal-writer.ts';
import type { RunRows } from '../rows/run-rows.ts';
import { knownSummary } from '../rows/run-summary.ts';

/** What a {@link RunLife} is written with. */
export interface RunLifeOptions extends Omit<RunAppendOptions, 'rows' | 'summary'> {
  readonly rows: RunRows;
  /** How often in succession the process may end outside of calls without a new decision. */
  readonly maxInterruptions: number;
}

/**
 * What one process does for a run that another one began. Its beginning is durable before anything is done, so that its end is noticed whatever ends it.
 *
 * @see docs/spec/durable-runs.md §13
 */
export class RunLife {
  readonly #options: RunLifeOptions;
  readonly #listed: RunSummary;

  private constructor(options: RunLifeOptions, listed: RunSummary) {
    this.#options = options;
    this.#listed = listed;
  }

  /**
   * A life begins. The journal lists the run as before until it continues from its rows.
   *
   * @throws {RunRefusedError} `run-interrupted-repeatedly`, and nothing is written.
   * @throws {RunLostError}
   */
  static async begin(options: RunLifeOptions): Promise<RunLife> {
    const { journal, runId, clock, rows } = options;
    const atMs = clock.now();
    const found = await findRun(journal, runId);
    const listed: RunSummary =
      found === undefined
        ? { ...(await knownSummary(journal, rows, atMs)), status: 'running', pending: 0 }
        : summaryOf(found);
    const life = new RunLife(options, listed);
    await life.#add('begun', atMs);
    return life;
  }

  /** The life ends although the run has not gone on from its rows: it was not interrupted. Never rejects. */
  async leave(): Promise<void> {
    const { journal, runId, clock, rows } = this.#options;
    try {
      for (const { line } of await journal.read(runId, rows.count)) rows.add(line);
      await this.#add('over', clock.now());
    } catch {
      // Then it counts as interrupted.
    }
  }

  async #add(kind: LifeRow['kind'], atMs: number): Promise<void> {
    const { rows, maxInterruptions, ...options } = this.#options;
    const current = (): RunSummary => {
      const { count } = rows.interruptions;
      const interruptions = count === 0 ? undefined : count;
      return { ...this.#listed, updatedAtMs: atMs, ...present({ interruptions }) };
    };
    const { writer } = runAppender({ ...options, rows, summary: { current } });
    const row: LifeRow = {
      type: 'life',
      must: true,
      t: Math.max(0, atMs - rows.header.startedAtMs),
      atMs,
      kind,
    };
    const line = lineOf(row);
    writer.add(line, row.type);
    rows.add(line);
    const { countWithoutProgress } = rows.interruptions;
    if (kind === 'begun' && countWithoutProgress >= maxInterruptions)
      throw interruptedError(rows, countWithoutProgress);
    await writer.flush();
  }
}

function interruptedError({ header: { runId }, interruptions }: RunRows, times: number): RunRefusedError {
  const often = times === 1 ? 'once' : `${times} times in succession`;
  return new RunRefusedError(
    'run-interrupted-repeatedly',
    `The run "${runId}" cannot be resumed: its process has ended ${often} outside of its calls, and nothing was decided in between. Find out what ends it: the adapter, a policy, a renderer or another function of the program. Then resume it with a larger limits.maxInterruptions, which is ${times} or less now.`,
    { details: { runId, interruptions: interruptions.count } },
  );
}
