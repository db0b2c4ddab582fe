import { describe, expect, test } from 'vitest';
import {
  binding,
  type ConversationItem,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PromptValidationError,
  promptTemplate,
  resourceToken,
  Session,
  SessionBusyError,
  type Slice,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelRequest, providerAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only } from '../../../../support/run-calls.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const note = tool({
  name: 'note',
  description: 'Takes a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string().describe('What to note') }),
  examples: [{ description: 'A note', input: { text: 'x' }, output: null }],
  execute: ({ text }, { session }) => {
    session.dispatch(Noted, { text });
    return ToolResult.ok(null, `Noted ${text}.`);
  },
});
const plain = promptTemplate({
  ns: 'test',
  key: 'plain',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Take notes.', tools: [note], slices: [Notes] }),
  ],
});
const done = scriptedAdapter([{ text: 'done' }]);

describe('the session', () => {
  const Service = resourceToken<{ readonly id: number }>('service');
  let built = 0;
  const ended: number[] = [];
  const withService = (eager = false): ReturnType<typeof promptTemplate> =>
    promptTemplate({
      ns: 'test',
      key: 'service',
      resources: [
        binding(Service, {
          create: () => {
            built += 1;
            const id = built;
            return { id, [Symbol.dispose]: () => void ended.push(id) };
          },
          eager,
        }),
      ],
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Use it.',
          tools: [
            tool({
              name: 'use',
              description: 'Uses the service.',
              execute: async (_params, { resources }) => ToolResult.ok((await resources.get(Service)).id, ''),
            }),
          ],
        }),
      ],
    });
  const using = scriptedAdapter([{ toolCalls: [{ name: 'use' }] }, { text: 'done' }]);
  const textOf = (conversation: readonly ConversationItem[]): string =>
    only(conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : [])));

  test('made for one evaluation is disposed with its singletons at the end', async () => {
    built = 0;
    ended.length = 0;
    const prompt = withService().bind();
    const first = await using.evaluate(prompt);
    expect(ended).toEqual([1]);
    const second = await using.evaluate(prompt);
    expect([textOf(first.conversation), textOf(second.conversation)]).toEqual(['1', '2']);
    expect(ended).toEqual([1, 2]);
  });

  test('made for one evaluation is disposed also when the run fails', async () => {
    built = 0;
    ended.length = 0;
    await evaluationFailure(
      scriptedAdapter([{ toolCalls: [{ name: 'use' }] }]).evaluate(withService().bind()),
    );
    expect(ended).toEqual([1]);
  });

  test('of the caller keeps its singletons until it is disposed', async () => {
    built = 0;
    ended.length = 0;
    const prompt = withService().bind();
    const session = new Session();
    const first = await using.evaluate(prompt, { session });
    const second = await using.evaluate(prompt, { session });
    expect([textOf(first.conversation), textOf(second.conversation)]).toEqual(['1', '1']);
    expect(ended).toEqual([]);
    await session[Symbol.asyncDispose]();
    expect(ended).toEqual([1]);
  });

  test('of the caller keeps state, log and files from one evaluation to the next', async () => {
    const session = new Session();
    const filesystem = new MemoryFilesystem();
    const template = promptTemplate({
      ns: 'test',
      key: 'kept',
      resources: [binding(Filesystem, { instance: filesystem })],
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Work.',
          slices: [Notes],
          tools: [
            tool({
              name: 'work',
              description: 'Works.',
              effects: 'state',
              execute: async (_params, context) => {
                context.session.dispatch(Noted, { text: 'again' });
                await context.filesystem.write('log.txt', 'line\n', { mode: 'append' });
                return ToolResult.ok(null);
              },
            }),
          ],
        }),
      ],
    });
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'work' }] }, { text: 'done' }]);
    await adapter.evaluate(template.bind(), { session });
    await adapter.evaluate(template.bind(), { session });
    expect(session.slice(Notes)).toHaveLength(2);
    expect(session.slice(ToolCallLog)).toHaveLength(2);
    expect((await filesystem.read('log.txt')).totalLines).toBe(2);
  });

  test('is held by one evaluation: another one is refused at once, and harms nothing', async () => {
    const session = new Session();
    const asked = gate();
    const slow = scriptedAdapter(async () => {
      await asked.pass();
      return { text: 'done' };
    }).evaluate(plain.bind(), { session });
    await asked.reached;
    await expect(done.evaluate(plain.bind(), { session })).rejects.toThrow(SessionBusyError);
    await expect(done.evaluate(plain.bind(), { session })).rejects.toThrow(SessionBusyError);
    asked.open();
    await expect(slow).resolves.toMatchObject({ text: 'done' });
    await expect(done.evaluate(plain.bind(), { session })).resolves.toMatchObject({ text: 'done' });
  });

  test.each([
    ['the model fails', async (session: Session) => scriptedAdapter([]).evaluate(plain.bind(), { session })],
    [
      'the prompt cannot be rendered',
      async (session: Session) =>
        done.evaluate(
          promptTemplate({
            ns: 'test',
            key: 'broken',
            sections: [
              {
                title: 'Broken',
                key: 'broken',
                render: () => {
                  throw new Error('no text');
                },
              },
            ],
          }).bind(),
          { session },
        ),
    ],
    [
      'an option is out of range',
      async (session: Session) => done.evaluate(plain.bind(), { session, limits: { maxConcurrentCalls: 0 } }),
    ],
  ])('is given back when %s', async (_what, evaluate) => {
    const session = new Session();
    await expect(evaluate(session)).rejects.toThrow();
    await expect(done.evaluate(plain.bind(), { session })).resolves.toMatchObject({ text: 'done' });
  });

  test('made for one evaluation that cannot be disposed takes no answer away', async () => {
    const logger = recordingLogger();
    const template = promptTemplate({
      ns: 'test',
      key: 'stubborn',
      resources: [
        binding(Service, {
          create: () => ({
            id: 1,
            [Symbol.dispose]: () => {
              throw new Error('will not go');
            },
          }),
          eager: true,
        }),
      ],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    await expect(done.evaluate(template.bind(), { logger })).resolves.toMatchObject({ text: 'done' });
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: expect.stringContaining('could not be disposed') as string,
        fields: { error: expect.stringContaining('will not go') as string },
      },
    ]);
    const error = await evaluationFailure(scriptedAdapter([]).evaluate(template.bind(), { logger }));
    expect(error.code).toBe('evaluation-request-failed');
  });

  test('gets its id and its clock from the options when it is made', async () => {
    const ids: string[] = [];
    let seen = '';
    let evaluationId = '';
    const template = promptTemplate({
      ns: 'test',
      key: 'ids',
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Do it.',
          tools: [
            tool({
              name: 'look',
              description: 'Looks.',
              execute: (_params, { session }) => {
                seen = session.id;
                return ToolResult.ok(null);
              },
            }),
          ],
        }),
      ],
    });
    await scriptedAdapter([{ toolCalls: [{ name: 'look' }] }, { text: 'done' }]).evaluate(template.bind(), {
      ids: () => {
        ids.push(`id-${ids.length}`);
        return ids.at(-1) ?? '';
      },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') ({ evaluationId } = event.invocation);
          },
        },
      ],
    });
    expect(seen).toBe('id-0');
    expect(evaluationId).toBe('id-1');
    // The events of the evaluation: rendered prompt, the call, the end.
    expect(ids).toHaveLength(5);
  });
});

