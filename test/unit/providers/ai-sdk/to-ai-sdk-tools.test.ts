import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { generateText, isStepCount, streamText } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  jsonSchema,
  openToolRuntime,
  PolicyDecision,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  type ToolRuntime,
  tool,
} from 'weakincentives';
import { FailedToolCallError, fromAiSdkUsage, toAiSdkTools } from 'weakincentives/ai-sdk';
import { act } from '../../../support/act.ts';
import { gate } from '../../../support/gate.ts';
import { Added, add, Count, promptWith } from '../../../support/nested-setup.ts';
import { opening } from '../../../support/sections.ts';

type Step = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type Call = readonly [toolName: string, input?: unknown];

const usage: Step['usage'] = {
  inputTokens: { total: 10, noCache: 5, cacheRead: 4, cacheWrite: 1 },
  outputTokens: { total: 2, text: 1, reasoning: 1 },
};
const step = (...calls: readonly Call[]): Step => ({
  content: calls.map(([toolName, input = {}], index) => ({
    type: 'tool-call',
    toolCallId: `${toolName}-${index + 1}`,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  })),
  finishReason: { unified: 'tool-calls', raw: undefined },
  usage,
  warnings: [],
});
/** The same, piece by piece. */
const streamed = ({ content, finishReason }: Step): Awaited<ReturnType<MockLanguageModelV4['doStream']>> => ({
  stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
    { type: 'stream-start', warnings: [] },
    ...content.flatMap((part): LanguageModelV4StreamPart[] => {
      if (part.type === 'tool-call') return [part];
      if (part.type !== 'text') return [];
      return [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: part.text },
        { type: 'text-end', id: 't' },
      ];
    }),
    { type: 'finish', finishReason, usage },
  ]),
});
const answer = (text: string): Step => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: undefined },
  usage,
  warnings: [],
});
/** What a model was told of the calls before its last answer. */
const toldOf = ({ doGenerateCalls }: MockLanguageModelV4): readonly unknown[] =>
  (doGenerateCalls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.content.map((part) => (part.type === 'tool-result' ? part.output : part))
      : [],
  );
const toolsOf = (model: MockLanguageModelV4): readonly (readonly string[])[] =>
  model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name));
const fails = act('fails', ({ session }) => {
  session.dispatch(Added, { by: 100 });
  throw new Error('No luck.');
});
const ask = (runtime: ToolRuntime, model: MockLanguageModelV4) =>
  generateText({
    model,
    instructions: runtime.instructions,
    prompt: 'Go.',
    tools: toAiSdkTools(runtime),
    stopWhen: isStepCount(10),
    abortSignal: runtime.signal,
    onStepEnd: ({ usage: spent }) => {
      runtime.countUsage(fromAiSdkUsage(spent));
    },
  });

