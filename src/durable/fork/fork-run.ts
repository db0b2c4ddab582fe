import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { type Clock, type IdSource, randomIds, systemClock } from '../../core/session/index.ts';
import { appendRows, knownSummary, withLease } from '../rows/journal-writer.ts';
import { readRunRows } from '../rows/run-rows.ts';
import { commitOf, rowsUntil } from './fork-rows.ts';

/** Options of {@link forkRun}. */
export interface ForkRunOptions {
  readonly journal: RunJournal;
  /** The run to fork; it may be going on. */
  readonly runId: string;
  /**
   * The last commit that the new run has: its number, where 0 is before anything was decided, or the id of its call, as records name it. A call inside another one is for the commit of
   * the outer one.
   */
  readonly at: number | string;
  /** Name of the new run. Default: a random one. */
  readonly newRunId?: string;
  /** Makes names. Default: random ones. */
  readonly ids?: IdSource;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** A run that {@link forkRun} has begun. */
export interface ForkedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** The number of its last commit. */
  readonly seq: number;
}

/** See on-demand.ts, through which it is loaded. */
export async function forkRun(options: ForkRunOptions): Promise<ForkedRun> {
  assertOptions('forkRun()', options, {
    at: 'any',
    journal: 'object!',
    runId: 'string!',
    newRunId: 'string',
    ids: 'function',
    clock: 'object',
  });
  const { journal, runId, at, ids = randomIds, clock = systemClock } = options;
  const rows = await journal.read(runId);
  const { header, record } = readRunRows(runId, rows);
  if (header.redacted) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be forked: its rows were redacted, so they are not what it did.`,
      { details: { runId } },
    );
  }
  if (header.toolRuntime === true) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be forked: it is that of a tool runtime, and the loop around its calls is not in the journal. "wink rewind" takes its calls back.`,
      { details: { runId } },
    );
  }
  const seq = commitOf(runId, record(), at, 'forked');
  const fork: ForkedRun = { runId: options.newRunId ?? ids(), sessionId: ids(), seq };
  if ((await journal.read(fork.runId)).length > 0) {
    throw new PromptValidationError(
      `The journal has a run "${fork.runId}" already: choose another name for the fork.`,
      { details: { option: 'newRunId' } },
    );
  }
  const lines = rowsUntil(rows, { ...fork, base: { runId, seq } });
  const copied = lines.map(({ type, line }, number) => ({ seq: number, type, line }));
  const copy = readRunRows(fork.runId, copied);
  const known = await knownSummary(journal, copy, clock.now(), header);
  const summary = { current: () => ({ ...known, status: 'running', pending: 0 }) as const };
  await withLease(journal, fork.sessionId, (lease) =>
    appendRows(
      { journal, lease, runId: fork.runId, clock, rows: undefined, summary },
      (_recorder, writer) => {
        for (const { type, line } of copied) writer.add(line, type);
      },
    ),
  );
  return fork;
}
