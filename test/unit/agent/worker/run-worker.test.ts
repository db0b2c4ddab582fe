import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  JournalError,
  pendingApprovals,
  type RunJournal,
  runAgent,
  suspendApproval,
} from 'weakincentives';
import { runWorker, submitRun } from 'weakincentives/durable';
import { createManualClock, memoryJournal, memoryQueue, scriptedAdapter } from 'weakincentives/testing';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import { gate } from '../../../support/gate.ts';
import { agentWith, calls, greeter, idle, startWorker, statusOf } from './worker-setup.ts';

const hello = () => ({ adapter: scriptedAdapter([{ text: 'Hello.' }]) });

/** Answers all that a run asks. */
async function answersOf(journal: RunJournal, runId: string, approved = true) {
  const pending = await pendingApprovals({ journal, runId });
  return pending.map(({ id, digest }) => ({ id, digest, approved }));
}

describe('runWorker', () => {
  it('begins the run of a job, with what the job says over the options', async () => {
    const seen: unknown[] = [];
    const adapter = scriptedAdapter((conversation) => {
      seen.push(conversation.flatMap((item) => (item.type === 'user' ? item.content : [])));
      return { text: 'Hello.' };
    });
    const options = () => ({ adapter, input: 'Unused.', params: { name: 'Ann' } });
    const started = await startWorker({ agents: { greeter: { agent: greeter, options } } });
    const { journal, queue, ended, errors } = started;
    const job = { agent: 'greeter', runId: 'r', sessionId: 's', input: 'Hi.', params: { name: 'Ben' } };
    await submitRun({ queue, job: { ...job, priority: 2 } });
    await idle(started);
    expect([ended, errors]).toEqual([['r Hello.'], []]);
    expect(seen).toEqual([[{ type: 'text', text: 'Hi.' }]]);
    const [run] = await journal.runs();
    const { input: _input, ...kept } = job;
    expect(run).toMatchObject({ runId: 'r', sessionId: 's', status: 'finished' });
    // The rows have the input.
    expect(run?.info).toEqual({ job: { ...kept, priority: 2 } });
  });

  it('says how the run has ended when a job comes again, without a model', async () => {
    const agents = { greeter: { agent: greeter, options: hello } };
    const started = await startWorker({ agents });
    const { journal, queue, ended, errors } = started;
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r', sessionId: 's' } });
    await idle(started);
    const before = await journal.read('r');
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r', sessionId: 's' } });
    await idle(started);
    expect([ended, errors]).toEqual([['r Hello.', 'r Hello.'], []]);
    expect(await journal.read('r')).toEqual(before);
  });

  it('continues a run that was interrupted', async () => {
    const journal = memoryJournal();
    const stop = new AbortController();
    const agent = agentWith(() => stop.abort());
    const once = { ...calls({ runId: 'r' }), journal, runId: 'r', input: 'Go.', signal: stop.signal };
    await runAgent(agent, once).catch(() => undefined);
    expect(await statusOf(journal, 'r')).toBe('interrupted');
    const started = await startWorker({ journal, agents: { works: { agent, options: calls } } });
    await submitRun({ queue: started.queue, job: { agent: 'works', runId: 'r', input: 'Go.' } });
    await idle(started);
    expect(started.ended).toEqual(['r done']);
  });

  it('is done with a job whose run waits for answers; an answer sends it again', async () => {
    const did: string[] = [];
    const agent = agentWith((run) => void did.push(run), true);
    const started = await startWorker({ agents: { works: { agent, options: calls } } });
    const { journal, queue, ended, errors } = started;
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await idle(started);
    expect(ended).toEqual(['r suspended']);
    const answers = await answersOf(journal, 'r');
    await answerApprovals({ journal, runId: 'r', answers, queue });
    await idle(started);
    expect([ended, did, errors]).toEqual([['r suspended', 'r done'], ['r'], []]);
    // Whoever was not sure gives them again.
    await expect(answerApprovals({ journal, runId: 'r', answers, queue })).resolves.toBeUndefined();
    await idle(started);
    expect(did).toEqual(['r']);
  });

  it('lets an answer say that there is not a job to send', async () => {
    const journal = memoryJournal();
    const agent = agentWith(() => undefined, true);
    await runAgent(agent, { ...calls({ runId: 'r' }), journal, runId: 'r', approve: suspendApproval() });
    const answers = await answersOf(journal, 'r');
    const answer = answerApprovals({ journal, runId: 'r', answers, queue: memoryQueue() });
    await expect(answer).rejects.toThrow('No worker has begun the run "r"');
    expect(await answersOf(journal, 'r')).toEqual(answers);
  });

  describe('gives a job back, uncounted,', () => {
    it('while another process has its run', async () => {
      const clock = createManualClock();
      const queue = memoryQueue({ retryLimit: 0, clock });
      const agents = { greeter: { agent: greeter, options: hello } };
      const started = await startWorker({ agents, queue, clock });
      const { journal, ended, errors } = started;
      const lease = await journal.acquire('r');
      await submitRun({ queue, job: { agent: 'greeter', runId: 'r' } });
      for (let delivery = 0; delivery < 5; delivery += 1) {
        clock.advance(3_000);
        await expect.poll(() => queue.waiting).toHaveLength(1);
      }
      await lease.release();
      clock.advance(3_000);
      await expect.poll(() => ended).toEqual(['r Hello.']);
      expect([errors, queue.ended]).toEqual([[], []]);
    });

    it('when the journal has failed', async () => {
      const clock = createManualClock();
      const queue = memoryQueue({ retryLimit: 0, clock });
      const kept = memoryJournal();
      let isDown = true;
      const journal: RunJournal = {
        ...journalOperations(kept),
        runs: async (filter) => {
          if (isDown) throw new JournalError('journal-failed', 'The database is away.');
          return kept.runs(filter);
        },
      };
      const agents = { greeter: { agent: greeter, options: hello } };
      const { ended, errors } = await startWorker({ agents, queue, clock, journal });
      await submitRun({ queue, job: { agent: 'greeter', runId: 'r' } });
      await expect.poll(() => errors).toEqual(['The database is away.']);
      isDown = false;
      await expect.poll(() => queue.waiting).toHaveLength(1);
      clock.advance(5_000);
      await expect.poll(() => ended).toEqual(['r Hello.']);
    });

    it.each([
      ['that has the agent', { agent: 'other' }, 'the agent "other"'],
      ['of another version', { agent: 'greeter', version: '2' }, 'version "2" of the agent "greeter"'],
    ])('to a worker %s', async (_, names, what) => {
      const clock = createManualClock();
      const queue = memoryQueue({ retryLimit: 0, clock });
      const journal = memoryJournal();
      const own = { greeter: { agent: greeter, version: '1', options: hello } };
      const first = await startWorker({ agents: own, journal, queue, clock, strict: true });
      await submitRun({ queue, job: { ...names, runId: 'r' } });
      await expect
        .poll(() => first.errors)
        .toEqual([`The worker does not have ${what}, so the run "r" is left to another one.`]);
      await first.worker[Symbol.asyncDispose]();
      const theirs = { [names.agent]: { agent: greeter, version: '2', options: hello } };
      const second = await startWorker({ agents: theirs, journal, queue, clock, strict: true });
      clock.advance(5_000);
      await expect.poll(() => second.ended).toEqual(['r Hello.']);
      expect(first.ended).toEqual([]);
    });

    it('to a worker of the version that began its run, when it is strict', async () => {
      const clock = createManualClock();
      const queue = memoryQueue({ retryLimit: 0, clock });
      const journal = memoryJournal();
      const stop = new AbortController();
      const agent = agentWith(() => stop.abort());
      const once = { ...calls({ runId: 'r' }), journal, runId: 'r', signal: stop.signal };
      await runAgent(agent, once).catch(() => undefined);
      const changed = { ...agentWith(() => undefined, true) };
      const first = await startWorker({
        agents: { works: { agent: changed, options: calls } },
        journal,
        queue,
        clock,
        strict: true,
      });
      await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
      await expect.poll(() => first.errors).toEqual([expect.stringContaining('another policies')]);
      await expect.poll(() => queue.waiting).toHaveLength(1);
      await first.worker[Symbol.asyncDispose]();
      const agents = { works: { agent, options: calls } };
      const second = await startWorker({ agents, journal, queue, clock, strict: true });
      clock.advance(5_000);
      await expect.poll(() => second.ended).toEqual(['r done']);
    });
  });

  it('takes a job for another version when it is not strict', async () => {
    const agents = { greeter: { agent: greeter, version: '1', options: hello } };
    const started = await startWorker({ agents });
    await submitRun({ queue: started.queue, job: { agent: 'greeter', runId: 'r', version: '2' } });
    await idle(started);
    expect(started.ended).toEqual(['r Hello.']);
  });

  describe('puts a job aside', () => {
    it.each([
      ['with params that the agent does not have', { params: { wrong: 1 } }, 'params'],
      ['that is not one', { priority: 0.5 }, 'job.priority'],
      ['with an unknown member', { inptu: 'Hi.' }, 'inptu'],
    ])('%s', async (_, members, message) => {
      const queue = memoryQueue();
      const started = await startWorker({ agents: { greeter: { agent: greeter, options: hello } }, queue });
      await queue.send({ agent: 'greeter', runId: 'r', ...members });
      await expect.poll(() => queue.ended).toHaveLength(1);
      expect(queue.ended[0]?.outcome.kind).toBe('aside');
      expect(started.errors).toEqual([expect.stringContaining(message)]);
    });

    it('of a run that began otherwise, and leaves that run to its own job', async () => {
      const started = await startWorker({ agents: { greeter: { agent: greeter, options: hello } } });
      const { queue, ended, errors } = started;
      await submitRun({ queue, job: { agent: 'greeter', runId: 'r', input: 'One.' } });
      await idle(started);
      await submitRun({ queue, job: { agent: 'greeter', runId: 'r', input: 'Two.' } });
      await expect.poll(() => queue.ended).toHaveLength(1);
      expect(errors).toEqual([expect.stringContaining('another input')]);
      expect(ended).toEqual(['r Hello.']);
    });
  });

  it('leaves it to the queue how often a failure is tried again', async () => {
    let asked = 0;
    const queue = memoryQueue({ retryLimit: 2 });
    const adapter = scriptedAdapter(() => {
      asked += 1;
      throw new Error('down');
    });
    const agents = { greeter: { agent: greeter, options: () => ({ adapter, retry: false as const }) } };
    const { errors } = await startWorker({ agents, queue });
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r' } });
    await expect.poll(() => queue.ended.map(({ outcome }) => outcome.kind)).toEqual(['failed']);
    expect([asked, errors.length]).toEqual([3, 3]);
  });

  it('disposes of the options of a run after it, also of one that fails', async () => {
    const log: string[] = [];
    const options = ({ runId }: { readonly runId: string }) => ({
      adapter: scriptedAdapter(() => {
        if (runId === 'bad') throw new Error('down');
        return { text: 'Hello.' };
      }),
      retry: false as const,
      [Symbol.asyncDispose]: async () => void log.push(`closed ${runId}`),
    });
    const onRun = (_: unknown, { runId }: { readonly runId: string }) => void log.push(`ended ${runId}`);
    const queue = memoryQueue({ retryLimit: 0 });
    const started = await startWorker({
      agents: { greeter: { agent: greeter, options } },
      queue,
      onRun,
      concurrency: 1,
    });
    for (const runId of ['good', 'bad']) await submitRun({ queue, job: { agent: 'greeter', runId } });
    await idle(started);
    expect(log).toEqual(['ended good', 'closed good', 'closed bad']);
  });

  it('counts a failure of what is notified, and does not run the agent again', async () => {
    let asked = 0;
    let notified = 0;
    const adapter = scriptedAdapter(() => ({ text: `Hello ${(asked += 1)}.` }));
    const onRun = () => {
      notified += 1;
      if (notified === 1) throw new Error('The mail server is down.');
    };
    const agents = { greeter: { agent: greeter, options: () => ({ adapter }) } };
    const started = await startWorker({ agents, onRun });
    await submitRun({ queue: started.queue, job: { agent: 'greeter', runId: 'r' } });
    await idle(started);
    expect([asked, notified, started.errors]).toEqual([1, 2, ['The mail server is down.']]);
  });

  it('has as many runs under way as it may', async () => {
    const open = gate();
    let running = 0;
    let most = 0;
    const agent = agentWith(async () => {
      running += 1;
      most = Math.max(most, running);
      await open.pass();
      running -= 1;
    });
    const started = await startWorker({ agents: { works: { agent, options: calls } }, concurrency: 3 });
    for (let index = 0; index < 7; index += 1)
      await submitRun({ queue: started.queue, job: { agent: 'works', runId: `r${index}` } });
    await expect.poll(() => running).toBe(3);
    expect(started.worker.working).toBe(3);
    open.open();
    await idle(started);
    expect([most, started.ended.length]).toEqual([3, 7]);
  });

  it.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ drainMs: -1 }, 'drainMs'],
    [{ agents: { greeter: {} } }, 'agents.greeter'],
    [{ agents: { greeter: { agent: { name: 'greeter' } } } }, 'agents.greeter.agent'],
    [{ agents: { greeter: { agent: greeter, option: {} } } }, 'agents.greeter.option'],
    [{ queue: {} }, 'send'],
    [{ worker: 1 }, 'worker'],
  ])('refuses %j', async (options, what) => {
    const given = { journal: memoryJournal(), queue: memoryQueue(), agents: {}, ...options };
    // What untyped code passes.
    await expect(runWorker(given as never)).rejects.toThrow(what);
  });
});
