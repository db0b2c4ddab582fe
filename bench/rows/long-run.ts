import type { BenchRow, Contender } from '../harness/row.ts';

const steps = 100_000;

/** That a very long run costs no more late than early. */
export const longRunRows: readonly BenchRow[] = [
  longRow('cpu', 'CPU a step since the look before', 'µs', 1.2),
  longRow('heap', 'heap in use', 'MiB', 1.1),
  longRow('rss', 'resident memory', 'MiB', 1.5),
];

/** The last look is the library's figure, so that it is compared with the one after a tenth of the run. */
function longRow(figure: string, what: string, unit: BenchRow['unit'], factor: number): BenchRow {
  const looksAt = figure === 'cpu' ? 'cpu' : 'memory';
  const after = (percent: number) => `after ${((steps * percent) / 100).toLocaleString('en-US')}`;
  const look = (percent: number): Contender => ({
    name: percent === 100 ? 'weakincentives' : after(percent),
    program: 'scale/long-run',
    settings: { steps, bounded: true, looksAt },
    figure: `${figure}${percent}`,
    ...(percent === 100 ? {} : { isOwn: true }),
    ...(percent > 10 ? { leftOutByQuick: true } : {}),
  });
  return {
    id: `scale-long-${figure}`,
    title: `One run of ${steps.toLocaleString('en-US')} steps, its slices and conversation bounded: ${what}`,
    unit,
    contenders: [
      ...[1, 10, 50, 100].map(look),
      {
        name: 'unbounded after 10,000',
        program: 'scale/long-run',
        settings: { steps: 10_000, bounded: false, looksAt },
        figure: `${figure}100`,
        isOwn: true,
        leftOutByQuick: true,
      },
    ],
    targets: [{ factor, comparedTo: after(10) }],
  };
}