describe('a step of generateText', () => {
  it('is one turn, in its order, with every failure rolled back and told in the words of the runtime', async () => {
    const late = gate();
    const waits = act('waits', async ({ session }) => {
      await late.pass();
      session.dispatch(Added, { by: 10 });
      return ToolResult.ok(null, 'Waited.');
    });
    const opens = act('opens', () => late.open(), { effects: 'read' });
    const session = new Session();
    await using runtime = await openToolRuntime(promptWith('step', [add, waits, opens, fails]), { session });
    const model = new MockLanguageModelV4({
      doGenerate: [step(['waits'], ['add'], ['fails'], ['opens'], ['add']), answer('Done.')],
    });
    const { text, steps } = await ask(runtime, model);
    expect(text).toBe('Done.');
    expect(toldOf(model)).toEqual([
      { type: 'text', value: 'Waited.' },
      { type: 'text', value: 'Counted 11.' },
      { type: 'error-text', value: 'The tool "fails" failed: No luck.' },
      { type: 'text', value: 'opens done' },
      { type: 'text', value: 'Counted 12.' },
    ]);
    expect(session.slice(Count).latest()).toEqual({ total: 12 });
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ turn, callId }) => [turn, callId]),
    ).toEqual([
      [1, 'waits-1'],
      [1, 'add-2'],
      [1, 'fails-3'],
      [1, 'opens-4'],
      [1, 'add-5'],
    ]);
    const failure = steps[0]?.content.find((part) => part.type === 'tool-error')?.error;
    expect(FailedToolCallError.isInstance(failure) && failure.output).toMatchObject({
      callId: 'fails-3',
      isError: true,
      invocation: { outcome: 'rolled-back' },
    });
    expect(runtime.usage).toEqual({
      inputTokens: 20,
      outputTokens: 4,
      cachedInputTokens: 8,
      cacheWriteInputTokens: 2,
      reasoningTokens: 2,
    });
    expect(model.doGenerateCalls[0]?.prompt[0]).toEqual({ role: 'system', content: runtime.instructions });
  });

  it('is held to the policies', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'policies',
      sections: [
        section({
          title: 'Tools',
          key: 'tools',
          template: 'Use them.',
          tools: [add],
          slices: [Count],
          policies: [
            {
              name: 'once',
              check: (_request, { session }) =>
                (session.slice(Count).latest()?.total ?? 0) > 0
                  ? PolicyDecision.deny('Once is enough.')
                  : { outcome: 'allow' },
            },
          ],
        }),
      ],
    }).bind();
    await using runtime = await openToolRuntime(prompt);
    const model = new MockLanguageModelV4({ doGenerate: [step(['add'], ['add']), answer('Done.')] });
    await ask(runtime, model);
    expect(toldOf(model)).toEqual([
      { type: 'text', value: 'Counted 1.' },
      { type: 'error-text', value: expect.stringContaining('Once is enough.') },
    ]);
  });

  it('gets what does not fit told by the runtime, and open objects as they are', async () => {
    const keeps = tool({
      name: 'keeps',
      description: 'Keeps it.',
      effects: 'read',
      inputSchema: jsonSchema<object>({
        type: 'object',
        properties: { name: { type: 'string' }, more: { type: 'object', additionalProperties: true } },
        required: ['name'],
      }),
      execute: (params) => ToolResult.ok(params, ''),
    });
    await using runtime = await openToolRuntime(promptWith('schemas', [keeps]));
    const model = new MockLanguageModelV4({
      doGenerate: [
        step(['keeps', { name: 1 }], ['keeps', { name: 'a', more: { any: 1 } }], ['keeps', '[1]']),
        answer('Done.'),
      ],
    });
    await ask(runtime, model);
    expect(toldOf(model)).toMatchObject([
      { type: 'error-text', value: expect.stringContaining('name: ') },
      { type: 'text', value: '{"more":{"any":1},"name":"a"}' },
      { type: 'error-text', value: 'The arguments of "keeps" must be one JSON object: got an array.' },
    ]);
    const [sent] = model.doGenerateCalls[0]?.tools ?? [];
    const [known] = runtime.tools;
    expect(sent).toMatchObject({ type: 'function', name: 'keeps', description: 'Keeps it.' });
    expect(sent?.type === 'function' && sent.inputSchema).toEqual(known?.inputSchema);
  });

  it('offers the tools of sections from the step after they were opened on', async () => {
    const deep = act('deep', () => ToolResult.ok(null, 'Deep.'));
    const prompt = promptTemplate({
      ns: 'test',
      key: 'sections',
      sections: [
        section({
          title: 'Deep',
          key: 'deep',
          template: 'All of it.',
          summary: 'There is more.',
          visibility: 'summary',
          tools: [deep],
        }),
      ],
    }).bind();
    await using runtime = await openToolRuntime(prompt);
    const model = new MockLanguageModelV4({
      doGenerate: [step(['open_sections', opening('deep').arguments]), step(['deep']), answer('Done.')],
    });
    await ask(runtime, model);
    expect(toolsOf(model)).toEqual([['open_sections'], ['open_sections', 'deep'], ['open_sections', 'deep']]);
    expect(toldOf(model)).toMatchObject([{ type: 'text' }, { type: 'text', value: 'Deep.' }]);
  });

  it('sends what a result shows behind its text', async () => {
    const shows = tool({
      name: 'shows',
      description: 'Shows it.',
      effects: 'read',
      execute: () =>
        ToolResult.ok(null, 'Look.', {
          attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
        }),
    });
    await using runtime = await openToolRuntime(promptWith('media', [shows]));
    const model = new MockLanguageModelV4({ doGenerate: [step(['shows']), answer('Seen.')] });
    await ask(runtime, model);
    expect(toldOf(model)).toMatchObject([
      {
        type: 'content',
        value: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
        ],
      },
    ]);
    const output = {
      text: 'Look.',
      attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
    } as const;
    expect(toAiSdkTools(runtime, { version: 6 })['shows']?.toModelOutput({ output })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'Look.' },
        { type: 'image-data', mediaType: 'image/png', data: 'AAAA' },
      ],
    });
  });

  it('takes any name that a tool may have', async () => {
    const prompt = promptWith('names', [act('__proto__', () => ToolResult.ok(null, 'Called.'))]);
    await using runtime = await openToolRuntime(prompt);
    const model = new MockLanguageModelV4({ doGenerate: [step(['__proto__']), answer('Done.')] });
    await ask(runtime, model);
    expect(toldOf(model)).toEqual([{ type: 'text', value: 'Called.' }]);
  });
});

