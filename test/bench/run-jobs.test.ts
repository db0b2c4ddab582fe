import { describe, expect, it } from 'vitest';
import { type Job, planJobs } from '../../bench/harness/plan-jobs.ts';
import type { ChildOutcome } from '../../bench/harness/read-report.ts';
import { runJobs } from '../../bench/harness/run-jobs.ts';
import { contenderNamed, rowOf } from './rows-support.ts';

const jobs = planJobs([rowOf('loop', [contenderNamed('a'), contenderNamed('b'), contenderNamed('c')])]);
const report = (...cpu: readonly number[]): ChildOutcome => ({ ok: true, report: { samples: { cpu } } });

function start(
  run: (job: Job) => Promise<ChildOutcome>,
  { passes = 1, processes = 1, concurrency = 1, stop = new AbortController(), of = jobs } = {},
) {
  const order: string[] = [];
  const results = runJobs({
    jobs: of,
    passes,
    processes,
    concurrency,
    signal: stop.signal,
    run: (job) => {
      order.push(job.name);
      return run(job);
    },
  });
  return {
    order,
    results: results.then((map) => new Map(jobs.map(({ key, name }) => [name, map.get(key)]))),
  };
}

describe('runJobs', () => {
  it('goes through all jobs in each pass and puts their samples together', async () => {
    let count = 0;
    const { order, results } = start(async () => report((count += 1), 0), { passes: 2 });
    expect((await results).get('b')?.samples.get('cpu')).toEqual([2, 0, 5, 0]);
    expect(order.join('')).toBe('abcabc');
  });

  it('starts several processes a pass for what takes one sample a process', async () => {
    const of = planJobs([
      rowOf('loop', [
        contenderNamed('a', { sampling: 'fresh' }),
        contenderNamed('b'),
        contenderNamed('c', { sampling: 'fresh' }),
      ]),
    ]);
    const { order, results } = start(async () => report(1), { passes: 2, processes: 3, of });
    await results;
    expect(order.join('')).toBe('abcacac'.repeat(2));
  });

  it('names a job that fails, runs the others, and does not run it again', async () => {
    const { order, results } = start(
      async ({ name }) => (name === 'b' ? { ok: false, reason: 'killed after 3 s' } : report(1)),
      { passes: 3 },
    );
    const map = await results;
    expect(map.get('b')?.failures).toEqual(['killed after 3 s']);
    expect(map.get('c')?.samples.get('cpu')).toEqual([1, 1, 1]);
    expect(order.join('')).toBe('abcacac');
  });

  it('runs what this machine does not have once, and notes why', async () => {
    const { order, results } = start(
      async ({ name }) =>
        name === 'b' ? { ok: true, report: { samples: {}, unavailable: 'bwrap is missing' } } : report(1),
      { passes: 2 },
    );
    expect((await results).get('b')).toEqual({
      samples: new Map(),
      notes: ['unavailable here: bwrap is missing'],
      failures: [],
      isUnavailable: true,
    });
    expect(order.join('')).toBe('abcac');
  });

  it('keeps what a job brought before it failed, and each note once', async () => {
    let pass = 0;
    const { results } = start(
      async ({ name }) => {
        if (name === 'a') pass += 1;
        return pass < 3
          ? { ok: true, report: { samples: { cpu: [pass] }, notes: ['slow'] } }
          : { ok: false, reason: 'no' };
      },
      { passes: 3 },
    );
    const result = (await results).get('a');
    expect(result?.samples.get('cpu')).toEqual([1, 2]);
    expect(result?.notes).toEqual(['slow']);
    expect(result?.failures).toEqual(['no']);
  });

  it('runs as many at a time as it is told', async () => {
    let running = 0;
    let most = 0;
    const { results } = start(
      async () => {
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        running -= 1;
        return report(1);
      },
      { passes: 2, concurrency: 2 },
    );
    await results;
    expect(most).toBe(2);
  });

  it('ends with what it has when it is stopped, without blame for what was killed', async () => {
    const stop = new AbortController();
    const { order, results } = start(
      async ({ name }) => {
        if (name !== 'b') return report(7);
        stop.abort();
        return { ok: false, reason: 'stopped' };
      },
      { passes: 2, stop },
    );
    const map = await results;
    expect(map.get('a')?.samples.get('cpu')).toEqual([7]);
    expect(map.get('b')).toBeUndefined();
    expect(map.get('c')).toBeUndefined();
    expect(order.join('')).toBe('ab');
  });
});
