import { describe, expect, it } from 'vitest';
import { submitRun } from 'weakincentives/durable';
import { createManualClock, memoryJournal, memoryQueue } from 'weakincentives/testing';
import { gate } from '../../../support/gate.ts';
import { agentWith, calls, startWorker, statusOf } from './worker-setup.ts';

/** A worker whose run waits at a gate, and the clock that its end is measured by. */
async function atGate() {
  const clock = createManualClock();
  const open = gate();
  const agent = agentWith(() => open.pass());
  const agents = { works: { agent, options: calls } };
  const journal = memoryJournal();
  const queue = memoryQueue({ retryLimit: 0 });
  const started = await startWorker({ agents, journal, queue, clock, drainMs: 20_000 });
  await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
  await open.reached;
  return { ...started, clock, open, agents };
}

describe('draining a worker', () => {
  it('lets a run end that does so in half of the time', async () => {
    const { worker, queue, journal, ended, errors, open, clock } = await atGate();
    const drained = worker[Symbol.asyncDispose]();
    await submitRun({ queue, job: { agent: 'works', runId: 'next' } });
    clock.advance(9_999);
    open.open();
    await drained;
    expect([ended, errors]).toEqual([['r done'], []]);
    expect(queue.waiting.map(({ runId }) => runId)).toEqual(['next']);
    expect(await statusOf(journal, 'next')).toBeUndefined();
  });

  it('then interrupts the others, so that another worker continues at once', async () => {
    const { worker, queue, journal, ended, errors, open, clock, agents } = await atGate();
    const drained = worker[Symbol.asyncDispose]();
    clock.advance(10_000);
    // The handler ends when its call was aborted.
    open.open();
    await drained;
    expect([ended, errors, await statusOf(journal, 'r')]).toEqual([[], [], 'interrupted']);
    expect(queue.waiting.map(({ runId }) => runId)).toEqual(['r']);
    expect((await journal.runs({ ready: true })).map(({ runId }) => runId)).toEqual(['r']);
    const second = await startWorker({ agents, journal, queue });
    await expect.poll(() => second.ended).toEqual(['r done']);
    expect(second.errors).toEqual([]);
  });

  it('gives jobs back at last whose handlers hang, and ends in time', async () => {
    const { worker, queue, errors, clock, open } = await atGate();
    const drained = worker[Symbol.asyncDispose]();
    expect(worker[Symbol.asyncDispose]()).toBe(drained);
    clock.advance(10_000);
    clock.advance(8_000);
    await drained;
    expect(queue.waiting.map(({ runId }) => runId)).toEqual(['r']);
    expect(errors).toEqual([]);
    open.open();
  });

  it('ends in time when the queue does not answer', async () => {
    const clock = createManualClock();
    const errors: unknown[] = [];
    const queue = Object.assign(memoryQueue(), {
      work: async () => ({ [Symbol.asyncDispose]: () => new Promise<void>(() => undefined) }),
    });
    const { worker } = await startWorker({
      agents: {},
      queue,
      clock,
      drainMs: 5_000,
      onError: (e) => errors.push(e),
    });
    const drained = worker[Symbol.asyncDispose]();
    clock.advance(5_000);
    await drained;
    expect([errors, clock.pending]).toEqual([[], 0]);
  });
});
