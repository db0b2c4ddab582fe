import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  type ConversationItem,
  cancelRun,
  ensureRun,
  jsonSchema,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  PromptValidationError,
  pendingApprovals,
  promptTemplate,
  type RunEvent,
  type RunJournal,
  type RunLease,
  RunRefusedError,
  resumeRun,
  sayToRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { createManualClock, memoryJournal, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { journalOperations } from '../../../src/core/runtime/index.ts';

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What a conversation holds, an item a word: what was said, what was answered, and results of calls. */
const outline = (conversation: readonly ConversationItem[]): readonly string[] =>
  conversation.map((item) => {
    switch (item.type) {
      case 'user':
        return `${item.source ?? 'user'}: ${item.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('|')}`;
      case 'assistant':
        return item.content
          .map((part) =>
            part.type === 'text' ? part.text : part.type === 'tool-call' ? `→${part.name}` : part.type,
          )
          .join(' ');
      case 'tool-result':
        return `result: ${item.text}`;
      case 'approval':
        return 'approval';
    }
  });

/** A prompt with a tool that does what it is given. */
function promptWith(execute: () => void | Promise<unknown>, asks = false, result = 'worked'): Prompt {
  const work = tool({
    name: 'work',
    description: 'Works.',
    effects: 'state',
    execute: async () => {
      await execute();
      return ToolResult.ok(null, result);
    },
  });
  const policies = asks ? [{ name: 'ask', check: () => PolicyDecision.ask('Sure?') }] : [];
  return promptTemplate({
    ns: 'test',
    key: 'said',
    policies,
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [work] })],
  }).bind();
}

/** The journal as another process has it: nothing tells the owner of a run what is said to it but its own appends and readings. */
function unheard(journal: RunJournal): RunJournal {
  const leases = new Map<string, RunLease>();
  return {
    ...journalOperations(journal),
    acquire: async (sessionId, ended) => {
      const lease = await journal.acquire(sessionId, ended);
      leases.set(lease.owner, lease);
      return { ...lease, watch: () => () => undefined };
    },
    append: (batch, lease) => journal.append(batch, leases.get(lease.owner) ?? lease),
  };
}

/** A model that calls in its first turns and then answers, with the requests that it got. */
function calling(turns: number, during?: (turn: number) => Promise<unknown> | undefined) {
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter(async (conversation, { turn }): Promise<ScriptedTurn> => {
    requests.push(outline(conversation));
    await during?.(turn);
    return turn <= turns ? { toolCalls: [{ name: 'work' }, { name: 'work' }] } : { text: `end ${turn}` };
  });
  return { adapter, requests };
}

async function recordOf(journal: RunJournal, runId = 'r') {
  const rows = await journal.read(runId);
  return readRunRecord(rows.map(({ line }) => line));
}

const inputRows = async (journal: RunJournal) =>
  (await journal.read('r')).filter(({ type }) => type === 'input').map(({ line }) => JSON.parse(line));

const two = ['result: worked', 'result: worked'];

