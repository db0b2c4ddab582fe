import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

/** The page of `wink view`, wall time in Chromium. Left out, with a note, where there is none. */
export const viewerRows: readonly BenchRow[] = [1_000, 20_000].flatMap((calls) => {
  const size = calls.toLocaleString('en-US');
  return [
    viewerRow('open', `Page of a run with ${size} calls, opened until rows are shown`, calls),
    viewerRow('end', `Page of a run with ${size} calls, from the key End to the last row`, calls),
  ];
});

function viewerRow(figure: 'open' | 'end', title: string, calls: number): BenchRow {
  return {
    id: `viewer-${figure}-${calls}`,
    title: `${title}: wall time`,
    unit: 'ms',
    contenders: contend('viewer-open', figure, { calls }, { [ours]: {} }).map((contender) => ({
      ...contender,
      leftOutByQuick: true,
    })),
    targets: figure === 'open' && calls === 1_000 ? [{ factor: 1000 }] : [],
  };
}
