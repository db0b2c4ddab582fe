import type { JsonObject } from 'weakincentives';
import type { Effort } from './effort.ts';
import type { BenchRow, Contender } from './row.ts';

/** A program with its settings: one child process in every pass, whatever number of rows takes figures from it. */
export interface Job {
  readonly key: string;
  /** Who it is run for. */
  readonly name: string;
  readonly program: string;
  readonly settings: JsonObject;
}

/** What of the rows is wanted. */
export interface Selection {
  /** Ids of rows. Default: all. */
  readonly rows?: readonly string[];
  /** Names of contenders. Default: all. */
  readonly contenders?: readonly string[];
  readonly effort: Effort;
}

/**
 * @returns the rows with the contenders that are wanted; without those that nobody is left in. Rows that are asked for by
 *   their ids are there with every effort.
 */
export function selectRows(
  rows: readonly BenchRow[],
  { rows: ids, contenders, effort }: Selection,
): BenchRow[] {
  return rows
    .filter(({ id, leftOutByTiny = false }) =>
      ids === undefined ? !(effort === 'tiny' && leftOutByTiny) : ids.includes(id),
    )
    .map((row) => ({
      ...row,
      contenders: row.contenders.filter(
        ({ name, leftOutByQuick = false }) =>
          (contenders === undefined || contenders.includes(name)) && !(effort === 'quick' && leftOutByQuick),
      ),
    }))
    .filter((row) => row.contenders.length > 0);
}

/** @returns every program once for all rows that use it with the same settings, in the order of the rows */
export function planJobs(rows: readonly BenchRow[]): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const contender of rows.flatMap((row) => row.contenders)) {
    const key = keyOf(contender);
    const { name, program, settings } = contender;
    if (!jobs.has(key)) jobs.set(key, { key, name, program, settings });
  }
  return [...jobs.values()];
}

/** The same for contenders that share processes. */
export function keyOf({ program, settings }: Pick<Contender, 'program' | 'settings'>): string {
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${program} ${JSON.stringify(sorted)}`;
}
