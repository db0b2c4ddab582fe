import { tool as aiTool, dynamicTool, jsonSchema, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { type AnyTool, openToolRuntime, type RunEvent, type ToolRuntimeOutput } from 'weakincentives';
import { fromAiSdkTool } from 'weakincentives/ai-sdk';
import { z } from 'zod';
import { gate } from '../../../support/gate.ts';
import { Added, Count, promptWith } from '../../../support/nested-setup.ts';
import { only } from '../../../support/run-calls.ts';

const call = async (
  tool: AnyTool,
  input: object = {},
  options: Parameters<typeof openToolRuntime>[1] = {},
): Promise<ToolRuntimeOutput> => {
  await using runtime = await openToolRuntime(promptWith('bridge', [tool]), options);
  return only(await runtime.runCalls([{ callId: 'c1', name: tool.name, arguments: JSON.stringify(input) }]));
};
const weather = aiTool({
  description: 'Looks at the sky.',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: ({ city, days }, { toolCallId, messages }) => ({
    city,
    days,
    toolCallId,
    messages: messages.length,
    seenAt: new Date(0),
    nothing: undefined,
  }),
});

describe('a tool of the AI SDK', () => {
  it('becomes one of a prompt, with the value of its execute as JSON', async () => {
    const tool = fromAiSdkTool(weather, { name: 'weather', effects: 'read' });
    expect(tool).toMatchObject({ name: 'weather', description: 'Looks at the sky.', effects: 'read' });
    const output = await call(tool, { city: 'Rome' });
    expect(output.invocation.value).toEqual({
      city: 'Rome',
      days: 1,
      toolCallId: 'c1',
      messages: 0,
      seenAt: '1970-01-01T00:00:00.000Z',
    });
    expect(JSON.parse(output.text)).toEqual(output.invocation.value);
    expect((await call(tool, { city: 1, more: 2 })).text).toContain('do not fit');
    expect(fromAiSdkTool(weather, { name: 'weather' }).effects).toBe('external');
  });

  it('says a text as it is, and nothing as OK', async () => {
    const says = (text: unknown) =>
      fromAiSdkTool(
        { description: 'Says.', inputSchema: z.object({}), execute: () => text },
        { name: 'says' },
      );
    expect((await call(says('"Hello."'))).text).toBe('"Hello."');
    expect((await call(says(undefined))).text).toBe('OK');
    expect((await call(says(0))).text).toBe('0');
  });

  it('fails by what it throws, or what is no JSON', async () => {
    const throws = (thrown: unknown) =>
      fromAiSdkTool(
        {
          description: 'Throws.',
          inputSchema: z.object({}),
          execute: async () => {
            throw thrown;
          },
        },
        { name: 'throws' },
      );
    expect(await call(throws(new Error('No luck.')))).toMatchObject({
      isError: true,
      text: expect.stringContaining('The tool "throws" failed: No luck.'),
    });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const wrong = { description: 'Loops.', inputSchema: z.object({}), execute: () => circular };
    expect((await call(fromAiSdkTool(wrong, { name: 'loops' }))).text).toContain('raised TypeError');
  });

  it('tells what it yields on the way as progress, and its last value is the one', async () => {
    const counts = aiTool({
      description: 'Counts.',
      inputSchema: z.object({ to: z.number() }),
      execute: async function* ({ to }) {
        for (let number = 1; number <= to; number += 1) yield { number };
      },
    });
    const events: RunEvent[] = [];
    const tool = fromAiSdkTool(counts, { name: 'counts', effects: 'read' });
    const output = await call(tool, { to: 3 }, { observers: [{ onEvent: (event) => events.push(event) }] });
    expect(output.text).toBe('{"number":3}');
    expect(events.flatMap((event) => (event.type === 'tool-call-progress' ? [event.update] : []))).toEqual([
      { number: 1 },
      { number: 2 },
    ]);
    expect((await call(tool, { to: 0 })).text).toBe('OK');
  });

  it('ends its source when the call is given up', async () => {
    const controller = new AbortController();
    const ended = gate();
    const endless = aiTool({
      description: 'Never ends.',
      inputSchema: z.object({}),
      execute: async function* (_input, { abortSignal }) {
        try {
          yield 1;
          controller.abort();
          expect(abortSignal?.aborted).toBe(true);
          for (;;) yield 2;
        } finally {
          void ended.pass();
        }
      },
    });
    await expect(
      call(fromAiSdkTool(endless, { name: 'endless' }), {}, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'evaluation-aborted' });
    await ended.reached;
  });

  it('reaches the session of its call through the context that it is given', async () => {
    const remembers = aiTool({
      description: 'Remembers.',
      inputSchema: z.object({ by: z.number() }),
      contextSchema: z.object({ count: z.function({ input: [z.number()], output: z.number() }) }),
      execute: ({ by }, { context }) => context.count(by),
    });
    const tool = fromAiSdkTool(remembers, {
      name: 'remembers',
      effects: 'state',
      contextFor: ({ session }) => ({
        count: (by: number) => {
          session.dispatch(Added, { by });
          return session.slice(Count).latest()?.total;
        },
      }),
    });
    await using runtime = await openToolRuntime(promptWith('context', [tool]));
    const outputs = await runtime.runCalls(
      [2, 3].map((by) => ({ callId: `by-${by}`, name: 'remembers', arguments: { by } })),
    );
    expect(outputs.map(({ text }) => text)).toEqual(['2', '5']);
  });
});

describe('schemas of the AI SDK', () => {
  it('hold by their JSON Schema, and by their own validation where they have one', async () => {
    const dynamic = dynamicTool({
      description: 'Takes what it is sent.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
        required: ['pair'],
      }),
      execute: async (input) => input,
    });
    const tool = fromAiSdkTool(dynamic, { name: 'dynamic', effects: 'read' });
    expect((await call(tool, { pair: ['a', 1] })).text).toBe('{"pair":["a",1]}');
    // A list of schemas holds item by item, as in draft 7.
    expect(await call(tool, { pair: ['a', 'b'] })).toMatchObject({ isError: true });
    expect(await call(tool, {})).toMatchObject({ isError: true });

    const doubled = aiTool({
      description: 'Doubles.',
      inputSchema: zodSchema(z.object({ count: z.number().transform((count) => count * 2) })),
      execute: ({ count }) => count,
    });
    expect((await call(fromAiSdkTool(doubled, { name: 'doubled' }), { count: 2 })).text).toBe('4');
    const refusing = aiTool({
      description: 'Refuses.',
      inputSchema: jsonSchema<{ word: string }>(
        { type: 'object', properties: { word: { type: 'string' } } },
        { validate: () => ({ success: false, error: new Error('Not this word.') }) },
      ),
      execute: ({ word }) => word,
    });
    expect((await call(fromAiSdkTool(refusing, { name: 'refusing' }), { word: 'a' })).text).toContain(
      'Not this word.',
    );
  });

  it('may be wrapped in a function, but not in a promise', () => {
    const lazy = { description: 'Lazy.', inputSchema: () => zodSchema(z.object({})), execute: () => 1 };
    expect(fromAiSdkTool(lazy, { name: 'lazy' }).compiledInput?.inputJsonSchema).toMatchObject({
      type: 'object',
    });
    const later = { ...lazy, inputSchema: jsonSchema(Promise.resolve({ type: 'object' as const })) };
    expect(() => fromAiSdkTool(later, { name: 'later' })).toThrow(
      'The AI SDK tool "later" cannot be used: inputSchema: its JSON Schema is a promise; await it first.',
    );
    const broken = { ...lazy, inputSchema: jsonSchema({ type: 'object', $ref: '#/nowhere' }) };
    expect(() => fromAiSdkTool(broken, { name: 'broken' })).toThrow(/leads nowhere/);
    expect(() => fromAiSdkTool({ ...lazy, inputSchema: 'text' }, { name: 'text' })).toThrow(
      /the input schema cannot be used/,
    );
    // The AI SDK takes it for one without params.
    expect(fromAiSdkTool({ ...lazy, inputSchema: undefined }, { name: 'none' }).inputSchema).toBeUndefined();
  });

  it('of the output hold, too', async () => {
    const typed = aiTool({
      description: 'Typed.',
      inputSchema: z.object({ wrong: z.boolean() }),
      outputSchema: z.object({ at: z.iso.datetime() }),
      execute: ({ wrong }) => ({ at: wrong ? 'yesterday' : '2026-01-01T00:00:00Z' }),
    });
    const tool = fromAiSdkTool(typed, { name: 'typed' });
    expect(await call(tool, { wrong: false })).toMatchObject({ isError: false });
    expect(await call(tool, { wrong: true })).toMatchObject({
      isError: true,
      invocation: { reason: 'invalid-output' },
    });
  });
});

