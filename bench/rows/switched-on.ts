import type { BenchRow, Contender } from '../harness/row.ts';
import { ours } from './contend.ts';

const without = 'without';

/** Which program has it switched on, and by how much the CPU time of a step may rise. */
const parts = {
  record: {
    what: 'with a record of the run',
    program: 'systems/weakincentives-recorded',
    factor: 1.4,
    others: { 'in a file': 'systems/weakincentives-record-file' },
  },
  telemetry: {
    what: 'with spans for OpenTelemetry',
    program: 'systems/weakincentives-telemetry',
    factor: 1.35,
    others: {},
  },
  observer: {
    what: 'with an observer that does nothing',
    program: 'systems/weakincentives-observed',
    factor: 1.05,
    others: {},
  },
} as const;

const moments = {
  '': { when: 'first', title: 'First 1,000 steps of a process', sampling: 'fresh' },
  '-warm': { when: 'warm', title: '9th to 12th thousand steps of a process', sampling: undefined },
} as const;

/** What it costs to switch something on: the loop with it against the same loop without. */
export const switchedOnRows: readonly BenchRow[] = Object.entries(parts).flatMap(([id, part]) =>
  Object.entries(moments).map(([suffix, { when, title, sampling }]): BenchRow => {
    const contender = (name: string, program: string): Contender => ({
      name,
      program,
      settings: { kind: 'loop', when, steps: 1_000 },
      figure: 'cpuPerStep',
      isOwn: name !== ours,
      ...(sampling && { sampling }),
    });
    return {
      id: `${id}${suffix}`,
      title: `${title}, ${part.what}: CPU a step`,
      unit: 'µs',
      contenders: [
        contender(ours, part.program),
        ...Object.entries(part.others).map(([name, program]) => contender(name, program)),
        contender(without, 'systems/weakincentives'),
      ],
      targets: [{ factor: part.factor, comparedTo: without }],
      headline: true,
    };
  }),
);
