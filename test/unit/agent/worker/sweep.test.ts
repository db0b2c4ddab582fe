import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  JournalError,
  type JournaledRun,
  pendingApprovals,
  type RunFilter,
  type RunJournal,
  runAgent,
} from 'weakincentives';
import { submitRun } from 'weakincentives/durable';
import { createManualClock, memoryJournal, memoryQueue } from 'weakincentives/testing';
import { RunSweep } from '../../../../src/agent/worker/sweep.ts';
import { agentWith, calls, idle, startWorker } from './worker-setup.ts';

describe('a worker', () => {
  it('continues a run that was answered without its queue', async () => {
    const clock = createManualClock();
    const agent = agentWith(() => undefined, true);
    const started = await startWorker({
      agents: { works: { agent, options: calls } },
      clock,
      sweepMs: 1_000,
    });
    const { journal, queue, ended, errors } = started;
    await submitRun({ queue, job: { agent: 'works', runId: 'r', params: {} } });
    await idle(started);
    const [question] = await pendingApprovals({ journal, runId: 'r' });
    const answers = [{ id: question?.id ?? '', digest: question?.digest ?? '', approved: true }];
    await answerApprovals({ journal, runId: 'r', answers, clock });
    // What is young has its job, most likely.
    clock.advance(1_000);
    await idle(started);
    expect(ended).toEqual(['r suspended']);
    await expect
      .poll(() => {
        clock.advance(1_001);
        return ended;
      })
      .toContain('r done');
    expect([ended.at(0), errors]).toEqual(['r suspended', []]);
  });

  it('leaves runs alone that no worker has begun', async () => {
    const clock = createManualClock();
    const journal = memoryJournal();
    const stop = new AbortController();
    const agent = agentWith(() => stop.abort());
    const own = { ...calls({ runId: 'r' }), journal, runId: 'r', clock, signal: stop.signal };
    await runAgent(agent, own).catch(() => undefined);
    const queue = memoryQueue();
    const agents = { works: { agent, options: calls } };
    const started = await startWorker({ agents, journal, queue, clock, sweepMs: 1_000 });
    for (let sweep = 0; sweep < 3; sweep += 1) {
      clock.advance(1_001);
      await idle(started);
    }
    expect([started.ended, (await journal.runs({ ready: true })).length]).toEqual([[], 1]);
  });

  it('leaves a run alone that was put aside, until its job is sent', async () => {
    const clock = createManualClock();
    const journal = memoryJournal();
    const stop = new AbortController();
    let deliveries = 0;
    const agent = agentWith(() => {
      if (deliveries === 1) stop.abort();
    });
    const options = ({ runId }: { readonly runId: string }) => {
      deliveries += 1;
      // The second delivery has params that the agent does not have.
      return {
        ...calls({ runId }),
        signal: stop.signal,
        ...(deliveries === 2 ? { params: { wrong: 1 } } : {}),
      };
    };
    const queue = memoryQueue({ retryLimit: 1, clock });
    const agents = { works: { agent, options } };
    const started = await startWorker({ agents, journal, queue, clock, sweepMs: 1_000 });
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await expect.poll(() => queue.ended).toHaveLength(1);
    const [run] = await journal.runs();
    expect(run).toMatchObject({ isReady: true, info: { setAside: { code: expect.any(String) } } });
    for (let sweep = 0; sweep < 5; sweep += 1) {
      clock.advance(1_001);
      await idle(started);
    }
    expect(deliveries).toBe(2);
  });
});

describe('RunSweep', () => {
  const common = {
    sessionId: 's',
    status: 'interrupted',
    isReady: true,
    rows: 1,
    promptName: 'p',
    startedAtMs: 1,
    turns: 1,
    commits: 0,
    pending: 0,
  } as const;
  const runOf = (number: number, updatedAtMs: number, info?: JournaledRun['info']): JournaledRun => ({
    ...common,
    runId: `r${number}`,
    updatedAtMs,
    ...(info === undefined ? {} : { info }),
  });

  /** Sweeps over what a journal lists. */
  function sweeping(runs: readonly JournaledRun[], isDown = () => false) {
    const clock = createManualClock(1_000_000);
    const filters: RunFilter[] = [];
    const sent: string[] = [];
    const errors: unknown[] = [];
    const journal: Pick<RunJournal, 'runs'> = {
      runs: async (filter = {}) => {
        filters.push(filter);
        if (isDown()) throw new JournalError('journal-failed', 'down');
        const { limit = 0, updatedBeforeMs = 0 } = filter;
        return runs.filter((run) => run.updatedAtMs < updatedBeforeMs).slice(0, limit);
      },
    };
    const sweep = new RunSweep({
      journal,
      queue: { send: async ({ runId }) => void sent.push(runId) },
      takes: ({ agent }) => agent === 'works',
      everyMs: 1_000,
      clock,
      onError: (error) => void errors.push(error),
    });
    const next = async (): Promise<void> => {
      const count = filters.length;
      await expect
        .poll(() => {
          if (filters.length === count && clock.pending > 0) clock.advance(1_000);
          return [filters.length > count, clock.pending];
        })
        .toEqual([true, 1]);
    };
    return { clock, filters, sent, errors, sweep, next };
  }
  const jobOf = (number: number) => ({ job: { agent: 'works', runId: `r${number}` } });

  it('reads all runs in pages, and begins again after the last one', async () => {
    // The newest first, several of a millisecond, and few with a job.
    const runs = Array.from({ length: 450 }, (_, index) =>
      runOf(index, 900_000 - Math.floor(index / 3), index % 100 === 0 ? jobOf(index) : undefined),
    );
    const { sent, next, sweep } = sweeping(runs);
    await next();
    expect(sent).toEqual(['r0', 'r100']);
    await next();
    await next();
    expect([...new Set(sent)]).toEqual(['r0', 'r100', 'r200', 'r300', 'r400']);
    sent.length = 0;
    await next();
    expect(sent).toEqual(['r0', 'r100']);
    sweep.end();
  });

  it('sends jobs of its agents alone, and continues after the journal has failed', async () => {
    let isDown = true;
    const runs = [
      runOf(1, 5, jobOf(1)),
      runOf(2, 4, { job: { agent: 'other', runId: 'r2' } }),
      runOf(3, 3, { job: { agent: 'works', runId: 'another' } }),
      runOf(4, 2, { ...jobOf(4), setAside: { code: 'x', atMs: 1 } }),
      runOf(5, 1, { job: 'damaged' }),
    ];
    const { sent, errors, next, sweep, clock } = sweeping(runs, () => isDown);
    await next();
    expect([sent, errors.length]).toEqual([[], 1]);
    isDown = false;
    await next();
    expect([sent, errors.length]).toEqual([['r1'], 1]);
    sweep.end();
    expect(clock.pending).toBe(0);
  });

  it('reads on where a page is one moment', async () => {
    const runs = [
      ...Array.from({ length: 300 }, (_, index) => runOf(index, 900_000)),
      runOf(1_000, 800_000, jobOf(1_000)),
    ];
    const { sent, next, sweep } = sweeping(runs);
    for (let count = 0; count < 3; count += 1) await next();
    expect(sent).toEqual(['r1000']);
    sweep.end();
  });
});
