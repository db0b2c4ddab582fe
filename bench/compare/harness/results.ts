import type { CellOutcome } from './cell.ts';
import { cellName, compareCells, compareSystems, type SystemId } from './rows.ts';

/** `bench/compare/results.json`. */
export interface CompareResults {
  /** The day on which the scripts ran, such as `2026-11-30`. */
  readonly date: string;
  readonly versions: Readonly<Record<SystemId, string>>;
  /** By `row/system`. */
  readonly cells: Readonly<Record<string, CellOutcome>>;
}

/** Where the results are, from the root of the repository. */
export const resultsFile = 'bench/compare/results.json';

/** Where the script of a cell is, from the root of the repository. */
export function scriptOf(name: string): string {
  return `bench/compare/${name}.ts`;
}

/**
 * What is missing or too much: cells without a result or a script, results of no cell.
 *
 * @param exists says whether a path, from the root of the repository, is there
 */
export function findGaps(results: CompareResults, exists: (path: string) => boolean): readonly string[] {
  const names = compareCells.map(cellName);
  const { cells, versions } = results;
  return [
    ...names.filter((name) => cells[name] === undefined).map((name) => `${name} has no result`),
    ...names.filter((name) => !exists(scriptOf(name))).map((name) => `${name} has no script`),
    ...Object.keys(cells)
      .filter((name) => !names.includes(name))
      .map((name) => `${name} has a result and is no cell`),
    ...compareSystems.filter(({ id }) => versions[id] === undefined).map(({ id }) => `${id} has no version`),
    ...Object.entries(cells)
      .filter(([, { reason }]) => reason.trim() === '')
      .map(([name]) => `${name} has no reason`),
  ];
}

/** How a result reads that differs from what is written, and `undefined` when it does not: reasons may have numbers in them. */
export function differenceOf(
  name: string,
  written: CellOutcome | undefined,
  found: CellOutcome,
): string | undefined {
  if (written === undefined) return `${name}: ${found.result}, and no result is written`;
  const [before, now] = [shortOf(written), shortOf(found)];
  return before === now ? undefined : `${name}: ${now} (${found.reason}), and ${before} is written`;
}

/** A result in a few words, as the table has it. */
export function shortOf(outcome: CellOutcome): string {
  if (outcome.result === 'figure') return outcome.figure;
  return outcome.result === 'holds' && outcome.by !== undefined ? `holds (${outcome.by})` : outcome.result;
}
