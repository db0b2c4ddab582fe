import type { BenchRow, Contender, Target } from '../harness/row.ts';
import { ours } from './contend.ts';
import { oldPi, pi } from './loop-systems.ts';

/** Who has the trace, and by which program. */
export const tracePrograms: Readonly<Record<string, string>> = {
  'by hand': 'trace/by-hand',
  [ours]: 'trace/weakincentives',
  [pi]: 'trace/pi',
  [oldPi]: 'trace/old-pi',
  'ai-7': 'trace/ai-7',
  '@openai/agents': 'trace/openai-agents',
};
const settings = { turns: 200, files: 2_000 };

/** A coding agent as it is run: 200 turns with two to six calls each, streamed over HTTP from another process. */
export const traceRows: readonly BenchRow[] = [
  row('cpu', 'CPU', 'ms', [
    { factor: 0.6, comparedTo: pi },
    { factor: 0.4, comparedTo: 'ai-7' },
  ]),
  row('peakRss', 'peak memory of the process', 'MiB', [{ factor: 0.8, comparedTo: pi }]),
  row('wall', 'wall time', 'ms', []),
];

function row(
  figure: 'cpu' | 'peakRss' | 'wall',
  what: string,
  unit: BenchRow['unit'],
  targets: readonly Target[],
): BenchRow {
  return {
    id: `trace-${figure === 'peakRss' ? 'rss' : figure}`,
    title: `Coding agent, 200 turns with 800 calls on 2,000 files: ${what}`,
    unit,
    contenders: Object.entries(tracePrograms).map(
      ([name, program]): Contender => ({
        name,
        program,
        settings,
        figure,
        sampling: name === '@openai/agents' ? 'few' : 'fresh',
        leftOutByQuick: name === '@openai/agents',
      }),
    ),
    targets,
    headline: true,
  };
}