describe('what goes wrong before the first request', () => {
  let asked = 0;
  const adapter = scriptedAdapter(() => ((asked += 1), { text: 'done' }));
  const Service = resourceToken<object>('service');

  test('is a failure of phase render with its cause: an eager resource', async () => {
    asked = 0;
    const cause = new Error('no connection');
    const template = promptTemplate({
      ns: 'test',
      key: 'eager',
      resources: [
        binding(Service, {
          create: () => {
            throw cause;
          },
          eager: true,
        }),
      ],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    const error = await evaluationFailure(adapter.evaluate(template.bind(), { input: 'Hello' }));
    expect(error).toMatchObject({
      code: 'evaluation-render-failed',
      phase: 'render',
      promptName: 'eager',
      cause: { code: 'resource-factory-failed', cause },
    });
    expect(error.message).toContain('no connection');
    expect(error.conversation).toHaveLength(1);
    expect(error.usage).toEqual({});
    expect(asked).toBe(0);
  });

  test('is a failure of phase render with its cause: a section', async () => {
    asked = 0;
    const template = promptTemplate({
      ns: 'test',
      key: 'broken',
      sections: [
        {
          title: 'Broken',
          key: 'broken',
          render: () => {
            throw new Error('no text today');
          },
        },
      ],
    });
    const error = await evaluationFailure(adapter.evaluate(template.bind()));
    expect(error).toMatchObject({ code: 'evaluation-render-failed', phase: 'render' });
    expect(error.cause).toMatchObject({ name: 'PromptRenderError' });
    expect(error.message).toContain('no text today');
    expect(asked).toBe(0);
  });

  test('is a failure of phase render with its cause: slices that clash', async () => {
    const Other: Slice<{ n: number }> = defineSlice({ name: 'notes', schema: z.object({ n: z.number() }) });
    const session = new Session();
    session.install(Other);
    const error = await evaluationFailure(done.evaluate(plain.bind(), { session }));
    expect(error).toMatchObject({ phase: 'render', cause: { code: 'slice-duplicate' } });
  });

  test('builds nothing when the run is aborted already', async () => {
    let builds = 0;
    const template = promptTemplate({
      ns: 'test',
      key: 'eager',
      resources: [binding(Service, { create: () => ((builds += 1), {}), eager: true })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    const error = await evaluationFailure(done.evaluate(template.bind(), { signal: AbortSignal.abort() }));
    expect(error.code).toBe('evaluation-aborted');
    expect(builds).toBe(0);
  });

  test('may be a start that does not end: an abort ends it', async () => {
    const building = gate();
    const abort = new AbortController();
    const template = promptTemplate({
      ns: 'test',
      key: 'slow',
      resources: [binding(Service, { create: async () => (await building.pass(), {}), eager: true })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    const session = new Session();
    const run = done.evaluate(template.bind(), { signal: abort.signal, session });
    await building.reached;
    abort.abort(new Error('enough'));
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-aborted',
      phase: 'render',
      cause: { message: 'enough' },
    });
    building.open();
  });

  test.each([
    ['concurrency', 0],
    ['concurrency', 1.5],
    ['concurrency', Number.NaN],
    ['maxTurns', 0],
    ['maxTurns', -1],
    ['maxTurns', Number.POSITIVE_INFINITY],
  ])('is an option out of its range: %s %d', async (option, value) => {
    await expect(done.evaluate(plain.bind(), { [option]: value })).rejects.toThrow(PromptValidationError);
    await expect(done.evaluate(plain.bind(), { [option]: value })).rejects.toMatchObject({
      details: { option },
    });
  });
});

describe('what the model gets', () => {
  const recorded = async (
    options: Parameters<typeof done.evaluate>[1],
    takesExamples = false,
  ): Promise<readonly ModelRequest[]> => {
    const requests: ModelRequest[] = [];
    const adapter = providerAdapter({
      model: {
        name: 'recorder',
        takesExamples,
        generate: (request) => {
          requests.push({ ...request, conversation: [...request.conversation] });
          return { content: [{ type: 'text', text: 'done' }], finishReason: 'stop' };
        },
      },
    });
    await adapter.evaluate(plain.bind(), options);
    return requests;
  };

  test('is the rendered prompt, the tools with closed schemas, and the settings as they are', async () => {
    const settings = { temperature: 0, nested: { a: [1] } };
    const [request] = await recorded({ settings, toolChoice: { tool: 'note' }, input: 'Continue.' });
    expect(request).toMatchObject({
      instructions: expect.stringContaining('Take notes.') as string,
      tools: [
        {
          name: 'note',
          description: 'Takes a note.',
          inputSchema: {
            type: 'object',
            properties: { text: { type: 'string', description: 'What to note' } },
            required: ['text'],
            additionalProperties: false,
          },
        },
      ],
      hostedTools: [],
      toolChoice: { tool: 'note' },
      turn: 1,
    });
    expect(request?.settings).toBe(settings);
    expect(request).not.toHaveProperty('outputSchema');
  });

  test('has the examples of tools in one place: on the wire where there is a field for them, else in the text', async () => {
    const [inText] = await recorded({});
    expect(inText?.instructions).toContain('A note');
    const [onWire] = await recorded({}, true);
    expect(onWire?.instructions).not.toContain('A note');
    expect(onWire?.tools[0]?.examples).toEqual([
      { description: 'A note', input: { text: 'x' }, output: null },
    ]);
  });

  test('begins with the history, then the input as text or parts', async () => {
    const history: readonly ConversationItem[] = Object.freeze([
      { type: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { type: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ] as const);
    const [withText] = await recorded({ history, input: 'Continue.' });
    expect(withText?.conversation).toEqual([
      ...history,
      { type: 'user', content: [{ type: 'text', text: 'Continue.' }] },
    ]);
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' },
    ] as const;
    const [withParts] = await recorded({ input: parts });
    expect(withParts?.conversation).toEqual([{ type: 'user', content: parts }]);
    const [without] = await recorded({ history });
    expect(without?.conversation).toEqual(history);
    expect(history).toHaveLength(2);
  });
});

describe('the response', () => {
  test('has the whole conversation, frozen; passed on as history, nothing of it changes', async () => {
    const adapter = scriptedAdapter([
      { text: 'Noting.', toolCalls: [{ name: 'note', arguments: { text: 'a' } }] },
      { text: 'done' },
    ]);
    const first = await adapter.evaluate(plain.bind(), { input: 'Note a.' });
    expect(first.conversation).toEqual([
      { type: 'user', content: [{ type: 'text', text: 'Note a.' }] },
      {
        type: 'assistant',
        content: [
          { type: 'text', text: 'Noting.' },
          { type: 'tool-call', callId: 'call-1-1', name: 'note', arguments: '{"text":"a"}' },
        ],
      },
      { type: 'tool-result', callId: 'call-1-1', toolName: 'note', text: 'Noted a.', isError: false },
      { type: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ]);
    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(first.conversation)).toBe(true);
    const copy = structuredClone(first.conversation);
    const second = await adapter.evaluate(plain.bind(), { history: first.conversation, input: 'Again.' });
    expect(first.conversation).toEqual(copy);
    expect(second.conversation.slice(0, 4)).toEqual(copy);
    expect(second.conversation).toHaveLength(8);
    expect(second).toMatchObject({
      promptName: 'plain',
      text: 'done',
      output: undefined,
      finishReason: 'stop',
    });
  });

  test("keeps a provider's own items with its turn", async () => {
    const raw = { provider: 'own', items: [{ secret: 'signature' }] };
    const adapter = providerAdapter({
      model: {
        name: 'own',
        generate: () => ({ content: [{ type: 'text', text: 'done' }], finishReason: 'length', raw }),
      },
    });
    const response = await adapter.evaluate(plain.bind());
    expect(response.conversation).toEqual([
      { type: 'assistant', content: [{ type: 'text', text: 'done' }], raw },
    ]);
    expect(response.finishReason).toBe('length');
  });

  test('joins the text parts of the last turn and leaves reasoning out', async () => {
    const adapter = providerAdapter({
      model: {
        name: 'thinker',
        generate: () => ({
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'one ' },
            { type: 'text', text: 'two' },
          ],
          finishReason: 'stop',
        }),
      },
    });
    expect((await adapter.evaluate(plain.bind())).text).toBe('one two');
  });

  test('sums the usage of all turns; a count that nobody reports is absent', async () => {
    const call = { toolCalls: [{ name: 'note', arguments: { text: 'a' } }] };
    const response = await scriptedAdapter([
      { ...call, usage: { inputTokens: 10, outputTokens: 2 } },
      call,
      { ...call, usage: { inputTokens: 20, cachedInputTokens: 0 } },
      { text: 'done', usage: { inputTokens: 30, outputTokens: 3 } },
    ]).evaluate(plain.bind());
    expect(response.usage).toEqual({ inputTokens: 60, outputTokens: 5, cachedInputTokens: 0 });
    const without = await scriptedAdapter([call, { text: 'done' }]).evaluate(plain.bind());
    expect(without.usage).toEqual({});
    const partial = await scriptedAdapter([call, { text: 'done', usage: { outputTokens: 4 } }]).evaluate(
      plain.bind(),
    );
    expect(partial.usage).toEqual({ outputTokens: 4 });
  });
});
