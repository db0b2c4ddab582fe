import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  defineSlice,
  type EvaluateOptions,
  openToolRuntime,
  promptTemplate,
  type Slice,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../../../support/gate.ts';
import { createManualClock } from '../../../../../support/manual-clock.ts';
import { calling, modelFor } from '../../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../../support/recording-logger.ts';
import { only, runCalls } from '../../../../../support/run-calls.ts';

type Question = Parameters<ToolContext['askUser']>[0];
type Answer = Awaited<ReturnType<ToolContext['askUser']>>;
type Asker = NonNullable<EvaluateOptions['askUser']>;

const question: Question = {
  message: 'Where to?',
  fields: { region: { type: 'string', title: 'Region', enum: ['eu', 'us'] } },
};
const answered = (values: object): Answer => ({ kind: 'answered', values: { ...values } });

const asking = (
  ask: (context: ToolContext) => Promise<unknown>,
  options: {
    readonly effects?: 'state' | 'external';
    readonly timeoutMs?: number;
    readonly name?: string;
  } = {},
): AnyTool =>
  tool({
    name: 'ask',
    description: 'Asks.',
    effects: 'state',
    ...options,
    execute: async (_params, context) => ToolResult.ok(null, JSON.stringify(await ask(context))),
  });

/** What a handler gets that asks once. */
const answerTo = async (asked: Question, askUser?: Asker, options: object = {}): Promise<unknown> => {
  const { texts } = await runCalls({
    tools: [asking((context) => context.askUser(asked))],
    calls: [{ name: 'ask' }],
    ...(askUser === undefined ? {} : { askUser }),
    ...options,
  });
  return JSON.parse(only(texts));
};

