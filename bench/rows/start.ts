import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';
import { oldPi, pi } from './loop-systems.ts';
import { tracePrograms } from './trace.ts';

const imported = {
  'by hand (zod alone)': { specifier: 'zod' },
  [ours]: { specifier: 'weakincentives' },
  '@tanstack/ai': { specifier: '@tanstack/ai' },
  ai: { specifier: 'ai' },
  'ai-7': { specifier: 'ai-7' },
  [pi]: { specifier: pi },
  [oldPi]: { specifier: oldPi },
};

/** How long it takes until something happens. */
export const startRows: readonly BenchRow[] = [
  {
    id: 'first-request',
    title: 'From the start of a process to the first request of its agent: wall time',
    unit: 'ms',
    contenders: contend(
      'first-request',
      'wall',
      {},
      Object.fromEntries(Object.entries(tracePrograms).map(([name, program]) => [name, { program }])),
    ).map((contender) => ({ ...contender, sampling: 'fresh' })),
    targets: [{ factor: 1.15, comparedTo: 'ai-7' }],
    headline: true,
  },
  {
    id: 'import-cpu',
    title: 'Process that imports the package, over an empty one: CPU',
    unit: 'ms',
    contenders: contend('cold-import', 'cpu', {}, imported),
    targets: [{ factor: 32 }],
    headline: true,
  },
  {
    id: 'import-wall',
    title: 'Process that imports the package, over an empty one: wall time',
    unit: 'ms',
    contenders: contend('cold-import', 'wall', {}, imported),
    targets: [],
    headline: true,
  },
  {
    id: 'wink-version',
    title: '`wink --version`, over `node -e 0`: wall time',
    unit: 'ms',
    contenders: contend('start-command', 'wall', {}, { [ours]: { command: 'version' } }),
    targets: [{ factor: 12 }],
    headline: true,
  },
  {
    id: 'wink-run',
    title: '`wink run` of a small agent, over `node -e 0`: wall time',
    unit: 'ms',
    contenders: contend('start-command', 'wall', {}, { [ours]: { command: 'run' } }),
    targets: [{ factor: 200 }],
    headline: true,
  },
];