describe('what is said to a run', () => {
  it('while calls run, is read before the next turn, after the results, with who said it', async () => {
    const journal = memoryJournal();
    const events: RunEvent[] = [];
    let said = 0;
    const prompt = promptWith(() => {
      said += 1;
      return sayToRun({ journal, runId: 'r', input: `Use blue ${said}.`, by: 'ann', id: `m${said}` });
    });
    const { adapter, requests } = calling(1);
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    await adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.', observers });
    expect(requests[1]).toEqual([
      'user: Go.',
      '→work →work',
      ...two,
      'user: Use blue 1.',
      'user: Use blue 2.',
    ]);
    expect(events.filter(({ type }) => type === 'input-taken')).toMatchObject([
      { turn: 2, ids: ['m1', 'm2'], by: 'ann', text: 'Use blue 1.\nUse blue 2.' },
    ]);
    const types = events.filter((event) => 'turn' in event && event.turn === 2).map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['turn-start', 'input-taken', 'model-call-start']);
    expect(await inputRows(journal)).toMatchObject([
      { turn: 2, ids: ['m1', 'm2'], by: 'ann', items: [{ type: 'user' }, { type: 'user' }] },
    ]);
    expect(await journal.messages('r')).toEqual([]);
  });

  it('during the last answer, makes the run continue, and a later answer counts', async () => {
    const journal = memoryJournal();
    const { adapter, requests } = calling(0, (turn) =>
      turn < 4 ? sayToRun({ journal, runId: 'r', input: `more ${turn}` }) : undefined,
    );
    const end = await adapter.evaluate(
      promptWith(() => undefined),
      { journal, runId: 'r', input: 'Go.' },
    );
    expect(end.text).toBe('end 4');
    expect(requests[3]).toEqual([
      'user: Go.',
      'end 1',
      'user: more 1',
      'end 2',
      'user: more 2',
      'end 3',
      'user: more 3',
    ]);
  });

  it('during the last answer by another process, which does not tell this one', async () => {
    const journal = memoryJournal();
    const { adapter, requests } = calling(0, (turn) =>
      turn === 1 ? sayToRun({ journal, runId: 'r', input: 'more' }) : undefined,
    );
    const options = { journal: unheard(journal), runId: 'r', input: 'Go.' };
    const end = await adapter.evaluate(
      promptWith(() => undefined),
      options,
    );
    expect(end.text).toBe('end 2');
    expect(requests[1]).toEqual(['user: Go.', 'end 1', 'user: more']);
  });

  it('while a long call runs in another process, is read before the next turn', async () => {
    const journal = memoryJournal();
    const clock = createManualClock();
    let keep = (): void => undefined;
    const answerKept = new Promise<void>((resolve) => {
      keep = resolve;
    });
    const silent = unheard(journal);
    const append: RunJournal['append'] = async (batch, lease) => {
      const inbox = await silent.append(batch, lease);
      if (batch.rows.some(({ type }) => type === 'response')) keep();
      return inbox;
    };
    const prompt = promptWith(async () => {
      clock.advance(100);
      // The last append before the next request.
      await answerKept;
      await sayToRun({ journal, runId: 'r', input: 'Use blue.', id: 'm1' });
      clock.advance(5_000);
    });
    const { adapter, requests } = calling(1);
    await adapter.evaluate(prompt, { journal: { ...silent, append }, runId: 'r', input: 'Go.', clock });
    expect(requests[1]?.at(-1)).toBe('user: Use blue.');
  });

  it('is asked for once a turn at most, and not at all in quick ones', async () => {
    const journal = memoryJournal();
    let readings = 0;
    const counted: RunJournal = {
      ...journalOperations(journal),
      messages: (runId) => {
        readings += 1;
        return journal.messages(runId);
      },
    };
    await calling(3).adapter.evaluate(
      promptWith(() => undefined),
      { journal: counted, input: 'Go.' },
    );
    // Before it ends.
    expect(readings).toBe(1);
  });

  it('is one message, however often it is said under one name', async () => {
    const journal = memoryJournal();
    const say = () => sayToRun({ journal, runId: 'r', input: 'Use blue.', id: 'm1' });
    const prompt = promptWith(say);
    const { adapter, requests } = calling(2);
    const answers: unknown[] = [];
    await adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.' });
    expect(requests[2]?.filter((item) => item === 'user: Use blue.')).toHaveLength(1);
    // It was taken: the run need not be there any more.
    answers.push(await say());
    expect(answers).toEqual([{ id: 'm1', waiting: 0 }]);
    expect(await rejection(sayToRun({ journal, runId: 'r', input: 'x', id: 'm2' }))).toMatchObject({
      code: 'run-ended',
    });
  });

  it('stays while the model thinks, and is read when the aborted run is resumed', async () => {
    const journal = memoryJournal();
    const stop = new AbortController();
    const first = calling(2, async (turn) => {
      if (turn !== 2) return;
      await sayToRun({ journal, runId: 'r', input: 'Use blue.', id: 'm1' });
      stop.abort(new Error('stop'));
    });
    const prompt = promptWith(() => undefined);
    const error = await rejection(
      first.adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.', signal: stop.signal }),
    );
    expect(error).toMatchObject({ code: 'evaluation-aborted' });
    expect(await journal.messages('r')).toHaveLength(1);
    const events: RunEvent[] = [];
    const again = calling(2);
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    const end = await resumeRun({ adapter: again.adapter, prompt, journal, runId: 'r', observers });
    expect(again.requests[0]).toEqual(['user: Go.', '→work →work', ...two, 'user: Use blue.']);
    // What is said meanwhile does not make the request another one.
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({ turn: 2, changed: [] });
    const types = events.map(({ type }) => type);
    expect(types.slice(1, 5)).toEqual(['run-resumed', 'turn-start', 'input-taken', 'model-call-start']);
    expect(outline(end.conversation).filter((item) => item === 'user: Use blue.')).toHaveLength(1);
  });

  it('and taken is in the rows: nobody is told again when the run is resumed', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => sayToRun({ journal, runId: 'r', input: 'Use blue.', id: 'm1' }));
    const first = calling(2, (turn) => (turn === 2 ? Promise.reject(new Error('lost')) : undefined));
    await rejection(first.adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.', retry: false }));
    const events: RunEvent[] = [];
    const again = calling(2);
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    await resumeRun({ adapter: again.adapter, prompt, journal, runId: 'r', observers });
    expect(again.requests[0]).toEqual(first.requests[1]);
    expect(again.requests[1]?.filter((item) => item === 'user: Use blue.')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'input-taken')).toEqual([]);
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({ changed: [] });
  });

  it('waits while its run is suspended, and follows the results of the answered calls', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => undefined, true);
    const first = calling(1);
    const approve = suspendApproval();
    await first.adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.', approve });
    expect(await sayToRun({ journal, runId: 'r', input: 'Use blue.' })).toMatchObject({ waiting: 1 });
    // Without answers nothing is taken.
    const still = calling(1);
    await ensureRun({ adapter: still.adapter, prompt, journal, runId: 'r', approve });
    expect(await journal.messages('r')).toHaveLength(1);
    const questions = await pendingApprovals({ journal, runId: 'r' });
    const answers = questions.map(({ id, digest }) => ({ id, digest, approved: true }));
    await answerApprovals({ journal, runId: 'r', answers });
    const again = calling(1);
    await resumeRun({ adapter: again.adapter, prompt, journal, runId: 'r', approve });
    expect(again.requests).toEqual([['user: Go.', '→work →work', ...two, 'user: Use blue.']]);
  });

  it('that came too late for its run waits, and the run continues with it when it is resumed', async () => {
    const journal = memoryJournal();
    const late: RunJournal = {
      ...journalOperations(journal),
      append: async (batch, lease) => {
        if (batch.rows.some(({ type }) => type === 'end'))
          await sayToRun({ journal, runId: 'r', input: 'late' });
        return journal.append(batch, lease);
      },
    };
    const prompt = promptWith(() => undefined);
    await calling(0).adapter.evaluate(prompt, { journal: late, runId: 'r', input: 'Go.' });
    expect(await journal.messages('r')).toHaveLength(1);
    const again = calling(0);
    const end = await ensureRun({ adapter: again.adapter, prompt, journal, runId: 'r' });
    expect(end).toMatchObject({ text: 'end 2' });
    expect(again.requests).toEqual([['user: Go.', 'end 1', 'user: late']]);
    // The answer is there now.
    const third = calling(0);
    expect(await ensureRun({ adapter: third.adapter, prompt, journal, runId: 'r' })).toMatchObject({
      text: 'end 2',
    });
    expect(third.requests).toEqual([]);
  });

  it('does not take an answer away from a run that has no turn left', async () => {
    const journal = memoryJournal();
    const say = () => sayToRun({ journal, runId: 'r', input: 'more' });
    const { adapter } = calling(0, say);
    const options = { journal, runId: 'r', input: 'Go.', limits: { maxTurns: 1 } };
    expect(
      (
        await adapter.evaluate(
          promptWith(() => undefined),
          options,
        )
      ).text,
    ).toBe('end 1');
    expect(await journal.messages('r')).toHaveLength(1);
    const spent = memoryJournal();
    const counting = scriptedAdapter(async () => {
      await sayToRun({ journal: spent, runId: 'r', input: 'more' });
      return { text: 'end', usage: { inputTokens: 90, outputTokens: 20 } };
    });
    const limits = { budget: { maxTotalTokens: 100 } };
    const end = await counting.evaluate(
      promptWith(() => undefined),
      { journal: spent, runId: 'r', limits },
    );
    expect(end.text).toBe('end');
    expect(await spent.messages('r')).toHaveLength(1);
  });

  it('is not put between a paused turn and its continuation', async () => {
    const journal = memoryJournal();
    const requests: (readonly string[])[] = [];
    const adapter = scriptedAdapter(async (conversation, { turn }): Promise<ScriptedTurn> => {
      requests.push(outline(conversation));
      if (turn === 1) await sayToRun({ journal, runId: 'r', input: 'Use blue.' });
      return turn === 1 ? { text: 'so ', finishReason: 'paused' } : { text: `end ${turn}` };
    });
    const end = await adapter.evaluate(
      promptWith(() => undefined),
      { journal, runId: 'r', input: 'Go.' },
    );
    expect(requests).toEqual([
      ['user: Go.'],
      ['user: Go.', 'so '],
      ['user: Go.', 'so ', 'end 2', 'user: Use blue.'],
    ]);
    expect(end.text).toBe('end 3');
  });

  it('is for the run, and not for evaluations inside its calls', async () => {
    const journal = memoryJournal();
    const inner = promptWith(() => sayToRun({ journal, runId: 'r', input: 'Use blue.' }));
    const delegate = tool({
      name: 'delegate',
      description: 'Delegates.',
      effects: 'state',
      execute: async (_params, { adapter }) =>
        ToolResult.ok(null, (await adapter.evaluate(inner, { input: 'Inner.' })).text),
    });
    const outer = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'Task', key: 'task', template: 'Delegate.', tools: [delegate] })],
    }).bind();
    const requests: (readonly string[])[] = [];
    const adapter = scriptedAdapter((conversation): ScriptedTurn => {
      const request = outline(conversation);
      requests.push(request);
      if (conversation.length > 1) return { text: 'done' };
      return { toolCalls: [{ name: request[0] === 'user: Inner.' ? 'work' : 'delegate' }] };
    });
    await adapter.evaluate(outer, { journal, runId: 'r', input: 'Outer.' });
    expect(requests).toEqual([
      ['user: Outer.'],
      ['user: Inner.'],
      ['user: Inner.', '→work', 'result: worked'],
      ['user: Outer.', '→delegate', 'result: done', 'user: Use blue.'],
    ]);
  });

  it('with a structured answer asked for, is answered by another one', async () => {
    const journal = memoryJournal();
    const prompt = promptTemplate({
      ns: 'test',
      key: 'structured',
      output: jsonSchema<{ color: string }>({
        type: 'object',
        properties: { color: { type: 'string' } },
        required: ['color'],
      }),
      sections: [section({ title: 'Task', key: 'task', template: 'Paint.' })],
    }).bind();
    const adapter = scriptedAdapter(async (_conversation, { turn }) => {
      if (turn === 1) await sayToRun({ journal, runId: 'r', input: 'Use blue.' });
      return { text: JSON.stringify({ color: turn === 1 ? 'red' : 'blue' }) };
    });
    const end = await adapter.evaluate(prompt, { journal, runId: 'r' });
    expect(end.output).toEqual({ color: 'blue' });
  });

  it('is lost by no window, which keeps what people say', async () => {
    const journal = memoryJournal();
    const { adapter, requests } = calling(12, (turn) =>
      turn === 2 ? sayToRun({ journal, runId: 'r', input: 'Use blue.' }) : undefined,
    );
    const options = { journal, runId: 'r', input: 'Go.', context: { maxTurns: 3 } };
    await adapter.evaluate(
      promptWith(() => undefined),
      options,
    );
    expect(requests.at(-1)).toContain('user: Use blue.');
  });

  it('survives a compaction, also when the run is resumed after it', async () => {
    const journal = memoryJournal();
    const stop = new AbortController();
    const first = calling(30, (turn) => {
      if (turn === 25) stop.abort(new Error('stop'));
      return turn === 2 ? sayToRun({ journal, runId: 'r', input: 'Use blue.' }) : undefined;
    });
    const context = { compact: { atInputTokens: 1_600, toInputTokens: 900 } };
    const prompt = promptWith(() => undefined, false, 'It took a while. '.repeat(16));
    const options = { journal, runId: 'r', input: 'Go.', context, signal: stop.signal };
    await rejection(first.adapter.evaluate(prompt, options));
    expect(first.requests.at(-1)?.length).toBeLessThan(40);
    expect(first.requests.at(-1)?.[2]).toMatch(/^digest: /);
    const again = calling(30);
    await resumeRun({ adapter: again.adapter, prompt, journal, runId: 'r', context });
    for (const request of [...first.requests.slice(2), ...again.requests]) {
      expect(request.filter((item) => item === 'user: Use blue.')).toHaveLength(1);
    }
    expect(again.requests[0]).toEqual(first.requests.at(-1));
  });

  it('is in the record, which can be replayed', async () => {
    const journal = memoryJournal();
    let said = 0;
    const prompt = () =>
      promptWith(() => {
        said += 1;
        return said > 1
          ? undefined
          : sayToRun({ journal, runId: 'r', input: 'Use blue.', by: 'ann', id: 'm1' });
      });
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    const { adapter } = calling(1, (turn) =>
      turn === 2 ? sayToRun({ journal, runId: 'r', input: 'And green.', id: 'm2' }) : undefined,
    );
    await adapter.evaluate(prompt(), { journal, runId: 'r', input: 'Go.', observers: [recorder] });
    await recorder.flush();
    for (const record of [await recordOf(journal), await readRunRecord(lines)]) {
      const taken = record.turns
        .flatMap((turn) => turn.events)
        .filter(({ event }) => event.type === 'input-taken');
      expect(taken.map(({ event }) => event)).toEqual([
        { type: 'input-taken', turn: 2, ids: ['m1'], by: 'ann', text: 'Use blue.' },
        { type: 'input-taken', turn: 3, ids: ['m2'], text: 'And green.' },
      ]);
      const report = await replayRun({ record, prompt: prompt() });
      expect(report.isSame).toBe(true);
      expect(report.turns).toHaveLength(3);
    }
  });
});