describe('a handler that asks the user', () => {
  test.each<Answer>([
    answered({ region: 'eu' }),
    { kind: 'declined' },
    { kind: 'dismissed' },
    { kind: 'unavailable', reason: 'They are asleep.' },
  ])('gets $kind', async (answer) => {
    expect(await answerTo(question, () => answer)).toEqual(answer);
  });

  test('gets the answer in a run with a journal, too, which has no row of it', async () => {
    const journal = memoryJournal();
    const answer = answered({ region: 'us' });
    expect(await answerTo(question, () => answer, { journal, runId: 'run' })).toEqual(answer);
    const rows = JSON.stringify(await journal.read('run'));
    expect(rows).toContain('tool-call-start');
    expect(rows).not.toContain('Where to?');
  });

  test('names itself to the one who asks', async () => {
    const seen: unknown[] = [];
    await answerTo(question, (asked, { callId, path, signal, toolName }) => {
      seen.push(asked, callId, toolName, path, signal.aborted, Object.isFrozen(asked.fields['region']));
      return { kind: 'declined' };
    });
    expect(seen).toEqual([question, 'call-1-1', 'ask', [], false, true]);
  });

  test('gets no answer where no user can be asked', async () => {
    const reason = 'No user can be asked: the run has no option askUser.';
    expect(await answerTo(question)).toEqual({ kind: 'unavailable', reason });
  });

  test('gets no answer of an asker that fails, which is logged', async () => {
    const logger = recordingLogger();
    const askUser = (): never => {
      throw new Error('The window has no parent.');
    };
    const reason = 'The function askUser failed.';
    expect(await answerTo(question, askUser, { logger })).toEqual({ kind: 'unavailable', reason });
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'The function askUser failed, so a handler got no answer.',
      fields: { tool: 'ask', error: expect.stringContaining('The window has no parent.') },
    });
  });

  test('may ask for a yes alone, and leave fields to the user', async () => {
    expect(await answerTo({ message: 'Continue?', fields: {} }, () => answered({}))).toEqual(answered({}));
    const optional: Question = { message: 'Why?', fields: { why: { type: 'string', isOptional: true } } };
    expect(await answerTo(optional, () => answered({}))).toEqual(answered({}));
    expect(await answerTo(optional, () => answered({ why: 'half \ud800' }))).toEqual(
      answered({ why: 'half \ufffd' }),
    );
  });

  test.each<[string, Question['fields'][string], unknown, string | undefined]>([
    ['a text', { type: 'string' }, 'x'.repeat(10_000), undefined],
    [
      'a longer text',
      { type: 'string' },
      'x'.repeat(10_001),
      '"field" must be a text of at most 10000 characters',
    ],
    ['a number for a text', { type: 'string' }, 1, '"field" must be a text'],
    ['a choice', { type: 'string', enum: ['a'] }, 'a', undefined],
    ['another choice', { type: 'string', enum: ['a'] }, 'b', '"field" must be one of the choices'],
    ['a number', { type: 'number' }, 1.5, undefined],
    ['what is no number', { type: 'number' }, Number.NaN, '"field" must be a number'],
    ['a text for a number', { type: 'number' }, '1', '"field" must be a number'],
    ['a whole number', { type: 'integer' }, -3, undefined],
    ['a fraction', { type: 'integer' }, 1.5, '"field" must be a whole number'],
    ['a number that is not exact', { type: 'integer' }, 2 ** 53, '"field" must be a whole number'],
    ['false', { type: 'boolean' }, false, undefined],
    ['a text for a boolean', { type: 'boolean' }, 'true', '"field" must be true or false'],
    ['null', { type: 'string', isOptional: true }, null, '"field" must be a text'],
    ['nothing', { type: 'string' }, undefined, '"field" must be a text'],
  ])('checks what comes back: %s', async (_what, field, value, wrong) => {
    const asked: Question = { message: 'Well?', fields: { field } };
    const expected =
      wrong === undefined
        ? answered({ field: value })
        : { kind: 'unavailable', reason: `The answer does not fit the question: ${wrong}.` };
    expect(await answerTo(asked, () => answered(value === undefined ? {} : { field: value }))).toEqual(
      expected,
    );
  });

  test.each([
    ['a field more', answered({ region: 'eu', other: 1 }), 'it has a field that was not asked for'],
    [
      'an inherited name',
      answered(JSON.parse('{"region":"eu","__proto__":1}')),
      'it has a field that was not asked for',
    ],
    ['a list', { kind: 'answered', values: ['eu'] }, undefined],
    ['no values', { kind: 'answered' }, 'it has no values'],
    ['another kind', { kind: 'yes' }, 'it has no values'],
    ['nothing', undefined, 'it has no values'],
  ])('takes %s for no answer', async (_what, given, wrong) => {
    // As a program without types answers.
    const answer = await answerTo(question, () => given as Answer);
    expect(answer).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(wrong ?? 'fit') });
  });

  test.each<[string, unknown, string]>([
    ['no message', { fields: {} }, 'message'],
    ['an empty message', { message: '', fields: {} }, 'message'],
    ['a long message', { message: 'x'.repeat(4_001), fields: {} }, 'message'],
    ['no fields', { message: 'a' }, 'fields'],
    [
      'many fields',
      {
        message: 'a',
        fields: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: 'string' }])),
      },
      'fields',
    ],
    ['a bad name', { message: 'a', fields: { 'a b': { type: 'string' } } }, 'fields'],
    ['an unknown type', { message: 'a', fields: { a: { type: 'date' } } }, 'fields.a.type'],
    [
      'an unknown member',
      { message: 'a', fields: { a: { type: 'string', format: 'uri' } } },
      'fields.a.format',
    ],
    ['choices of numbers', { message: 'a', fields: { a: { type: 'number', enum: ['1'] } } }, 'fields.a.type'],
    ['no choices', { message: 'a', fields: { a: { type: 'string', enum: [] } } }, 'fields.a.enum'],
    [
      'a choice twice',
      { message: 'a', fields: { a: { type: 'string', enum: ['b', 'b'] } } },
      'fields.a.enum',
    ],
    [
      'a long title',
      { message: 'a', fields: { a: { type: 'string', title: 'x'.repeat(201) } } },
      'fields.a.title',
    ],
  ])('refuses a question with %s', async (_what, asked, option) => {
    const errors: unknown[] = [];
    await runCalls({
      tools: [
        asking(async ({ askUser }) => {
          // As a handler without types asks.
          await askUser(asked as Question).catch((error: unknown) => errors.push(error));
        }),
      ],
      calls: [{ name: 'ask' }],
      askUser: () => ({ kind: 'declined' }),
    });
    expect(errors).toMatchObject([{ name: 'PromptValidationError', details: { option } }]);
  });

  test('may take the member out, and gets an error when the call has ended', async () => {
    const kept: ToolContext[] = [];
    await runCalls({ tools: [asking(async (context) => kept.push(context))], calls: [{ name: 'ask' }] });
    const { askUser } = only(kept);
    await expect(askUser(question)).rejects.toMatchObject({ name: 'TransactionClosedError' });
  });
});

