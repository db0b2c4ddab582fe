import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  cancelRun,
  type EnsureRunOptions,
  ensureRun,
  PolicyDecision,
  type Prompt,
  pendingApprovals,
  promptTemplate,
  RunRefusedError,
  resumeRun,
  Session,
  SessionBusyError,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const params = z.object({ topic: z.string().default('docs') });

function promptOf({
  key = 'job',
  topic = 'docs',
  asks = false,
  onWork = (): void => undefined,
} = {}): Prompt {
  const work = tool({
    name: 'work',
    description: 'Works.',
    execute: () => {
      onWork();
      return ToolResult.ok(null, 'worked');
    },
  });
  const policies = asks ? [{ name: 'ask', check: () => PolicyDecision.ask('Sure?') }] : [];
  return promptTemplate({
    ns: 'test',
    key,
    policies,
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params,
        template: ({ topic: about }) => `Work on ${about}.`,
        tools: [work],
      }),
    ],
  }).bind({ topic });
}

/** A model that counts how often it is asked. */
function countingModel() {
  let asked = 0;
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    asked += 1;
    return turn === 1
      ? { toolCalls: [{ name: 'work' }], usage: { inputTokens: 3 } }
      : { text: 'done', usage: { inputTokens: 4 } };
  });
  return { adapter, asked: () => asked };
}

