import { keyOf } from './plan-jobs.ts';
import type { BenchRow, Contender, Target } from './row.ts';
import type { JobResult } from './run-jobs.ts';
import { type Spread, summarize } from './statistics.ts';

const libraryName = 'weakincentives';
/** A hand-written contender may name its method: `by hand (zod alone)`. */
const isFloor = ({ name }: Pick<Contender, 'name'>): boolean =>
  name === 'by hand' || name.startsWith('by hand (');

/** Note for contenders that a stopped run did not reach. */
const notRun: JobResult = { samples: new Map(), notes: ['not run'], failures: [] };

/** Result of a contender in a row. */
export interface ContenderResult {
  readonly name: string;
  /** Absent when there is no sample: see `failures` and `notes`. */
  readonly spread?: Spread;
  readonly samples: readonly number[];
  /** Ratio of the medians; absent without both. */
  readonly toFloor?: number;
  readonly toFastestPeer?: number;
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

/** Name in a target for the peer with the lowest median of its row. */
export const fastestPeerName = 'fastest peer';

export interface TargetResult extends Target {
  readonly outcome: 'met' | 'missed' | 'not measured' | 'not judged';
  /** Measured value, compared with `factor`. */
  readonly measured?: number;
}

export interface RowResult extends Pick<BenchRow, 'id' | 'title' | 'unit'> {
  readonly contenders: readonly ContenderResult[];
  readonly targets: readonly TargetResult[];
}

/** @param judge whether the figures are meaningful: false with `--tiny` */
export function judgeRows(
  rows: readonly BenchRow[],
  results: ReadonlyMap<string, JobResult>,
  judge: boolean,
): readonly RowResult[] {
  const spreads = new Map(
    rows.flatMap((row) =>
      row.contenders.map((contender) => [medianKey(row.id, contender.name), spreadOf(contender, results)]),
    ),
  );
  const medianOf = (row: string, name: string) => spreads.get(medianKey(row, name))?.median;
  return rows.map((row) => {
    const floor = medianOf(row.id, row.contenders.find(isFloor)?.name ?? '');
    const fastest = fastestPeer(row, medianOf);
    return {
      id: row.id,
      title: row.title,
      unit: row.unit,
      contenders: row.contenders.map((contender) => {
        const result = results.get(keyOf(contender)) ?? notRun;
        const spread = spreads.get(medianKey(row.id, contender.name));
        const toFloor = ratio(spread?.median, floor);
        const toFastestPeer = ratio(spread?.median, fastest);
        return {
          name: contender.name,
          ...(spread && { spread }),
          samples: result.samples.get(contender.figure) ?? [],
          ...(toFloor !== undefined && { toFloor }),
          ...(toFastestPeer !== undefined && { toFastestPeer }),
          notes: result.notes,
          failures: failuresOf(contender, result, judge),
        };
      }),
      targets: row.targets.map((target) => judgeTarget(row.id, target, medianOf, fastest, judge)),
    };
  });
}

function medianKey(row: string, name: string): string {
  return JSON.stringify([row, name]);
}

function spreadOf(contender: Contender, results: ReadonlyMap<string, JobResult>): Spread | undefined {
  return summarize(results.get(keyOf(contender))?.samples.get(contender.figure) ?? []);
}

/** A program may leave a figure out of what is not judged, with a note, and has none where it cannot run. */
function failuresOf({ figure }: Contender, result: JobResult, judge: boolean): readonly string[] {
  if (result === notRun) return [];
  if (result.failures.length > 0 || result.samples.has(figure)) return result.failures;
  if (result.isUnavailable === true || (!judge && result.notes.length > 0)) return [];
  return [`its report has no figure "${figure}"`];
}

function fastestPeer(
  row: BenchRow,
  medianOf: (row: string, name: string) => number | undefined,
): number | undefined {
  const medians = row.contenders
    .filter((contender) => contender.name !== libraryName && !isFloor(contender) && contender.isOwn !== true)
    .map(({ name }) => medianOf(row.id, name))
    .filter((median) => median !== undefined);
  return medians.length > 0 ? Math.min(...medians) : undefined;
}

function judgeTarget(
  row: string,
  target: Target,
  medianOf: (row: string, name: string) => number | undefined,
  fastest: number | undefined,
  judge: boolean,
): TargetResult {
  if (!judge) return { ...target, outcome: 'not judged' };
  const { comparedTo, factor } = target;
  const own = medianOf(row, libraryName);
  const measured = ratio(own, otherOf());
  if (measured === undefined) return { ...target, outcome: 'not measured' };
  return { ...target, outcome: measured <= factor ? 'met' : 'missed', measured };

  function otherOf(): number | undefined {
    if (comparedTo === undefined) return 1;
    if (comparedTo === fastestPeerName) return fastest;
    return typeof comparedTo === 'object'
      ? medianOf(comparedTo.row, comparedTo.contender)
      : medianOf(row, comparedTo);
  }
}

function ratio(own: number | undefined, other: number | undefined): number | undefined {
  return own === undefined || other === undefined || other === 0 ? undefined : own / other;
}
