import type { BenchRow } from '../harness/row.ts';
import { ours } from './contend.ts';

const window = 'a window of 100 turns, with a wrong answer';

/** What a conversation costs that is compacted, in a job whose answer depends on all of it. */
export const longContextRows: readonly BenchRow[] = [
  row('long-context-cpu', 'CPU a turn', 'cpu', 'µs', 1.5),
  row('long-context-uncached', 'what a request has that the one before had not', 'uncached', 'KiB', 1.1),
];

function row(id: string, what: string, figure: string, unit: BenchRow['unit'], factor: number): BenchRow {
  const program = 'scale/long-context';
  return {
    id,
    title: `A job of 2,000 turns in a window of 32,000 tokens, compacted: ${what}`,
    unit,
    contenders: [
      { name: ours, program, settings: { isCompacted: true }, figure, sampling: 'few' },
      { name: window, program, settings: { isCompacted: false }, figure, isOwn: true, sampling: 'few' },
    ],
    targets: [{ factor, comparedTo: window }],
  };
}
