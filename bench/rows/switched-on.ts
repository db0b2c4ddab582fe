import type { BenchRow, Contender } from '../harness/row.ts';
import { ours } from './contend.ts';

const plain = 'systems/weakincentives';
const without = 'without';

interface Part {
  readonly what: string;
  /** The programs that have it switched on and off. */
  readonly on: string;
  readonly off: string;
  /** How much of the CPU time without it a step may take. */
  readonly factor?: number;
  /** Other ways to have it. */
  readonly others?: Readonly<Record<string, string>>;
}

const parts: Readonly<Record<string, Part>> = {
  policies: { what: 'with two policies', on: plain, off: `${plain}-without-policies` },
  observer: {
    what: 'with an observer that does nothing',
    on: `${plain}-observed`,
    off: plain,
    factor: 1.05,
    others: { 'of one type': `${plain}-observed-type` },
  },
  telemetry: {
    what: 'with spans for OpenTelemetry',
    on: `${plain}-telemetry`,
    off: plain,
    factor: 1.35,
    others: { 'spans by hand': `${plain}-spans` },
  },
  record: {
    what: 'with a record of the run',
    on: `${plain}-recorded`,
    off: plain,
    factor: 1.4,
    others: { 'in a file': `${plain}-record-file` },
  },
};

const moments = [
  { suffix: '', when: 'first', title: 'First 1,000 steps of a process', sampling: 'fresh' },
  { suffix: '-warm', when: 'warm', title: '9th to 12th thousand steps of a process', sampling: undefined },
] as const;

/** What it costs to switch something on: the loop with it against the same loop without. */
export const switchedOnRows: readonly BenchRow[] = Object.entries(parts).flatMap(([id, part]) =>
  moments.map(({ suffix, when, title, sampling }): BenchRow => {
    const contender = (name: string, program: string): Contender => ({
      name,
      program,
      settings: { kind: 'loop', when, steps: 1_000 },
      figure: 'cpuPerStep',
      isOwn: name !== ours,
      ...(sampling && { sampling }),
    });
    const { what, on, off, factor, others = {} } = part;
    return {
      id: `${id}${suffix}`,
      title: `${title}, ${what}: CPU a step`,
      unit: 'µs',
      contenders: [
        contender(ours, on),
        ...Object.entries(others).map(([name, program]) => contender(name, program)),
        contender(without, off),
      ],
      targets: factor === undefined ? [] : [{ factor, comparedTo: without }],
      headline: true,
      leftOutByTiny: suffix !== '',
    };
  }),
);