describe('a question that is not answered', () => {
  test('ends with the signal of the call', async () => {
    const inside = gate();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const runtime = await openToolRuntime(
      promptOf([
        asking(async ({ askUser, signal }) => {
          await askUser(question).catch((error: unknown) => seen.push(error === signal.reason));
        }),
      ]),
      {
        askUser: async (_question, { signal }) => {
          signal.addEventListener('abort', () => seen.push('withdrawn'));
          await inside.pass();
          return { kind: 'declined' };
        },
      },
    );
    await using _ = runtime;
    const call = { callId: 'a', name: 'ask', arguments: '' };
    const calls = runtime.call(call, { signal: controller.signal }).catch(() => 'aborted');
    await inside.reached;
    controller.abort(new Error('Enough.'));
    expect(await calls).toBe('aborted');
    expect(seen).toEqual(['withdrawn', true]);
  });

  test('is withdrawn when its handler does not wait for it', async () => {
    const inside = gate();
    const signals: AbortSignal[] = [];
    await runCalls({
      tools: [
        asking(async ({ askUser }) => {
          void askUser(question);
          await inside.reached;
        }),
      ],
      calls: [{ name: 'ask' }],
      askUser: async (_question, { signal }) => {
        signals.push(signal);
        await inside.pass();
        return { kind: 'declined' };
      },
    });
    expect(only(signals).reason).toMatchObject({ name: 'TransactionClosedError' });
  });

  test('holds the watchdog, and not the time limit of the tool', async () => {
    const clock = createManualClock();
    const inside = gate();
    const options = { clock, limits: { idleTimeoutMs: 1_000 } };
    const askUser = async (): Promise<Answer> => {
      await inside.pass();
      return answered({ region: 'us' });
    };
    const answer = answerTo(question, askUser, options);
    await inside.reached;
    for (let second = 0; second < 5; second += 1) clock.advance(1_000);
    inside.open();
    expect(await answer).toEqual(answered({ region: 'us' }));
    const again = gate();
    const run = runCalls({
      tools: [asking(({ askUser: ask }) => ask(question), { timeoutMs: 2_000 })],
      calls: [{ name: 'ask' }],
      ...options,
      askUser: async () => {
        await again.pass();
        return { kind: 'declined' };
      },
    });
    await again.reached;
    clock.advance(2_000);
    const { invocations } = await run;
    expect(invocations).toMatchObject([{ outcome: 'rolled-back', reason: 'timeout' }]);
  });
});

const Counter: Slice<{ value: number }> = defineSlice({
  name: 'counter',
  schema: z.object({ value: z.number() }),
});

/** Reads the counter and counts up: of two in one turn the second runs again. */
const count = ({ session }: ToolContext): number => {
  const value = (session.slice(Counter).latest()?.value ?? 0) + 1;
  session.slice(Counter).seed([{ value }]);
  return value;
};

