import type { JsonObject } from 'weakincentives';
import type { Effort } from './effort.ts';
import type { BenchRow, Contender, Sampling } from './row.ts';

/** A program with its settings: one child process in every pass, whatever number of rows takes figures from it. */
export interface Job {
  readonly key: string;
  /** Who it is run for. */
  readonly name: string;
  readonly program: string;
  readonly settings: JsonObject;
  readonly sampling?: Sampling;
}

/** What of the rows is wanted. */
export interface Selection {
  /** Ids of rows. Default: all. */
  readonly rows?: readonly string[];
  /** Only the rows that the results begin with. */
  readonly headline?: boolean;
  /** Names of contenders. Default: all. */
  readonly contenders?: readonly string[];
  readonly effort: Effort;
  /** The major version of Node that runs the programs: targets for others are left out. Default: all stay. */
  readonly node?: number;
}

/**
 * @returns the rows with the contenders that are wanted; without those that nobody is left in. Rows that are asked for by
 *   their ids are there with every effort.
 */
export function selectRows(
  rows: readonly BenchRow[],
  { rows: ids, headline = false, contenders, effort, node }: Selection,
): BenchRow[] {
  return rows
    .filter((row) => !headline || row.headline === true)
    .filter(({ id, leftOutByTiny = false }) =>
      ids === undefined ? !(effort === 'tiny' && leftOutByTiny) : ids.includes(id),
    )
    .map((row) => ({
      ...row,
      contenders: row.contenders.filter(
        ({ name, leftOutByQuick = false }) =>
          (contenders === undefined || contenders.includes(name)) && !(effort === 'quick' && leftOutByQuick),
      ),
      targets: row.targets.filter((target) => node === undefined || (target.node ?? node) === node),
    }))
    .filter((row) => row.contenders.length > 0);
}

/** @returns every program once for all rows that use it with the same settings, in the order of the rows */
export function planJobs(rows: readonly BenchRow[]): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const contender of rows.flatMap((row) => row.contenders)) {
    const key = keyOf(contender);
    const { name, program, settings, sampling } = contender;
    if (!jobs.has(key)) jobs.set(key, { key, name, program, settings, ...(sampling && { sampling }) });
  }
  return [...jobs.values()];
}

/** The same for contenders that share processes. */
export function keyOf({ program, settings }: Pick<Contender, 'program' | 'settings'>): string {
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${program} ${JSON.stringify(sorted)}`;
}
