import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  cancelRun,
  forkRun,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  PromptEvaluationError,
  PromptValidationError,
  pendingApprovals,
  promptTemplate,
  type RunJournal,
  RunRefusedError,
  resumeRun,
  Session,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord } from 'weakincentives/record';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { journalOperations } from '../../../src/core/runtime/index.ts';

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const refused =
  (code: string, message: string) =>
  (error: unknown): boolean =>
    RunRefusedError.isInstance(error) && error.code === code && error.message === message;

/** A prompt with a tool that does what it is given. */
function promptWith(execute: () => void | Promise<void>, asks = false): Prompt {
  const work = tool({
    name: 'work',
    description: 'Works.',
    effects: 'state',
    execute: async () => {
      await execute();
      return ToolResult.ok(null, 'worked');
    },
  });
  const policies = asks ? [{ name: 'ask', check: () => PolicyDecision.ask('Sure?') }] : [];
  return promptTemplate({
    ns: 'test',
    key: 'cancelled',
    policies,
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [work] })],
  }).bind();
}

const calls = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([{ toolCalls: [{ name: 'work' }] }, { text: 'done' }]);

async function recordOf(journal: RunJournal, runId = 'r') {
  const rows = await journal.read(runId);
  return readRunRecord(rows.map(({ line }) => line));
}

const statusOf = async (journal: RunJournal, runId = 'r'): Promise<string | undefined> =>
  (await journal.runs({ runId }))[0]?.status;

