import { describe, expect, test } from 'vitest';
import {
  createDispatcher,
  type Logger,
  type RunEvent,
  type RunObserver,
  Session,
  ToolInvoked,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { add, calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only, runCalls } from '../../../../support/run-calls.ts';
import { unheardRejections } from '../../../../support/unheard-rejections.ts';

const broken = (): never => {
  throw new Error('the callback is broken');
};
const rejecting = (): unknown => Promise.reject(new Error('the callback is broken'));

describe.each([
  ['throws', broken],
  ['rejects', rejecting],
])('what %s', (_how, callback) => {
  const calls = [{ name: 'work' }];
  const work = act('work', ({ logger }) => {
    logger.error('anything');
    return ToolResult.ok({ a: 1 }, 'done');
  });

  test('in a logger changes nothing, for handlers neither', async () => {
    const logger: Logger = { debug: callback, info: callback, warn: callback, error: callback };
    const unheard = await unheardRejections(async () => {
      const { invocations, response } = await runCalls({ tools: [work], calls, logger });
      expect(only(invocations).outcome).toBe('committed');
      expect(response.text).toBe('done');
    });
    expect(unheard).toEqual([]);
  });

  test('in an observer is logged and changes nothing', async () => {
    const logger = recordingLogger();
    const unheard = await unheardRejections(async () => {
      const { invocations } = await runCalls({
        tools: [work],
        calls,
        logger,
        // A listener without types may be asynchronous all the same.
        observers: [{ onEvent: callback }],
      });
      expect(only(invocations).outcome).toBe('committed');
    });
    expect(unheard).toEqual([]);
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'An observer of the run failed.',
      fields: { event: 'tool-call-end', error: 'the callback is broken' },
    });
  });

  test('in a subscriber is logged once for each event of this session, and changes nothing', async () => {
    const logger = recordingLogger();
    const dispatcher = createDispatcher();
    const session = new Session({ dispatcher });
    const other = new Session({ dispatcher });
    let heard = 0;
    dispatcher.subscribe(ToolInvoked, callback);
    dispatcher.subscribe(ToolInvoked, ({ callId }, { sessionId }) => {
      heard += 1;
      // What happens in a session that only shares the dispatcher is not for this logger.
      if (sessionId === session.id) other.dispatcher.dispatch(ToolInvoked, { callId } as never);
    });
    const unheard = await unheardRejections(async () => {
      const { invocations } = await runCalls({ session, tools: [work], calls, logger });
      expect(only(invocations).outcome).toBe('committed');
    });
    expect(unheard).toEqual([]);
    expect(heard).toBe(2);
    expect(logger.lines.filter(({ message }) => message.includes('subscriber'))).toEqual([
      {
        level: 'warn',
        message: 'A subscriber of the session failed.',
        fields: { event: 'weakincentives.tool-invoked', error: 'the callback is broken' },
      },
    ]);
    dispatcher.dispatch(ToolInvoked, {} as never);
    expect(logger.lines.filter(({ message }) => message.includes('subscriber'))).toHaveLength(1);
  });
});

describe('an observer', () => {
  test('gets with each event the outermost evaluation, also with those of evaluations inside calls', async () => {
    const inner = promptWith('inner', [add]);
    const work = delegate('state', async ({ adapter }) => {
      await adapter.evaluate(inner);
      return ToolResult.ok(null, 'done');
    });
    const seen: Parameters<NonNullable<RunObserver['onEvent']>>[] = [];
    const run = (): Promise<unknown> =>
      modelFor({ outer: [calling('delegate')], inner: [calling('add')] }).evaluate(
        promptWith('outer', [work]),
        {
          observers: [{ onEvent: (event, evaluation) => void seen.push([event, evaluation]) }],
        },
      );
    // Both at once: what an observer of several runs gets is interleaved.
    await Promise.all([run(), run()]);
    const runs = seen.flatMap(([event]) =>
      event.type === 'run-start' && event.path.length === 0 ? [event.evaluationId] : [],
    );
    expect(new Set(runs).size).toBe(2);
    for (const evaluationId of runs) {
      const own = seen.filter(([, evaluation]) => evaluation.evaluationId === evaluationId);
      expect(own).toHaveLength(seen.length / 2);
      expect(own.map(([, { path }]) => path)).toEqual(own.map(() => []));
      expect(own.at(0)?.[0]).toMatchObject({ type: 'run-start', evaluationId });
      expect(own.at(-1)?.[0]).toMatchObject({ type: 'run-end' });
    }
  });
});

