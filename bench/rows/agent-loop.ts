import { fastestPeerName } from '../harness/judge-rows.ts';
import type { BenchRow, Contender, Target } from '../harness/row.ts';
import { everyone, type LoopSystem, loopContender, pi, quick, quickest } from './loop-systems.ts';

const ours = 'weakincentives';
const notSlower: Target = { factor: 1, comparedTo: fastestPeerName };
const first = { kind: 'loop', when: 'first' };
const warm = { kind: 'loop', when: 'warm', steps: 1_000 };
const parallel = { kind: 'parallel', calls: 100 };

/** What a turn of an agent costs: a call of one tool with three strict arguments. */
export const agentLoopRows: readonly BenchRow[] = [
  ...cpuAndWall({
    id: 'loop-first-10',
    title: 'First 10 steps of a process',
    contenders: fresh(everyone, { ...first, steps: 10 }),
    targets: [{ factor: 3, comparedTo: pi }],
    headline: true,
  }),
  ...cpuAndWall({
    id: 'loop-first-1000',
    title: 'First 1,000 steps of a process',
    contenders: fresh(quickest, { ...first, steps: 1_000 }),
    targets: [{ factor: 1.3, comparedTo: pi }],
    headline: true,
  }),
  ...cpuAndWall({
    id: 'loop-1000-warm',
    title: '9th to 12th thousand steps of a process',
    contenders: among(quickest, warm),
    targets: [
      { factor: 0.4, comparedTo: pi, node: 20 },
      { factor: 0.6, comparedTo: pi, node: 22 },
      { factor: 0.9, comparedTo: pi, node: 24 },
    ],
    headline: true,
  }),
  ...cpuAndWall({
    id: 'loop-failing-warm',
    title: '9th to 12th thousand steps of a process, every other call throws',
    contenders: among(quickest, { ...warm, kind: 'failing' }),
    targets: [{ factor: 1, comparedTo: pi }],
    headline: true,
  }),
  ...cpuAndWall({
    id: 'loop-1000-after-collection',
    title: 'The same 1,000 steps after a forced collection of garbage',
    contenders: among(quickest, { ...warm, when: 'after-collection' }),
    targets: [],
  }),
  ...[10, 100, 1_000].flatMap((steps) =>
    cpuAndWall({
      id: `loop-${steps}`,
      title: `Loop of ${steps.toLocaleString('en-US')} steps, after a few short ones`,
      contenders: among(everyone, { kind: 'loop', steps }),
      targets: steps === 1_000 ? [notSlower] : [],
    }),
  ),
  ...cpuAndWall({
    id: 'loop-5000',
    title: 'Loop of 5,000 steps, after a few short ones',
    contenders: among(quickest, { kind: 'loop', steps: 5_000 }),
    targets: [notSlower, { factor: 1.3, comparedTo: { row: 'loop-1000', contender: ours } }],
  }),
  ...cpuAndWall({
    id: 'loop-failing',
    title: 'Loop of 1,000 steps, after a few short ones, every other call throws',
    contenders: among(quick, { kind: 'failing', steps: 1_000 }),
    targets: [{ factor: 1.2, comparedTo: { row: 'loop-1000', contender: ours } }],
  }),
  ...parallelRows('parallel-trivial', 'One turn with 100 trivial calls', 0, {
    main: [{ factor: 2, comparedTo: pi }],
  }),
  ...parallelRows('parallel-5ms', 'One turn with 100 calls that wait 5 ms', 5, {
    wall: [{ factor: 1.3, comparedTo: pi }],
  }),
  {
    id: 'peak-rss',
    title: 'Peak memory of a process with one run of 1,000 steps',
    unit: 'MiB',
    contenders: fresh(everyone, { ...first, steps: 1_000 })('peakRss'),
    targets: [notSlower],
    leftOutByTiny: true,
  },
];

/** Contenders of one workload; each row of them has another figure. */
type Contenders = (figure: string) => readonly Contender[];

interface LoopMeasurement {
  readonly id: string;
  readonly title: string;
  readonly contenders: Contenders;
  readonly targets: readonly Target[];
  readonly headline?: boolean;
}

/** Two rows from the same processes. Targets are of CPU time: it depends less on what else the machine does. */
function cpuAndWall({
  id,
  title,
  contenders,
  targets,
  headline = false,
}: LoopMeasurement): readonly BenchRow[] {
  const row = (suffix: string, what: string, figure: string): BenchRow => ({
    id: `${id}${suffix}`,
    title: `${title}: ${what} a step`,
    unit: 'µs',
    contenders: contenders(figure),
    targets: suffix === '' ? targets : [],
    headline,
    leftOutByTiny: id !== 'loop-10' && id !== 'loop-failing',
  });
  return [row('', 'CPU', 'cpuPerStep'), row('-wall', 'wall time', 'wallPerStep')];
}

/** The time of the main thread, where the library runs, and the wall time, which a user waits for. */
function parallelRows(
  id: string,
  title: string,
  sleepMs: number,
  targets: { readonly main?: readonly Target[]; readonly wall?: readonly Target[] },
): readonly BenchRow[] {
  const contenders = among(everyone, { ...parallel, sleepMs });
  const headline = true;
  return [
    {
      id,
      title: `${title}: CPU of the main thread`,
      unit: 'ms',
      contenders: contenders('main'),
      targets: targets.main ?? [],
      headline,
    },
    {
      id: `${id}-wall`,
      title: `${title}: wall time`,
      unit: 'ms',
      contenders: contenders('wall'),
      targets: targets.wall ?? [],
      headline,
    },
  ];
}

function fresh(names: readonly LoopSystem[], settings: Contender['settings']): Contenders {
  return (figure) =>
    sampled(names, settings, figure).map((one) => ({
      ...one,
      sampling: one.leftOutByQuick === true ? 'few' : 'fresh',
    }));
}

/** Samples in one process; few of those that take many seconds for each. */
function among(names: readonly LoopSystem[], settings: Contender['settings']): Contenders {
  return (figure) =>
    sampled(names, settings, figure).map((one) =>
      settings['steps'] === 1_000 && one.leftOutByQuick === true ? { ...one, sampling: 'few' } : one,
    );
}

function sampled(
  names: readonly LoopSystem[],
  settings: Contender['settings'],
  figure: string,
): readonly Contender[] {
  const isQuick = (name: LoopSystem) => quick.includes(name) || settings['steps'] === 10;
  return names.map((name) => ({
    ...loopContender(name, settings, figure),
    ...(isQuick(name) ? {} : { leftOutByQuick: true }),
  }));
}
