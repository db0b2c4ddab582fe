import { describe, expect, it } from 'vitest';
import { PromptValidationError } from 'weakincentives';
import { type RunJob, type RunQueueSendOptions, submitRun } from 'weakincentives/durable';
import { memoryQueue } from 'weakincentives/testing';

const job = { agent: 'greeter' };

describe('submitRun', () => {
  it('sends a copy of the job, and names a run that has no name', async () => {
    const queue = memoryQueue();
    const input = [{ type: 'text', text: 'half \ud83d' }] as const;
    const given = { ...job, input, params: { list: [1] }, startAfter: '2020-01-01T00:00Z' };
    expect(await submitRun({ queue, job: given, ids: () => 'named' })).toBe('named');
    expect(await submitRun({ queue, job: { ...job, runId: 'own' } })).toBe('own');
    const random = await submitRun({ queue, job });
    const [first] = queue.waiting;
    expect(first).toEqual({
      agent: 'greeter',
      runId: 'named',
      params: { list: [1] },
      startAfter: '2020-01-01T00:00Z',
      input: [{ type: 'text', text: 'half \ufffd' }],
    });
    expect(queue.waiting.map(({ runId }) => runId)).toEqual(['named', 'own', random]);
  });

  it('passes the transaction of its caller on', async () => {
    const sent: RunQueueSendOptions[] = [];
    const queue = Object.assign(memoryQueue(), {
      send: async (_: RunJob, options: RunQueueSendOptions = {}) => void sent.push(options),
    });
    const transaction = {};
    await submitRun({ queue, job, transaction });
    await submitRun({ queue, job });
    expect(sent).toEqual([{ transaction }, {}]);
    expect(sent[0]?.transaction).toBe(transaction);
  });

  it.each([
    [{ agent: '' }, 'agent'],
    [{ runId: 'a\0b' }, 'runId'],
    [{ sessionId: '' }, 'sessionId'],
    [{ input: 7 }, 'input'],
    [{ params: [] }, 'params'],
    [{ params: { at: new Date(0) } }, 'params'],
    [{ params: { big: 1n } }, 'params'],
    [{ priority: 1.5 }, 'priority'],
    [{ priority: 2_147_483_648 }, 'priority'],
    [{ startAfter: '2026-12-01' }, 'startAfter'],
    [{ startAfter: '2026-12-01T06:00' }, 'startAfter'],
    [{ startAfter: '2026-13-01T06:00:00Z' }, 'startAfter'],
    [{ startAfter: 7 }, 'startAfter'],
    [{ start: 7 }, 'start'],
  ])('refuses %o', async (members, what) => {
    const queue = memoryQueue();
    const submitted = submitRun({ queue, job: { ...job, ...members } as never });
    await expect(submitted).rejects.toSatisfy(PromptValidationError.isInstance);
    await expect(submitted).rejects.toThrow(what);
    expect(queue.waiting).toEqual([]);
  });

  it.each([
    [{ queue: {} }, 'send'],
    [{ queue: undefined }, 'queue'],
    [{ job: undefined }, 'job'],
    [{ transaction: 'begin' }, 'transaction'],
    [{ priority: 1 }, 'priority'],
  ])('refuses the options %o', async (options, what) => {
    const submitted = submitRun({ queue: memoryQueue(), job, ...options } as never);
    await expect(submitted).rejects.toThrow(what);
  });
});
