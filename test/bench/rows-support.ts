import type { BenchRow, Contender } from '../../bench/harness/row.ts';
import type { JobResult } from '../../bench/harness/run-jobs.ts';

/** A contender whose program has its name. */
export function contenderNamed(name: string, changes: Partial<Contender> = {}): Contender {
  return { name, program: `systems/${name}`, settings: { steps: 1 }, figure: 'cpu', ...changes };
}

export function rowOf(
  id: string,
  contenders: readonly Contender[],
  changes: Partial<BenchRow> = {},
): BenchRow {
  return { id, title: `Row ${id}`, unit: 'µs', contenders, targets: [], ...changes };
}

export function resultOf(cpu: readonly number[], changes: Partial<JobResult> = {}): JobResult {
  return { samples: new Map([['cpu', cpu]]), notes: [], failures: [], ...changes };
}
