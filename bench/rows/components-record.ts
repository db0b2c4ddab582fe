import type { BenchRow } from '../harness/row.ts';
import { ours } from './contend.ts';

const settings = { kind: 'loop', steps: 1_000 };

/** What it costs to record a run: the loop of 1,000 steps with a record, against the same one without. */
export const recordRows: readonly BenchRow[] = (['cpu', 'wall'] as const).map((what) => {
  const figure = `${what}PerStep`;
  return {
    id: what === 'cpu' ? 'record' : 'record-wall',
    title: `Loop of 1,000 steps with a record of the run: ${what === 'cpu' ? 'CPU' : 'wall time'} a step`,
    unit: 'µs',
    contenders: [
      { name: ours, program: 'systems/weakincentives-recorded', settings, figure },
      { name: 'in a file', program: 'systems/weakincentives-record-file', settings, figure },
      { name: 'no record', program: 'systems/weakincentives', settings, figure },
    ],
    targets: what === 'cpu' ? [{ factor: 3, comparedTo: 'no record' }] : [],
  };
});