describe('toModelOutput', () => {
  const made = (output: unknown, value: unknown = { all: true }): AnyTool =>
    fromAiSdkTool(
      {
        description: 'Makes it.',
        inputSchema: z.object({ a: z.number().optional() }),
        execute: () => value,
        toModelOutput: () => output,
      },
      { name: 'made' },
    );

  it('says what the model reads; the value is what was returned', async () => {
    expect(await call(made({ type: 'text', value: 'Short.' }))).toMatchObject({
      text: 'Short.',
      isError: false,
      invocation: { value: { all: true } },
    });
    expect((await call(made({ type: 'json', value: { b: 1, a: null } }))).text).toBe('{"b":1,"a":null}');
    expect(await call(made(Promise.resolve({ type: 'text', value: 'Later.' })))).toMatchObject({
      text: 'Later.',
    });
  });

  it('may make an error of it', async () => {
    for (const [output, text] of [
      [{ type: 'error-text', value: 'No.' }, 'No.'],
      [{ type: 'error-json', value: { no: 1 } }, '{"no":1}'],
      [{ type: 'execution-denied', reason: 'Not you.' }, 'Not you.'],
      [{ type: 'execution-denied' }, 'The tool was not allowed to run.'],
    ] as const) {
      const told = await call(made(output));
      expect(told.isError).toBe(true);
      expect(told.text).toContain(text);
    }
    expect((await call(made({ type: 'unheard' }))).text).toContain('unknown type "unheard"');
    expect((await call(made('text'))).text).toContain('toModelOutput did not return an output.');
  });

  it('may bring files, in the words of any version', async () => {
    const output = await call(
      made({
        type: 'content',
        value: [
          { type: 'text', text: 'Look:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'file', mediaType: 'image', data: { type: 'url', url: new URL('https://example.com/a') } },
          {
            type: 'file',
            mediaType: 'application/pdf',
            filename: 'a.pdf',
            data: { type: 'data', data: new Uint8Array(3) },
          },
          { type: 'image-data', mediaType: 'image/jpeg', data: 'BBBB' },
          { type: 'image-url', url: 'https://example.com/b.png' },
          { type: 'file-data', mediaType: 'text/plain', data: 'CCCC', filename: 'c.txt' },
          { type: 'file-url', url: 'https://example.com/d' },
          { type: 'media', mediaType: 'image/gif', data: 'DDDD' },
          { type: 'file-id', fileId: 'file_1' },
        ],
      }),
    );
    expect(output.text).toBe('Look:\n[file-id]');
    expect(output.attachments).toEqual([
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', data: 'https://example.com/a' },
      { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'a.pdf' },
      { type: 'image', mediaType: 'image/jpeg', data: 'BBBB' },
      { type: 'image', mediaType: 'image/png', data: 'https://example.com/b.png' },
      { type: 'file', mediaType: 'text/plain', data: 'CCCC', name: 'c.txt' },
      { type: 'file', mediaType: 'application/octet-stream', data: 'https://example.com/d' },
      { type: 'image', mediaType: 'image/gif', data: 'DDDD' },
    ]);
  });
});

describe('what cannot be taken over', () => {
  const plain = { description: 'Plain.', inputSchema: z.object({}), execute: () => 1 };

  it('is refused when the tool is made', () => {
    const { execute: _execute, ...declared } = plain;
    expect(() => fromAiSdkTool(declared, { name: 'declared' })).toThrow('it has no execute function');
    expect(() => fromAiSdkTool({ ...plain, needsApproval: true }, { name: 'asks' })).toThrow(
      /put a policy that asks/,
    );
    expect(() => fromAiSdkTool({ ...plain, needsApproval: () => false }, { name: 'asks' })).toThrow(
      /needsApproval/,
    );
    expect(fromAiSdkTool({ ...plain, needsApproval: false }, { name: 'free' }).name).toBe('free');
    const varies = { ...plain, description: () => 'Varies.' };
    expect(() => fromAiSdkTool(varies, { name: 'varies' })).toThrow('pass the option description');
    expect(fromAiSdkTool(varies, { name: 'varies', description: 'Fixed.' }).description).toBe('Fixed.');
    expect(() => fromAiSdkTool({ ...plain, description: 'x'.repeat(201) }, { name: 'long' })).toThrow(/200/);
    expect(() => fromAiSdkTool(plain, { name: 'Bad name' })).toThrow(/name/);
    expect(() => fromAiSdkTool(plain, { name: 'late', timeoutMs: 0 })).toThrow(/timeoutMs/);
  });
});