describe('saying something is refused', () => {
  const isRefused = (code: string, message: string) => (error: unknown) =>
    RunRefusedError.isInstance(error) && error.code === code && error.message === message;

  it('for a run that has its answer, or has failed', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => undefined);
    await calling(0).adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.' });
    const how = 'Continue it with what there is to say: wink resume r --input TEXT, or input of resumeRun().';
    expect(await rejection(sayToRun({ journal, runId: 'r', input: 'x' }))).toSatisfy(
      isRefused('run-ended', `The run "r" has its answer and reads nothing more. ${how}`),
    );
    const broken = calling(0, () => Promise.reject(new Error('down')));
    await rejection(broken.adapter.evaluate(prompt, { journal, runId: 'f', input: 'Go.', retry: false }));
    expect(await rejection(sayToRun({ journal, runId: 'f', input: 'x' }))).toMatchObject({
      code: 'run-ended',
    });
    expect(await journal.messages('r')).toEqual([]);
    expect(await journal.messages('f')).toEqual([]);
  });

  it('for one that was cancelled, also before its owner has taken that', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => undefined, true);
    await calling(1).adapter.evaluate(prompt, {
      journal,
      runId: 'r',
      input: 'Go.',
      approve: suspendApproval(),
    });
    await journal.send('r', { id: 'cancel', kind: 'cancel', atMs: 5, by: 'ann' });
    const say = () => rejection(sayToRun({ journal, runId: 'r', input: 'x' }));
    const cancelled = isRefused('run-cancelled', 'The run "r" was cancelled by "ann".');
    expect(await say()).toSatisfy(cancelled);
    await cancelRun({ journal, runId: 'r' });
    expect((await journal.runs({ runId: 'r' }))[0]?.status).toBe('cancelled');
    expect(await say()).toSatisfy(cancelled);
  });

  it('for the run of a tool runtime', async () => {
    const journal = memoryJournal();
    await using runtime = await openToolRuntime(
      promptWith(() => undefined),
      { journal, runId: 'r' },
    );
    expect(runtime.tools).toHaveLength(1);
    expect(await rejection(sayToRun({ journal, runId: 'r', input: 'x' }))).toSatisfy(
      isRefused(
        'run-has-no-model',
        'The run "r" is that of a tool runtime: the model is in another program. Say it there.',
      ),
    );
  });

  it('when 100 messages wait, but for one of them', async () => {
    const journal = memoryJournal();
    const prompt = promptWith(() => undefined, true);
    await calling(1).adapter.evaluate(prompt, {
      journal,
      runId: 'r',
      input: 'Go.',
      approve: suspendApproval(),
    });
    for (let each = 1; each <= 100; each += 1) {
      expect(await sayToRun({ journal, runId: 'r', input: 'x', id: `m${each}` })).toEqual({
        id: `m${each}`,
        waiting: each,
      });
    }
    const error = await rejection(sayToRun({ journal, runId: 'r', input: 'x' }));
    expect(error).toMatchObject({ code: 'run-inbox-full', details: { waiting: 100 } });
    expect(await sayToRun({ journal, runId: 'r', input: 'x', id: 'm7' })).toEqual({ id: 'm7', waiting: 100 });
  });

  it.each([
    ['an empty text', '', 'sayToRun(): input is empty: it says nothing.'],
    ['no parts', [], 'sayToRun(): input is empty: it says nothing.'],
    [
      'a long text',
      'x'.repeat(20_001),
      'sayToRun(): input has 20001 characters, and a message may have 20000. Put what is longer into a file, and say where it is.',
    ],
    ['a number', 7, 'sayToRun(): input must be a text or an array of parts; received a number.'],
    [
      'a part of an answer',
      [{ type: 'reasoning', text: 'x' }],
      'sayToRun(): input has a part that is no "text", "image" or "file".',
    ],
    [
      'a part without text',
      [{ type: 'text' }],
      'sayToRun(): a part of input: text must be a string; received undefined.',
    ],
    [
      'a long image',
      [{ type: 'image', mediaType: 'image/png', data: 'x'.repeat(20_001) }],
      /has 20001 characters/,
    ],
  ])('for the input %s', async (_name, input, message) => {
    const journal = memoryJournal();
    const error = await rejection(sayToRun({ journal, runId: 'r', input: input as string }));
    expect(error).toSatisfy(PromptValidationError.isInstance);
    expect(error).toMatchObject({
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
    });
  });

  it('for an unknown run, an unknown option and a name that is taken by the cancel', async () => {
    const journal = memoryJournal();
    const say = (more: object) => rejection(sayToRun({ journal, runId: 'r', input: 'x', ...more }));
    expect(await say({})).toMatchObject({ message: 'The journal has no run "r".' });
    expect(await say({ text: 'x' })).toMatchObject({ details: { option: 'text' } });
    expect(await say({ id: 'cancel' })).toMatchObject({ details: { option: 'id' } });
    expect(await say({ by: '' })).toMatchObject({ details: { option: 'by' } });
  });

  it('by a failing journal, and then nothing was said', async () => {
    const journal = memoryJournal();
    const failing: RunJournal = {
      ...journalOperations(journal),
      send: () => Promise.reject(new Error('full')),
    };
    const prompt = promptWith(async () => {
      expect(await rejection(sayToRun({ journal: failing, runId: 'r', input: 'x' }))).toMatchObject({
        message: 'full',
      });
    });
    const { adapter, requests } = calling(1);
    await adapter.evaluate(prompt, { journal, runId: 'r', input: 'Go.' });
    expect(requests[1]).toEqual(['user: Go.', '→work →work', ...two]);
  });
});