describe('a run that is cancelled', () => {
  it('while a call of this process is running, ends with who did it and why', async () => {
    const journal = memoryJournal();
    let model = 0;
    const adapter = scriptedAdapter(() => {
      model += 1;
      return { toolCalls: [{ name: 'work' }] };
    });
    const prompt = promptWith(() => cancelRun({ journal, runId: 'r', by: 'ann', reason: 'obsolete' }));
    const error = await rejection(adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.' }));
    expect(error).toSatisfy(PromptEvaluationError.isInstance);
    expect(error).toMatchObject({
      code: 'evaluation-cancelled',
      cause: { code: 'run-cancelled', message: 'The run "r" was cancelled by "ann": obsolete.' },
    });
    expect(model).toBe(1);
    const [run] = await journal.runs();
    expect(run).toMatchObject({ status: 'cancelled', isReady: false, pending: 0 });
    expect(await journal.messages('r')).toEqual([]);
    const record = await recordOf(journal);
    expect(record.cancelled).toMatchObject({ by: 'ann', reason: 'obsolete' });
    expect(record.root).toMatchObject({ outcome: 'failed', error: { code: 'evaluation-cancelled' } });
    expect(record.calls.map(({ outcome }) => outcome)).not.toContain('committed');
  });

  it('does not continue, is not answered and can be forked', async () => {
    const journal = memoryJournal();
    let worked = 0;
    const prompt = promptWith(() => void (worked += 1), true);
    const approve = suspendApproval();
    await calls().evaluate(prompt, { journal, runId: 'r', input: 'Go.', approve });
    const [question] = await pendingApprovals({ journal, runId: 'r' });
    if (question === undefined) throw new Error('Nothing was asked.');
    await cancelRun({ journal, runId: 'r', reason: 'No longer wanted!' });
    await cancelRun({ journal, runId: 'r', by: 'ben', reason: 'The second one changes nothing.' });

    expect(await pendingApprovals({ journal, runId: 'r' })).toEqual([]);
    const isRefused = refused('run-cancelled', 'The run "r" was cancelled: No longer wanted!');
    const before = await journal.read('r');
    const { id, digest } = question;
    const answers = [{ id, digest, approved: true }];
    expect(await rejection(answerApprovals({ journal, runId: 'r', answers }))).toSatisfy(isRefused);
    const resumed = resumeRun({ adapter: calls(), prompt, journal, runId: 'r', approve, answers });
    expect(await rejection(resumed)).toSatisfy(isRefused);
    expect(await journal.read('r')).toEqual(before);
    expect(worked).toBe(0);
    expect(await statusOf(journal)).toBe('cancelled');
  });

  it('is taken by the next owner when the one who cancelled it was killed before', async () => {
    const journal = memoryJournal();
    const broken = scriptedAdapter(() => {
      throw new Error('The provider is down.');
    });
    const prompt = promptWith(() => undefined);
    await rejection(broken.evaluate(prompt, { journal, runId: 'r', input: 'Go.', retry: false }));
    await journal.send('r', { id: 'cancel', kind: 'cancel', atMs: 5, by: 'ann' });
    expect(await statusOf(journal)).toBe('failed');
    const isRefused = refused('run-cancelled', 'The run "r" was cancelled by "ann".');
    for (let tries = 1; tries <= 2; tries += 1) {
      const resumed = resumeRun({ adapter: calls(), prompt, journal, runId: 'r' });
      expect(await rejection(resumed)).toSatisfy(isRefused);
      expect(await statusOf(journal)).toBe('cancelled');
    }
    expect((await recordOf(journal)).cancelled).toMatchObject({ by: 'ann' });
  });

  it('keeps its answer, and says that there is nothing to cancel', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => undefined);
    await calls().evaluate(prompt, { journal, runId: 'r', input: 'Go.' });
    const error = await rejection(cancelRun({ journal, runId: 'r' }));
    expect(error).toSatisfy(
      refused('run-ended', 'The run "r" has its answer, so there is nothing to cancel.'),
    );
    expect(await statusOf(journal)).toBe('finished');
  });

  it('while its last rows are written, ends as it was going to', async () => {
    const journal = memoryJournal();
    const cancelling: RunJournal = {
      ...journalOperations(journal),
      append: async (batch, lease) => {
        if (batch.rows.some(({ type }) => type === 'end')) await cancelRun({ journal, runId: 'r' });
        return journal.append(batch, lease);
      },
    };
    const { text } = await scriptedAdapter([{ text: 'done' }]).evaluate(
      promptWith(() => undefined),
      {
        journal: cancelling,
        runId: 'r',
        input: 'Go.',
      },
    );
    expect(text).toBe('done');
    expect(await statusOf(journal)).toBe('finished');
  });

  it('while it is being suspended, is not listed as one that waits', async () => {
    const journal = memoryJournal();
    const cancelling: RunJournal = {
      ...journalOperations(journal),
      append: async (batch, lease) => {
        if (batch.rows.some(({ type }) => type === 'end'))
          await cancelRun({ journal, runId: 'r', by: 'ann' });
        return journal.append(batch, lease);
      },
    };
    const approve = suspendApproval();
    const begun = { journal: cancelling, runId: 'r', input: 'Go.', approve };
    await rejection(
      calls().evaluate(
        promptWith(() => undefined, true),
        begun,
      ),
    );
    expect((await journal.runs())[0]).toMatchObject({ status: 'cancelled', pending: 0, isReady: false });
    expect(await journal.messages('r')).toEqual([]);
  });

  it('of a tool runtime refuses every later call with the reason', async () => {
    const journal = memoryJournal();
    await using runtime = await openToolRuntime(
      promptWith(() => undefined),
      { journal, runId: 'served', session: new Session({ id: 's' }) },
    );
    const call = (callId: string) => runtime.runCalls([{ callId, name: 'work', arguments: {} }]);
    expect((await call('1'))[0]?.isError).not.toBe(true);
    await cancelRun({ journal, runId: 'served', by: 'ann', reason: 'The release is out.' });
    for (const callId of ['2', '3']) {
      const error = await rejection(call(callId));
      expect(error).toMatchObject({ code: 'evaluation-cancelled' });
      expect(String(error)).toContain('The release is out.');
    }
    await runtime[Symbol.asyncDispose]();
    expect(await statusOf(journal, 'served')).toBe('cancelled');
  });

  it('is one that the journal has, with options of the right kind', async () => {
    const journal = memoryJournal();
    const error = await rejection(cancelRun({ journal, runId: 'r' }));
    expect(error).toSatisfy(PromptValidationError.isInstance);
    expect(error).toMatchObject({ message: 'The journal has no run "r".' });
    // @ts-expect-error -- As from a program without types.
    expect(await rejection(cancelRun({ journal, runId: 'r', why: 'x' }))).toMatchObject({
      code: 'prompt-invalid',
    });
  });

  it('is the base of a fork, which continues', async () => {
    const journal = memoryJournal();
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'work' }] }, { text: 'never' }]);
    let model = 0;
    const prompt = promptWith(() => undefined);
    const signal = new AbortController();
    const begun = adapter.evaluate(prompt, {
      journal,
      runId: 'r',
      input: 'Go.',
      signal: signal.signal,
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'turn-start' && (model += 1) === 2) signal.abort();
          },
        },
      ],
    });
    await rejection(begun);
    await cancelRun({ journal, runId: 'r' });
    await forkRun({ journal, runId: 'r', at: 1, newRunId: 'fork' });
    expect(await statusOf(journal, 'fork')).toBe('interrupted');
    const resumed = await resumeRun({
      adapter: scriptedAdapter([{ text: 'never' }, { text: 'another way' }]),
      prompt,
      journal,
      runId: 'fork',
    });
    expect(resumed).toMatchObject({ text: 'another way' });
  });
});
