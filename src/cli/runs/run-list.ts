import { escapeInvisible } from '../../core/internal/index.ts';
import type { JournaledRun } from '../../core/runtime/index.ts';
import { printable, readableTime } from '../process/plain-text.ts';

const heads = ['run', 'status', 'updated', 'turns', 'commits', 'pending', 'agent', 'folder'] as const;

/** A table of runs, one line each, below a line of heads. */
export function formatRunList(runs: readonly JournaledRun[]): readonly string[] {
  const rows = [heads, ...runs.map(cellsOf)];
  const widths = heads.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function cellsOf(run: JournaledRun): readonly string[] {
  return [
    run.runId,
    run.status,
    readableTime(run.updatedAtMs),
    String(run.turns),
    String(run.commits),
    String(run.pending),
    run.agent ?? run.promptName,
    run.workspace ?? '',
  ].map(printable);
}

/** One run as a line of JSON. How it was called is left out: it may hold what should not be printed. */
export function runLine({ info: _info, ...run }: JournaledRun): string {
  return escapeInvisible(JSON.stringify(run));
}