describe('a step of streamText', () => {
  it('is one turn, too', async () => {
    await using runtime = await openToolRuntime(promptWith('stream', [add, fails]));
    const model = new MockLanguageModelV4({
      doStream: [streamed(step(['add'], ['fails'], ['add'])), streamed(answer('Done.'))],
    });
    const result = streamText({
      model,
      prompt: 'Go.',
      tools: toAiSdkTools(runtime),
      stopWhen: isStepCount(10),
    });
    expect(await result.text).toBe('Done.');
    expect(
      runtime.session
        .slice(ToolCallLog)
        .all()
        .map(({ turn, outcome }) => [turn, outcome]),
    ).toEqual([
      [1, 'committed'],
      [1, 'rolled-back'],
      [1, 'committed'],
    ]);
    expect(runtime.session.slice(Count).latest()).toEqual({ total: 2 });
  });
});

describe('the tokens of a step', () => {
  it('are counted as far as they are known', () => {
    const counts = { inputTokens: 3, outputTokens: undefined };
    expect(fromAiSdkUsage(counts)).toEqual({ inputTokens: 3 });
    expect(
      fromAiSdkUsage({ ...counts, inputTokenDetails: { cacheReadTokens: 0, cacheWriteTokens: undefined } }),
    ).toEqual({ inputTokens: 3, cachedInputTokens: 0 });
  });
});

describe('the end of a run', () => {
  /** A tool that waits until the run is over, alone. */
  const waitsAt = (inside: ReturnType<typeof gate>): AnyTool =>
    act(
      'waits',
      async ({ session }) => {
        session.dispatch(Added, { by: 10 });
        await inside.pass();
      },
      { effects: 'external' },
    );

  it('ends the loop, and what is not committed is rolled back', async () => {
    const controller = new AbortController();
    const inside = gate();
    const session = new Session();
    await using runtime = await openToolRuntime(promptWith('abort', [add, waitsAt(inside)]), {
      session,
      signal: controller.signal,
    });
    const model = new MockLanguageModelV4({
      doGenerate: [step(['add'], ['waits'], ['add']), answer('Never.')],
    });
    const failure = ask(runtime, model).catch((error: unknown) => error);
    await inside.reached;
    controller.abort(new Error('Enough.'));
    expect(await failure).toMatchObject({ message: 'Enough.' });
    expect(model.doGenerateCalls).toHaveLength(1);
    expect(session.slice(Count).latest()).toEqual({ total: 1 });
    expect(session.slice(ToolCallLog).length).toBe(3);
  });

  it('by a budget ends the loop before it asks again', async () => {
    await using runtime = await openToolRuntime(promptWith('budget', [add]), {
      limits: { budget: { maxTotalTokens: 15 } },
    });
    const model = new MockLanguageModelV4({
      doGenerate: [step(['add']), step(['add']), step(['add']), answer('Never.')],
    });
    const failure: unknown = await ask(runtime, model).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'budget-exceeded' });
    expect(model.doGenerateCalls).toHaveLength(3);
    expect(runtime.budgetExceeded).toMatchObject({ limit: 'maxTotalTokens' });
    expect(runtime.session.slice(Count).latest()).toEqual({ total: 2 });
  });

  it('by the signal of the loop gives up its calls, and the runtime continues', async () => {
    const controller = new AbortController();
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('loop', [add, waitsAt(inside)]));
    const model = new MockLanguageModelV4({ doGenerate: [step(['add'], ['waits']), answer('Never.')] });
    const failure = generateText({
      model,
      prompt: 'Go.',
      tools: toAiSdkTools(runtime),
      stopWhen: isStepCount(10),
      abortSignal: controller.signal,
    }).catch((error: unknown) => error);
    await inside.reached;
    controller.abort(new Error('Enough.'));
    expect(await failure).toMatchObject({ message: 'Enough.' });
    const [output] = await runtime.runCalls([{ callId: 'x', name: 'add', arguments: '' }]);
    expect(output?.text).toBe('Counted 2.');
  });
});
