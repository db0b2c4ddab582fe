import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PromptEvaluationError,
  promptTemplate,
  Session,
  type Slice,
  section,
  ToolCallLog,
  ToolInvoked,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only, runCalls, startCalls } from '../../../../support/run-calls.ts';
import { unheardRejections } from '../../../../support/unheard-rejections.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const note: AnyTool = tool({
  name: 'note',
  description: 'Notes something.',
  effects: 'state',
  execute: async (_params, { session, filesystem, callId }) => {
    session.dispatch(Noted, { text: callId });
    await filesystem.write(`${callId}.txt`, 'x');
    return ToolResult.ok(null, 'Noted.');
  },
});
const template = promptTemplate({
  ns: 'test',
  key: 'faults',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [note] })],
});

describe('a slice whose reducer cannot record calls', () => {
  test('ends no run: the fault is logged, every call has its result', async () => {
    const logger = recordingLogger();
    const Broken: Slice<{ n: number }> = defineSlice({
      name: 'broken',
      schema: z.object({ n: z.number() }),
      policy: 'log',
      reducers: (on) => [
        on(ToolInvoked, () => {
          throw new Error('cannot count');
        }),
      ],
    });
    const { response, texts, session, events } = await runCalls({
      logger,
      tools: [note],
      slices: [Notes, Broken],
      calls: [{ name: 'note' }, { name: 'nobody' }, { name: 'note' }],
    });
    expect(response.text).toBe('done');
    expect(texts).toHaveLength(3);
    expect(session.slice(Notes)).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'tool-call-end')).toHaveLength(3);
    // All slices of an event or none.
    expect(session.slice(ToolCallLog)).toHaveLength(0);
    const errors = logger.lines.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(3);
    expect(errors[0]?.fields).toMatchObject({
      tool: 'note',
      callId: 'call-1-1',
      error: expect.stringContaining('cannot count') as string,
    });
  });
});

