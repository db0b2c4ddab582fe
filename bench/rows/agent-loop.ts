import { fastestPeerName } from '../harness/judge-rows.ts';
import type { BenchRow, Contender, Target } from '../harness/row.ts';

type Name = keyof typeof programs;

const programs = {
  'by hand': 'systems/by-hand',
  weakincentives: 'systems/weakincentives',
  '@mariozechner/pi-agent-core': 'systems/pi',
  '@tanstack/ai': 'systems/tanstack',
  ai: 'systems/ai',
  'ai-7': 'systems/ai-7',
  '@openai/agents': 'systems/openai-agents',
  '@langchain/langgraph': 'systems/langgraph',
} as const;

const everyone = Object.keys(programs) as readonly Name[];
/** Those that do not take minutes for 5,000 steps. The others are left out of most rows by `--quick`. */
const fast: readonly Name[] = ['by hand', 'weakincentives', '@mariozechner/pi-agent-core', '@tanstack/ai'];

const pi = '@mariozechner/pi-agent-core';
const notSlower: Target = { factor: 1, comparedTo: fastestPeerName };

/** What a turn of an agent costs: a call of one tool with three strict arguments. */
export const agentLoopRows: readonly BenchRow[] = [
  ...loopRows(10, everyone),
  ...loopRows(100, everyone),
  ...loopRows(1_000, everyone, [notSlower]),
  ...cpuAndWall(
    {
      id: 'loop-1000-warm',
      title: 'Loop of 1,000 steps in a process that has been at it for a while',
      names: fast,
      settings: { kind: 'warm', steps: 1_000 },
    },
    [{ factor: 0.4, comparedTo: fastestPeerName }],
  ),
  ...cpuAndWall(
    {
      id: 'loop-1000-after-collection',
      title: 'Loop of 1,000 steps in such a process, after a forced collection of garbage',
      names: fast,
      settings: { kind: 'after-collection', steps: 1_000 },
    },
    [],
  ),
  ...loopRows(5_000, fast, [
    notSlower,
    { factor: 1.3, comparedTo: { row: 'loop-1000', contender: 'weakincentives' } },
  ]),
  ...cpuAndWall(
    {
      id: 'loop-failing',
      title: 'Loop of 1,000 steps, every other call throws',
      names: everyone,
      settings: { kind: 'failing', steps: 1_000 },
      leaveSlowOut: true,
    },
    [{ factor: 1.2, comparedTo: { row: 'loop-1000', contender: 'weakincentives' } }],
  ),
  parallelRow('parallel-trivial', 'One turn with 100 trivial calls: wall time', 0, {
    factor: 0.4,
    comparedTo: pi,
  }),
  parallelRow('parallel-5ms', 'One turn with 100 calls that wait 5 ms: wall time', 5, notSlower),
  {
    id: 'peak-rss',
    title: 'Peak memory of a process with one run of 1,000 steps',
    unit: 'MiB',
    contenders: slowLeftOut(
      everyone.map((name) => contender(name, { kind: 'rss', steps: 1_000 }, 'peakRss')),
    ),
    targets: [notSlower],
  },
];

interface LoopMeasurement {
  readonly id: string;
  readonly title: string;
  readonly names: readonly Name[];
  readonly settings: Contender['settings'];
  /** Whether `--quick` leaves out who takes long. */
  readonly leaveSlowOut?: boolean;
}

/** Two rows from the same processes. Targets are of CPU time: it depends less on what else the machine does. */
function cpuAndWall(measurement: LoopMeasurement, targets: readonly Target[]): readonly BenchRow[] {
  const { id, title, names, settings, leaveSlowOut = false } = measurement;
  const row = (suffix: string, what: string, figure: string): BenchRow => {
    const contenders = names.map((name) => contender(name, settings, figure));
    return {
      id: `${id}${suffix}`,
      title: `${title}: ${what} a step`,
      unit: 'µs',
      contenders: leaveSlowOut ? slowLeftOut(contenders) : contenders,
      targets: suffix === '' ? targets : [],
      leftOutByTiny: settings['steps'] !== 10 && settings['kind'] !== 'failing',
    };
  };
  return [row('', 'CPU', 'cpuPerStep'), row('-wall', 'wall time', 'wallPerStep')];
}

function loopRows(
  steps: number,
  names: readonly Name[],
  targets: readonly Target[] = [],
): readonly BenchRow[] {
  const title = `Loop of ${steps.toLocaleString('en-US')} steps`;
  const settings = { kind: 'loop', steps };
  return cpuAndWall({ id: `loop-${steps}`, title, names, settings, leaveSlowOut: steps === 100 }, targets);
}

function parallelRow(id: string, title: string, sleepMs: number, target: Target): BenchRow {
  return {
    id,
    title,
    unit: 'ms',
    contenders: everyone.map((name) => contender(name, { kind: 'parallel', calls: 100, sleepMs }, 'wall')),
    targets: [target],
  };
}

function contender(name: Name, settings: Contender['settings'], figure: string): Contender {
  return { name, program: programs[name], settings, figure };
}

function slowLeftOut(contenders: readonly Contender[]): readonly Contender[] {
  const isFast = ({ name }: Contender) => fast.some((known) => known === name);
  return contenders.map((one) => (isFast(one) ? one : { ...one, leftOutByQuick: true }));
}
