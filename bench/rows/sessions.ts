import type { BenchRow, Contender, Target } from '../harness/row.ts';
import { ours } from './contend.ts';
import { oldPi, pi } from './loop-systems.ts';

const programs = { [ours]: 'scale/sessions', [pi]: 'scale/pi-sessions', [oldPi]: 'scale/old-pi-sessions' };
const thinkMs = 20;

const few = '1,000 sessions';

/** Many sessions at a time in one process, whose models answer by I/O. */
export const sessionsRows: readonly BenchRow[] = [
  ...rowsOf({ sessions: 1_000, turns: 10 }, '100 sessions', {
    cpu: [{ factor: 1.5, comparedTo: pi }],
    p99: [{ factor: 1 }],
    heap: [{ factor: 18 }],
  }),
  ...rowsOf({ sessions: 10_000, turns: 2 }, few, {
    cpu: [{ factor: 1.2, comparedTo: few }],
    p99: [{ factor: 10 }],
    heap: [{ factor: 1.1, comparedTo: few }],
  }),
];

interface Sessions extends Record<string, number> {
  readonly sessions: number;
  readonly turns: number;
}

/** @param smaller the name of the same measurement of the library with a tenth of the sessions: nothing may grow with their number. */
function rowsOf(
  { sessions, turns }: Sessions,
  smaller: string,
  targets: Readonly<Record<'cpu' | 'p99' | 'heap', readonly Target[]>>,
): readonly BenchRow[] {
  const row = (
    id: string,
    what: string,
    unit: BenchRow['unit'],
    figure: string,
    rowTargets: readonly Target[] = [],
  ): BenchRow => {
    const contender = (name: string, program: string, count: number): Contender => ({
      name,
      program,
      settings: { sessions: count, turns, thinkMs },
      figure,
      leftOutByQuick: sessions > 1_000,
    });
    return {
      id: `scale-${sessions}-sessions-${id}`,
      title: `${sessions.toLocaleString('en-US')} sessions of ${turns} steps at a time: ${what}`,
      unit,
      contenders: [
        ...Object.entries(programs).map(([name, program]) => contender(name, program, sessions)),
        { ...contender(smaller, programs[ours], sessions / 10), isOwn: true },
      ],
      targets: rowTargets,
      headline: true,
      leftOutByTiny: sessions > 1_000,
    };
  };
  return [
    row('p99', 'wall time from an answer to the next request, p99', 'ms', 'overheadP99', targets.p99),
    row('p50', 'wall time from an answer to the next request, median', 'ms', 'overheadP50'),
    row('cpu', 'CPU a step', 'µs', 'cpuPerStep', targets.cpu),
    row('wall', 'wall time for a step of any of them', 'ms', 'wallPerStep'),
    row('heap', 'heap a session', 'KiB', 'heapPerSession', targets.heap),
    row('rss', 'resident memory a session', 'KiB', 'rssPerSession'),
  ];
}