describe('a file system that cannot take a commit', () => {
  /** Fails to apply what the named calls wrote. */
  const failing = (memory: MemoryFilesystem, how: 'throws' | 'rejects', times: number): Filesystem => {
    let left = times;
    return new Proxy<Filesystem>(memory, {
      get: (target, property) => {
        if (property === 'apply' && left > 0) {
          left -= 1;
          return () => {
            const error = new Error('the disk is gone');
            if (how === 'throws') throw error;
            return Promise.reject(error);
          };
        }
        const member: unknown = Reflect.get(target, property, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  };

  test.each([
    ['throws', 'the disk is gone'],
    // A commit is synchronous: session and files change in one stretch.
    ['rejects', 'It must apply the changes synchronously.'],
  ] as const)('(%s) makes the call a failed result; the next one continues', async (how, problem) => {
    const memory = new MemoryFilesystem();
    const session = new Session();
    const prompt = promptTemplate({
      ns: 'test',
      key: 'disk',
      resources: [binding(Filesystem, { instance: failing(memory, how, 1) })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [note], slices: [Notes] })],
    });
    const response = await scriptedAdapter([
      { toolCalls: [{ name: 'note' }, { name: 'note' }] },
      { text: 'done' },
    ]).evaluate(prompt.bind(), { session });
    expect(response.text).toBe('done');
    const invocations = session.slice(ToolCallLog).all();
    expect(invocations.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['rolled-back', 'commit-failed'],
      ['committed', undefined],
    ]);
    expect(invocations[0]).toMatchObject({
      success: false,
      changes: [],
      error: { message: expect.stringContaining(problem) as string },
    });
    expect(invocations[0]?.modelText).toContain(problem);
    expect(session.slice(Notes).all()).toEqual([{ text: 'call-1-2' }]);
    expect(await memory.stat('call-1-1.txt')).toBeUndefined();
    expect(await memory.stat('call-1-2.txt')).toBeDefined();
  });
});

describe('a session that is disposed in the middle of a run', () => {
  test('ends the run with an error, handlers are told, every call has a result', async () => {
    const waiting = gate();
    const stuck = gate();
    const signals: AbortSignal[] = [];
    const session = new Session();
    const unheard = await unheardRejections(async () => {
      const run = startCalls({
        session,
        slices: [Notes],
        tools: [
          tool({
            name: 'slow',
            description: 'Waits.',
            effects: 'state',
            execute: async (_params, context) => {
              signals.push(context.signal);
              await (context.callId === 'call-1-1' ? waiting : stuck).pass();
              return ToolResult.ok(null);
            },
          }),
          tool({ name: 'send', description: 'Sends.', execute: () => ToolResult.ok(null) }),
        ],
        calls: [{ name: 'slow' }, { name: 'slow' }, { name: 'send' }],
      });
      await Promise.all([waiting.reached, stuck.reached]);
      await session[Symbol.asyncDispose]();
      waiting.open();
      const error: unknown = await run.finished.catch((thrown: unknown) => thrown);
      if (!PromptEvaluationError.isInstance(error))
        throw new Error(`No PromptEvaluationError: ${String(error)}`);
      expect(error).toMatchObject({
        code: 'evaluation-tools-failed',
        phase: 'tool',
        cause: { code: 'session-disposed' },
      });
      expect(error.conversation.map(({ type }) => type)).toEqual([
        'assistant',
        'tool-result',
        'tool-result',
        'tool-result',
      ]);
      stuck.open();
    });
    expect(unheard).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });
});

describe('a provider', () => {
  const evaluate = async (generate: () => unknown): Promise<PromptEvaluationError> => {
    const adapter = providerAdapter({
      model: {
        name: 'odd',
        // What a provider answers that was written without types.
        generate: () => generate() as ModelTurn,
      },
    });
    const error: unknown = await adapter.evaluate(template.bind(), { input: 'Hello' }).then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    if (!PromptEvaluationError.isInstance(error))
      throw new Error(`No PromptEvaluationError: ${String(error)}`);
    return error;
  };

  test('that throws ends the run in phase request, with what it threw', async () => {
    const cause = new Error('429 slow down');
    const error = await evaluate(() => {
      throw cause;
    });
    expect(error).toMatchObject({ code: 'evaluation-request-failed', phase: 'request', cause });
    expect(error.message).toContain('"odd"');
    expect(error.message).toContain('429 slow down');
    expect(error.conversation).toHaveLength(1);
    expect(await evaluate(async () => Promise.reject(cause))).toMatchObject({ phase: 'request', cause });
  });

  const call = { type: 'tool-call', callId: 'a', name: 'note', arguments: '{}' };
  const turn = (content: unknown, more: object = {}): unknown => ({
    content,
    finishReason: 'tool-calls',
    ...more,
  });
  const nonsense: readonly (readonly [what: string, answer: unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['text', 'hello'],
    ['a turn without content', { finishReason: 'stop' }],
    ['content that is no list', turn({ type: 'text' })],
    ['a part that is nothing', turn([null])],
    ['a part of no kind', turn([{ text: 'hello' }])],
    ['a part of an unknown kind', turn([{ type: 'picture' }])],
    ['text that is no text', turn([{ type: 'text', text: 7 }])],
    ['a call without a name', turn([{ ...call, name: undefined }])],
    ['arguments that are no text', turn([{ ...call, arguments: { a: 1 } }])],
    ['a call id that is no text', turn([{ ...call, callId: 7 }])],
    ['a missing call id', turn([{ ...call, callId: undefined }])],
    ['an empty call id', turn([{ ...call, callId: '' }])],
    ['a repeated call id', turn([call, call])],
    ['usage that is no number', turn([{ type: 'text', text: 'x' }], { usage: { inputTokens: 'many' } })],
    ['usage that is nothing', turn([{ type: 'text', text: 'x' }], { usage: null })],
    ['no finish reason', { content: [{ type: 'text', text: 'x' }] }],
  ];
  test.each(nonsense)('that answers with %s ends the run in phase response', async (_what, answer) => {
    const error = await evaluate(() => answer);
    expect(error).toMatchObject({ code: 'evaluation-response-invalid', phase: 'response' });
    // Nothing of the answer was taken: the conversation can be gone on with.
    expect(error.conversation.map(({ type }) => type)).toEqual(['user']);
    expect(error.message).toContain('"odd"');
  });
});

describe('an observer of run events that throws', () => {
  test('changes nothing and is logged', async () => {
    const logger = recordingLogger();
    const { response, session, invocations } = await runCalls({
      logger,
      tools: [note],
      slices: [Notes],
      calls: [{ name: 'note' }, { name: 'note' }],
      observers: [
        {
          onEvent: (event) => {
            throw new Error(`no ${event.type}`);
          },
        },
      ],
    });
    expect(response.text).toBe('done');
    expect(session.slice(Notes)).toHaveLength(2);
    expect(only([new Set(invocations.map(({ outcome }) => outcome))])).toEqual(new Set(['committed']));
    const logged = logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['event']);
    expect(logged).toEqual(
      expect.arrayContaining([
        'run-start',
        'turn-start',
        'model-call-start',
        'model-call-end',
        'tool-call-start',
        'tool-call-end',
        'run-end',
      ]) as string[],
    );
  });
});
