import * as fc from 'fast-check';
import type { AccountsMode } from './accounts.ts';
import { type Batch, batches } from './batch.ts';
import type { Library } from './library.ts';
import { type Observation, runBatch } from './run-batch.ts';

/** What comparing many batches found. */
export interface Comparison {
  readonly batches: number;
  readonly distinct: number;
  readonly calls: number;
  readonly reruns: number;
  readonly lateAccesses: number;
  /** The shrunk batch that behaved differently, and how; absent when there is none. */
  readonly difference?: string;
}

/** What a batch comes to when its calls run one after the other. */
export type OneByOne = (batch: Batch, accounts: AccountsMode) => Promise<Observation>;

/** Runs the calls of a batch one after the other. */
export const runOneByOne = (library: Library, batch: Batch, accounts: AccountsMode): Promise<Observation> =>
  runBatch(library, batch, {
    concurrency: 1,
    accounts,
    pause: () => Promise.resolve(),
    drive: (work) => work,
  });

/**
 * Runs random batches one by one and in parallel, the parallel ones in a random interleaving, and compares everything
 * that can be observed.
 */
export async function compareRuns(
  library: Library,
  options: {
    readonly runs: number;
    readonly seed?: number;
    /** Whether to look for the smallest batch that differs. Default: true. */
    readonly shrink?: boolean;
    /** Default: the library itself runs them. */
    readonly oneByOne?: OneByOne;
    /** How the resource of the calls joins their transactions. Default: `'parallel'`. */
    readonly accounts?: AccountsMode;
  },
): Promise<Comparison> {
  const { accounts = 'parallel', oneByOne = (batch, mode) => runOneByOne(library, batch, mode) } = options;
  const seen = new Set<string>();
  const totals = { batches: 0, calls: 0, reruns: 0, lateAccesses: 0 };
  const property = fc.asyncProperty(batches, fc.scheduler(), async (batch, scheduler) => {
    const expected = await oneByOne(batch, accounts);
    const actual = await runBatch(library, batch, {
      concurrency: 8,
      accounts,
      pause: () => scheduler.schedule(Promise.resolve()),
      drive: (work) => scheduler.waitFor(work),
    });
    seen.add(JSON.stringify(batch));
    totals.batches += 1;
    totals.calls += batch.turns.reduce((sum, turn) => sum + turn.length, 0);
    totals.reruns += actual.reruns;
    totals.lateAccesses += actual.lateAccesses;
    if (expected.reruns !== 0) throw new Error('A call was re-run although calls ran one by one.');
    if (expected.lateSuccesses + actual.lateSuccesses !== 0)
      throw new Error('A late access was not refused.');
    if (expected.outcome !== actual.outcome)
      throw new Error(firstDifference(expected.outcome, actual.outcome));
  });
  const details = await fc.check(property, {
    // oxlint-disable-next-line wink/draws -- The callers say how many: draws() of a property, the limit of a search.
    numRuns: options.runs,
    endOnFailure: options.shrink === false,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  });
  const found = { ...totals, distinct: seen.size };
  if (!details.failed) return found;
  return {
    ...found,
    difference: (await fc.asyncDefaultReportMessage(details)) ?? 'The batches behaved differently.',
  };
}

function firstDifference(expected: string, actual: string): string {
  const left = expected.split('\n');
  const right = actual.split('\n');
  const index = left.findIndex((line, at) => line !== right[at]);
  const around = (lines: readonly string[]): string =>
    lines.slice(Math.max(0, index - 6), index + 4).join('\n');
  return `One by one:\n${around(left)}\n\nIn parallel:\n${around(right)}`;
}