describe('a job that is delivered more than once', () => {
  it('runs once, and says its answer again from its last row', async () => {
    let worked = 0;
    const { adapter, asked } = countingModel();
    const journal = memoryJournal();
    const job = { journal, adapter, prompt: promptOf({ onWork: () => (worked += 1) }), runId: 'job-1' };
    const first = await ensureRun({ ...job, input: 'Go.' });
    expect(first).toMatchObject({ text: 'done', usage: { inputTokens: 7 }, finishReason: 'stop' });
    const rows = await journal.read('job-1');
    expect(await ensureRun({ ...job, input: 'Go.' })).toEqual(first);
    // With a session the state of the run is made again as well.
    const session = new Session({ id: 'job-1' });
    expect(await ensureRun({ ...job, input: 'Go.', session })).toEqual(first);
    expect([worked, asked()]).toEqual([1, 2]);
    expect(await journal.read('job-1')).toEqual(rows);
  });

  it('has the typed answer of its prompt', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'typed',
      output: z.object({ atMs: z.number().transform((ms) => new Date(ms)) }),
      sections: [section({ title: 'Task', key: 'task', template: 'Say when.' })],
    }).bind();
    const job = { journal: memoryJournal(), prompt, runId: 'j', approve: undefined };
    const { approve: _none, ...options } = job;
    const adapter = scriptedAdapter([{ text: '{"atMs": 5}' }]);
    const first = await ensureRun({ ...options, adapter });
    expect(first).toMatchObject({ output: { atMs: new Date(5) } });
    expect(await ensureRun({ ...options, adapter })).toEqual(first);
  });

  it('continues after its model has failed', async () => {
    let worked = 0;
    const broken = scriptedAdapter((_conversation, { turn }) => {
      if (turn === 1) return { toolCalls: [{ name: 'work' }] };
      throw new Error('The provider is down.');
    });
    const { adapter } = countingModel();
    const job = {
      journal: memoryJournal(),
      prompt: promptOf({ onWork: () => (worked += 1) }),
      runId: 'j',
      input: 'Go.',
      retry: false,
    } as const;
    await rejection(ensureRun({ ...job, adapter: broken }));
    expect(await ensureRun({ ...job, adapter })).toMatchObject({ text: 'done' });
    expect(worked).toBe(1);
  });

  it('waits for its answers without a model, and continues with them', async () => {
    let worked = 0;
    const journal = memoryJournal();
    const { adapter, asked } = countingModel();
    const prompt = promptOf({ asks: true, onWork: () => (worked += 1) });
    const job = { journal, adapter, prompt, runId: 'j', input: 'Go.', approve: suspendApproval() };
    const first = await ensureRun(job);
    expect(first).toMatchObject({ finishReason: 'suspended', pending: [{ toolName: 'work' }] });
    const rows = await journal.read('j');
    expect(await ensureRun(job)).toEqual(first);
    expect(await journal.read('j')).toEqual(rows);
    expect(asked()).toBe(1);
    expect((await journal.runs({ ready: true })).map(({ runId }) => runId)).toEqual([]);

    const questions = await pendingApprovals({ journal, runId: 'j' });
    const answers = questions.map(({ id, digest }) => ({ id, digest, approved: true }));
    await answerApprovals({ journal, runId: 'j', answers });
    expect((await journal.runs({ ready: true })).map(({ runId }) => runId)).toEqual(['j']);
    expect(await ensureRun(job)).toMatchObject({ text: 'done' });
    expect(worked).toBe(1);
  });

  it.each([
    ['prompt', { prompt: promptOf({ key: 'other' }) }],
    ['params', { prompt: promptOf({ topic: 'code' }) }],
    ['input', { input: 'Stop.' }],
    ['params', { prompt: promptOf({ topic: 'tests' }) }],
    ['prompt and another input', { prompt: promptOf({ key: 'other' }), input: 'Stop.' }],
  ])('is refused when it began with another %s', async (what, other) => {
    const { adapter } = countingModel();
    const job: EnsureRunOptions = {
      journal: memoryJournal(),
      adapter,
      prompt: promptOf(),
      runId: 'j',
      input: 'Go.',
    };
    await ensureRun(job);
    const error = await rejection(ensureRun({ ...job, ...other }));
    expect(error).toSatisfy(RunRefusedError.isInstance);
    expect(error).toMatchObject({ code: 'run-known-otherwise', details: { runId: 'j' } });
    expect(String(error)).toContain(`began with another ${what}.`);
    // What is left out is not compared: the journal has it.
    const { input: _input, ...rest } = job;
    expect(await ensureRun(rest)).toMatchObject({ text: 'done' });
  });

  it('compares what was said with pictures and without', async () => {
    const data = 'AQID';
    const input = [
      { type: 'text', text: 'Look.' },
      { type: 'image', mediaType: 'image/png', data },
    ] as const;
    const { adapter } = countingModel();
    const job = { journal: memoryJournal(), adapter, prompt: promptOf(), runId: 'j' };
    await ensureRun({ ...job, input });
    expect(await ensureRun({ ...job, input })).toMatchObject({ text: 'done' });
    const other = [input[0], { ...input[1], data: 'AQIE' }];
    expect(await rejection(ensureRun({ ...job, input: other }))).toMatchObject({
      code: 'run-known-otherwise',
    });
  });

  it('is begun by one of two processes that get it at the same time', async () => {
    let worked = 0;
    const journal = memoryJournal();
    const prompt = promptOf({ onWork: () => (worked += 1) });
    const job = { journal, prompt, runId: 'j', input: 'Go.' };
    const both = await Promise.allSettled([
      ensureRun({ ...job, adapter: countingModel().adapter }),
      ensureRun({ ...job, adapter: countingModel().adapter }),
    ]);
    expect(worked).toBe(1);
    const rejected = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toSatisfy(SessionBusyError.isInstance);
    expect(await ensureRun({ ...job, adapter: countingModel().adapter })).toMatchObject({ text: 'done' });
  });

  it('is refused once it was cancelled, without a model', async () => {
    const journal = memoryJournal();
    const { adapter, asked } = countingModel();
    const job = {
      journal,
      adapter,
      prompt: promptOf({ asks: true }),
      runId: 'j',
      approve: suspendApproval(),
    };
    await ensureRun(job);
    await cancelRun({ journal, runId: 'j', by: 'ann' });
    expect(await rejection(ensureRun(job))).toMatchObject({ code: 'run-cancelled' });
    expect(asked()).toBe(1);
  });

  it('has nothing to answer while it has not begun, and refuses unknown options', async () => {
    const { adapter } = countingModel();
    const job = { journal: memoryJournal(), adapter, prompt: promptOf(), runId: 'j' };
    const answers = [{ id: 'x', digest: 'y', approved: true }];
    expect(await rejection(ensureRun({ ...job, answers }))).toMatchObject({ details: { option: 'answers' } });
    // @ts-expect-error -- As from a program without types.
    expect(await rejection(ensureRun({ ...job, runid: 'x' }))).toMatchObject({ code: 'prompt-invalid' });
  });

  it('is one that resumeRun knows, too', async () => {
    const journal = memoryJournal();
    const { adapter } = countingModel();
    const job = { journal, adapter, prompt: promptOf(), runId: 'j' };
    await ensureRun({ ...job, input: 'Go.' });
    expect(await resumeRun(job)).toMatchObject({ text: 'done' });
  });
});
