import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  cancelRun,
  ensureRun,
  pendingApprovals,
  resumeRun,
  SessionBusyError,
} from 'weakincentives';
import { submitRun } from 'weakincentives/durable';
import { memoryJournal, memoryQueue, scriptedAdapter } from 'weakincentives/testing';
import { gate } from '../../../support/gate.ts';
import { agentWith, calls, greeter, idle, startWorker, statusOf, type TestWorker } from './worker-setup.ts';

/** Delivers the job of a run three times. */
async function deliver(started: TestWorker): Promise<void> {
  for (let delivery = 0; delivery < 3; delivery += 1) {
    await submitRun({ queue: started.queue, job: { agent: 'works', runId: 'r' } });
    await idle(started);
  }
}

describe('a run that is cancelled', () => {
  it('while its job waits, never begins', async () => {
    const journal = memoryJournal();
    const queue = memoryQueue();
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await cancelRun({ journal, runId: 'r', queue, by: 'ann', reason: 'obsolete' });
    await cancelRun({ journal, runId: 'r', queue });
    expect(queue.waiting).toEqual([]);
    const did: string[] = [];
    const agents = { works: { agent: agentWith((run) => void did.push(run)), options: calls } };
    const started = await startWorker({ agents, journal, queue });
    await deliver(started);
    expect([did, started.ended, started.errors, queue.ended]).toEqual([[], [], [], []]);
    expect(await journal.runs()).toMatchObject([
      { runId: 'r', status: 'cancelled', rows: 0, isReady: false },
    ]);
    const prompt = greeter.template.bind({});
    const job = { adapter: scriptedAdapter([]), prompt, journal, runId: 'r' };
    const message = 'The run "r" was cancelled by "ann": obsolete.';
    await expect(ensureRun(job)).rejects.toMatchObject({ code: 'run-cancelled', message });
    await expect(resumeRun(job)).rejects.toMatchObject({ code: 'run-cancelled', message });
    const { adapter, prompt: _prompt, ...options } = job;
    await expect(adapter.evaluate(prompt, options)).rejects.toMatchObject({ code: 'run-cancelled', message });
  });

  it('while its job waits, is unknown to a caller without a queue', async () => {
    const journal = memoryJournal();
    await expect(cancelRun({ journal, runId: 'r' })).rejects.toThrow('"r"');
    expect(await journal.runs()).toEqual([]);
  });

  it('at the moment when it begins, is to be cancelled again', async () => {
    const journal = memoryJournal();
    const lease = await journal.acquire('r');
    const cancelled = cancelRun({ journal, runId: 'r', queue: memoryQueue() });
    await expect(cancelled).rejects.toSatisfy(SessionBusyError.isInstance);
    await lease.release();
  });

  it('while it continues, ends, and its job is done', async () => {
    const open = gate();
    const agent = agentWith(() => open.pass());
    const started = await startWorker({ agents: { works: { agent, options: calls } } });
    const { journal, queue, ended, errors } = started;
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await open.reached;
    await cancelRun({ journal, runId: 'r', queue });
    open.open();
    await idle(started);
    await deliver(started);
    expect([await statusOf(journal, 'r'), ended, errors]).toEqual(['cancelled', [], []]);
  });

  it('while it waits for an answer, does not continue', async () => {
    const did: string[] = [];
    const agent = agentWith((run) => void did.push(run), true);
    const started = await startWorker({ agents: { works: { agent, options: calls } } });
    const { journal, queue, ended, errors } = started;
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await idle(started);
    const [question] = await pendingApprovals({ journal, runId: 'r' });
    const answers = [{ id: question?.id ?? '', digest: question?.digest ?? '', approved: true }];
    await cancelRun({ journal, runId: 'r', queue });
    await expect(answerApprovals({ journal, runId: 'r', answers, queue })).rejects.toMatchObject({
      code: 'run-cancelled',
    });
    await deliver(started);
    expect([await statusOf(journal, 'r'), ended, did, errors]).toEqual([
      'cancelled',
      ['r suspended'],
      [],
      [],
    ]);
  });

  it('after its end keeps its answer', async () => {
    const started = await startWorker({
      agents: { works: { agent: agentWith(() => undefined), options: calls } },
    });
    const { journal, queue } = started;
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await idle(started);
    await expect(cancelRun({ journal, runId: 'r', queue })).rejects.toMatchObject({ code: 'run-ended' });
    expect(await statusOf(journal, 'r')).toBe('finished');
  });
});