describe('a function redact that cannot be used', () => {
  const work = tool({
    name: 'work',
    description: 'Works.',
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => ToolResult.ok(text, text),
  });

  test.each([
    ['throws', broken],
    // What a caller without types may return.
    ['returns no text', () => 42 as never],
  ])(
    'because it %s leaves a marker in every text, is told of once, and changes nothing',
    async (_how, redact) => {
      const logger = recordingLogger();
      const { invocations, texts, events } = await runCalls({
        tools: [work],
        calls: [{ name: 'work', arguments: { text: 'plain' } }],
        redact,
        logger,
      });
      expect(texts).toEqual(['plain\n\nplain']);
      const failed = '<redaction failed>';
      expect(only(invocations)).toMatchObject({
        toolName: failed,
        outcome: 'committed',
        params: { [failed]: failed },
        message: failed,
        value: failed,
        modelText: failed,
      });
      expect(events.map(({ type }) => type)).toContain('tool-call-end');
      expect(logger.lines.filter(({ message }) => message.includes('redact threw'))).toHaveLength(1);
    },
  );

  test('because it is no function is refused before the run', async () => {
    await expect(runCalls({ tools: [work], redact: 'sk-1' as never })).rejects.toMatchObject({
      code: 'prompt-invalid',
      details: { option: 'redact' },
    });
  });
});

describe('the words of the library', () => {
  test('stay what they are, whatever a redaction makes of texts', async () => {
    const run = delegate('external', async ({ adapter }) => {
      await adapter.evaluate(promptWith('inner', [add]));
      throw new TypeError('no');
    });
    const events: RunEvent[] = [];
    await modelFor({ outer: [calling('delegate', 'nothing')], inner: [calling('add')] }).evaluate(
      promptWith('outer', [run]),
      { redact: () => '*', observers: [{ onEvent: (event) => events.push(event) }] },
    );
    const kinds = new Set(events.map(({ type }) => type));
    expect([...kinds]).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
      'run-end',
    ]);
    const told = events.flatMap((event) =>
      event.type === 'tool-call-end' && event.path.length === 0 ? [event.invocation] : [],
    );
    expect(told).toMatchObject([
      { outcome: 'rolled-back', reason: 'threw', toolName: '*', error: { name: '*', message: '*' } },
      { outcome: 'rejected', reason: 'unknown-tool', toolName: '*' },
    ]);
    expect(events.find(({ type }) => type === 'model-call-end')).toMatchObject({
      finishReason: 'tool-calls',
      toolCalls: [{ type: 'tool-call', name: '*' }, { type: 'tool-call' }],
    });
    // Ids of evaluations stay as they are: what they report is told apart by them.
    const starts = events.filter(({ type }) => type === 'run-start');
    expect(new Set(starts.map(({ evaluationId }) => evaluationId)).size).toBe(2);
    expect(starts[1]).toMatchObject({
      promptName: '*',
      path: [{ toolName: '*', attempt: 1, evaluation: 1 }],
    });
  });
});

describe('hints', () => {
  test('about a tool come once, for evaluations inside calls too', async () => {
    const logger = recordingLogger();
    const plain = tool({
      name: 'plain',
      description: 'Gives a value without a renderer.',
      execute: () => ToolResult.ok({ a: 1 }),
    });
    const inner = promptWith('inner', [plain]);
    const run = delegate('external', async ({ adapter }) => {
      await adapter.evaluate(inner);
      await adapter.evaluate(inner);
      return ToolResult.ok(null);
    });
    await modelFor({
      outer: [calling('plain', 'delegate')],
      inner: [calling('plain', 'plain')],
    }).evaluate(promptWith('outer', [run, plain]), { logger });
    const about = (part: string): readonly unknown[] =>
      logger.lines.filter(({ message }) => message.includes(part)).map(({ fields }) => fields['tool']);
    expect(about('has no renderer')).toEqual(['plain']);
    expect(about('makes the other calls of its turn wait')).toEqual(['plain', 'delegate']);
  });
});
