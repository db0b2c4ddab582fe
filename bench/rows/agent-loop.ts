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

/** What a turn of an agent costs: a call of one tool with three strict arguments. */
export const agentLoopRows: readonly BenchRow[] = [
  loopRow(10, everyone),
  loopRow(100, everyone),
  loopRow(1_000, everyone, [
    { factor: 0.25, comparedTo: pi },
    { factor: 3, comparedTo: 'by hand' },
  ]),
  {
    id: 'loop-1000-warm',
    title: 'Loop of 1,000 steps in a process that has been at it for a while: CPU a step',
    unit: 'µs',
    contenders: fast.map((name) => contender(name, { kind: 'warm', steps: 1_000 }, 'cpuPerStep')),
    targets: [],
    leftOutByTiny: true,
  },
  loopRow(5_000, fast, [{ factor: 1.3, comparedTo: { row: 'loop-1000', contender: 'weakincentives' } }]),
  {
    id: 'loop-failing',
    title: 'Loop of 1,000 steps, every other call throws: CPU a step',
    unit: 'µs',
    contenders: slowLeftOut(
      everyone.map((name) => contender(name, { kind: 'failing', steps: 1_000 }, 'cpuPerStep')),
    ),
    targets: [{ factor: 1.2, comparedTo: { row: 'loop-1000', contender: 'weakincentives' } }],
  },
  parallelRow('parallel-trivial', 'One turn with 100 trivial calls: wall time', 0, {
    factor: 0.4,
    comparedTo: pi,
  }),
  parallelRow('parallel-5ms', 'One turn with 100 calls that wait 5 ms: wall time', 5, {
    factor: 1.2,
    comparedTo: 'by hand',
  }),
  {
    id: 'peak-rss',
    title: 'Peak memory of a process with one run of 1,000 steps',
    unit: 'MiB',
    contenders: slowLeftOut(
      everyone.map((name) => contender(name, { kind: 'rss', steps: 1_000 }, 'peakRss')),
    ),
    targets: [{ factor: 1.2, comparedTo: 'by hand' }],
  },
];

function loopRow(steps: number, names: readonly Name[], targets: readonly Target[] = []): BenchRow {
  const contenders = names.map((name) => contender(name, { kind: 'loop', steps }, 'cpuPerStep'));
  return {
    id: `loop-${steps}`,
    title: `Loop of ${steps.toLocaleString('en-US')} steps: CPU a step`,
    unit: 'µs',
    contenders: steps === 100 ? slowLeftOut(contenders) : contenders,
    targets,
    leftOutByTiny: steps > 10,
  };
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
