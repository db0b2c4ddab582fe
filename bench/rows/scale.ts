import type { BenchRow, Contender } from '../harness/row.ts';

const steps = 100_000;
const few = 100;
const many = 1_000;
const bounded = { steps, bounded: true };

/** What many sessions at a time and very long runs cost. */
export const scaleRows: readonly BenchRow[] = [
  sessionsRow('cpu', 'CPU a step', 'µs', 'cpuPerStep'),
  sessionsRow('wall', 'wall time for a step of any of them', 'ms', 'wallPerStep'),
  sessionsRow('overhead-p50', 'wall time from an answer to the next request, median', 'ms', 'overheadP50'),
  sessionsRow('overhead-p99', 'wall time from an answer to the next request, p99', 'ms', 'overheadP99'),
  sessionsRow('lateness-p50', 'how late the timers of the models are, median', 'ms', 'latenessP50'),
  sessionsRow('lateness-p99', 'how late the timers of the models are, p99', 'ms', 'latenessP99'),
  sessionsRow('rss', 'resident memory a session', 'MiB', 'rssPerSession'),
  sessionsRow('heap', 'heap a session', 'MiB', 'heapPerSession'),
  longRow('cpu', 'CPU a step since the look before', 'µs', 1.2),
  longRow('heap', 'heap in use', 'MiB', 1.1),
  longRow('rss', 'resident memory', 'MiB', 1.5),
];

function sessionsRow(id: string, what: string, unit: BenchRow['unit'], figure: string): BenchRow {
  const contender = (sessions: number): Contender => ({
    name: sessions === many ? 'weakincentives' : `${sessions} sessions`,
    program: 'scale/sessions',
    settings: { sessions, turns: 10, thinkMs: 20 },
    figure,
    ...(sessions === many ? {} : { isOwn: true }),
  });
  return {
    id: `scale-sessions-${id}`,
    title: `1,000 sessions of 10 steps at a time: ${what}`,
    unit,
    contenders: [contender(few), contender(many)],
    targets: [],
  };
}

/** The last look is the library's figure, so that it is compared with the one after a tenth of the run. */
function longRow(figure: string, what: string, unit: BenchRow['unit'], factor: number): BenchRow {
  const after = (percent: number) => `after ${((steps * percent) / 100).toLocaleString('en-US')}`;
  const look = (percent: number): Contender => ({
    name: percent === 100 ? 'weakincentives' : after(percent),
    program: 'scale/long-run',
    settings: bounded,
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
        settings: { steps: 10_000, bounded: false },
        figure: `${figure}100`,
        isOwn: true,
        leftOutByQuick: true,
      },
    ],
    targets: [{ factor, comparedTo: after(10) }],
  };
}