describe('a call that runs again', () => {
  const twice = (ask: (context: ToolContext) => Promise<unknown>, askUser: Asker, adapter?: object) =>
    runCalls({
      tools: [
        asking(async (context) => {
          count(context);
          return ask(context);
        }),
      ],
      slices: [Counter],
      calls: [{ name: 'ask' }, { name: 'ask' }],
      askUser,
      ...adapter,
    });

  test.each<Answer>([answered({ region: 'eu' }), { kind: 'declined' }, { kind: 'dismissed' }])(
    'gets the answer that was given: $kind',
    async (answer) => {
      const asked: string[] = [];
      const { invocations, texts } = await twice(
        ({ askUser }) => askUser(question),
        (_question, { callId }) => {
          asked.push(callId);
          return answer;
        },
      );
      expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 2]);
      expect(asked).toEqual(['call-1-1', 'call-1-2']);
      expect(texts.map((text) => JSON.parse(text.split('\n')[0] ?? ''))).toEqual([answer, answer]);
    },
  );

  test('asks again where there was no answer, and what is another question', async () => {
    const asked: string[] = [];
    let attempts = 0;
    await twice(
      async ({ askUser }) => {
        attempts += 1;
        return askUser({ ...question, message: `Attempt ${attempts}?` });
      },
      ({ message }) => {
        asked.push(message);
        return { kind: 'declined' };
      },
    );
    expect(asked).toEqual(['Attempt 1?', 'Attempt 2?', 'Attempt 3?']);
    let unanswered = 0;
    await twice(
      ({ askUser }) => askUser(question),
      () => {
        unanswered += 1;
        return { kind: 'unavailable', reason: 'Not now.' };
      },
    );
    expect(unanswered).toBe(3);
  });

  test('is asked once for each time that it asks the same', async () => {
    const asked: string[] = [];
    const { texts } = await twice(
      async ({ askUser }) => [await askUser(question), await askUser(question)],
      (_question, { callId }) => {
        const isSecond = asked.includes(callId);
        asked.push(callId);
        return answered({ region: isSecond ? 'us' : 'eu' });
      },
    );
    expect(asked).toHaveLength(4);
    const both = [answered({ region: 'eu' }), answered({ region: 'us' })];
    expect(texts.map((text) => JSON.parse(text.split('\n')[0] ?? ''))).toEqual([both, both]);
  });
});

describe('a call inside another one', () => {
  const inner = (ask: (context: ToolContext) => Promise<unknown>) =>
    promptOf([asking(ask, { name: 'inner' })], 'inside');
  const delegate = (ask: (context: ToolContext) => Promise<unknown>): AnyTool =>
    tool({
      name: 'delegate',
      description: 'Delegates.',
      effects: 'state',
      execute: async (_params, context) => {
        count(context);
        const { conversation } = await context.adapter.evaluate(inner(ask));
        const texts = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
        return ToolResult.ok(null, texts.join());
      },
    });
  const run = (calls: number, askUser: Asker) => {
    const adapter = modelFor({
      outside: [calling(...Array.from({ length: calls }, () => 'delegate')), { text: 'done' }],
      inside: [calling('inner'), { text: 'done' }],
    });
    const tools = [delegate(({ askUser: ask }) => ask(question))];
    return adapter.evaluate(promptOf(tools, 'outside', [Counter]), { askUser });
  };

  test('asks through the outer call', async () => {
    const seen: unknown[] = [];
    const { conversation } = await run(1, (_question, { path, toolName }) => {
      seen.push([toolName, path.map((outer) => outer.toolName)]);
      return answered({ region: 'eu' });
    });
    expect(seen).toEqual([['inner', ['delegate']]]);
    expect(JSON.stringify(conversation)).toContain('\\"region\\":\\"eu\\"');
  });

  test('does not ask twice when the outer call runs again', async () => {
    let asked = 0;
    await run(2, () => {
      asked += 1;
      return answered({ region: 'eu' });
    });
    expect(asked).toBe(2);
  });
});

function promptOf(tools: readonly AnyTool[], key = 'asking', slices: readonly (typeof Counter)[] = []) {
  return promptTemplate({
    ns: 'test',
    key,
    sections: [section({ title: 'Tools', key: 'tools', template: `This is ${key}.`, tools, slices })],
  }).bind();
}
