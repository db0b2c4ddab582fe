import { ConformanceError } from '../../conformance/expect.ts';
import type { Life, Stroke } from '../life.ts';
import type { DurableFiles, DurableOutcome } from '../options.ts';
import type { CaseFolder, NextLife } from './case-folder.ts';
import type { EndOfCase } from './end-of-case.ts';
import { inTwos, spread } from './random.ts';
import type { LifeEnd } from './start-life.ts';

/** What an uninterrupted run leaves, and the points that it passes. */
export interface WholeRun {
  readonly end: EndOfCase;
  readonly points: readonly string[];
}

/** How the life that finishes a run differs from those before. */
export type LastLife = Pick<NextLife, 'state' | 'resumedFiles'>;

/** One case as it is played. */
export interface Play {
  readonly files: DurableFiles;
  readonly killsPerCase: number;
  /** Of this case alone. */
  readonly random: () => number;
  /** What uninterrupted runs leave. Default: one run. */
  whole(runs?: readonly string[]): Promise<WholeRun>;
  /** A folder of its own. Default: for one run, with the script of most cases. */
  folder(runs?: readonly string[], script?: Life['script']): CaseFolder;
  /** Lives the run to its end, in a process without a disturbance. @throws {ConformanceError} when it does not finish. */
  finish(folder: CaseFolder, at: readonly string[], last?: LastLife): Promise<LifeEnd>;
  /** Compares the end, with `overrides` in it, and reports what became of the run. @throws {ConformanceError} */
  compare(folder: CaseFolder, at: readonly string[], overrides?: Partial<EndOfCase>): Promise<void>;
  /** Reports what became of runs. */
  report(at: readonly string[], became: DurableOutcome['became']): void;
  /** Finishes and compares. @throws {ConformanceError} */
  end(folder: CaseFolder, at: readonly string[], last?: LastLife): Promise<void>;
  /** Lives a run that is struck at these points, one in each life, finishes it and compares. */
  strike(strokes: readonly Stroke[]): Promise<void>;
}

/** The name of the run of most cases. */
export const oneRun: readonly string[] = ['run'];

/** Does the work at points of this kind, spread over all that an uninterrupted run passes, each time in a folder of its own. */
export async function atPoints(
  play: Play,
  kind: RegExp,
  work: (at: string, folder: CaseFolder) => Promise<void>,
  among?: (points: readonly string[]) => readonly string[],
): Promise<void> {
  await inTwos(await pointsOf(play, kind, among), async (at) => {
    using folder = play.folder();
    await work(at, folder);
  });
}

/** Points of this kind, spread over all that an uninterrupted run passes. */
export async function pointsOf(
  { whole, killsPerCase, random }: Pick<Play, 'whole' | 'killsPerCase' | 'random'>,
  kind: RegExp,
  among: (points: readonly string[]) => readonly string[] = (points) => points,
): Promise<readonly string[]> {
  const { points } = await whole();
  return spread(
    among(points).filter((point) => kind.test(point)),
    killsPerCase,
    random,
  );
}

/** @throws {ConformanceError} when it does not hold. */
export function expectThat(
  at: readonly string[],
  claim: string,
  holds: boolean,
  values: { readonly expected: unknown; readonly actual: unknown },
): void {
  if (holds) return;
  throw new ConformanceError(
    `${at.join(', then ')}: expected that ${claim}. Got ${JSON.stringify(values.actual) ?? 'nothing'}.`,
    { ...values, code: 'journal-not-conformant' },
  );
}
