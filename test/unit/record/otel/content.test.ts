import { describe, expect, it } from 'vitest';
import { type InputPart, redactSecrets, ToolResult, tool } from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import { z } from 'zod';
import type { OtelSpan, OtelTracer } from '../../../../src/record/otel/otel-api.ts';
import { promptWith } from '../../../support/nested-setup.ts';
import { type TracedRuns, tracedRuns } from '../../../support/span-trees.ts';
import { telemetryModel } from '../../../support/telemetry-model.ts';

const secret = 'sk-0123456789';

/** A run that has a secret in everything that is content. */
async function run(traced: TracedRuns, redact?: ReturnType<typeof redactSecrets>): Promise<void> {
  const search = tool({
    name: 'search',
    description: `Searches with ${secret}.`,
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }) => ToolResult.ok({ query }, `Found ${query}.`),
  });
  const fails = tool({
    name: 'fails',
    description: 'Fails.',
    execute: () => {
      throw new Error(`It failed with ${secret}.`);
    },
  });
  const adapter = telemetryModel((turn) =>
    turn === 1
      ? {
          content: [
            { type: 'reasoning', text: `Think of ${secret}.` },
            { type: 'text', text: 'I search.' },
            { type: 'tool-call', callId: 'c1', name: 'search', arguments: `{"query":"${secret}"}` },
            { type: 'tool-call', callId: 'c2', name: 'fails', arguments: '' },
          ],
          finishReason: 'tool-calls',
        }
      : { content: [{ type: 'text', text: `It is ${secret}.` }], finishReason: 'length' },
  );
  const input: readonly InputPart[] = [
    { type: 'text', text: `Use ${secret}.` },
    { type: 'image', mediaType: 'image/png', data: 'A'.repeat(10_000) },
    { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png' },
  ];
  await adapter.evaluate(promptWith('task', [search, fails]), {
    input,
    observers: [traced.observer],
    ...(redact === undefined ? {} : { redact }),
  });
}

const attributesOf = (traced: TracedRuns, name: string): readonly Readonly<Record<string, unknown>>[] =>
  traced
    .spans()
    .filter((span) => span.name === name)
    .map(({ attributes }) => attributes);

/** Attributes that hold JSON, read. */
const read = (value: unknown): unknown => JSON.parse(String(value));

describe('content', () => {
  it('has arguments that are nested too deep as the text that they are', async () => {
    const traced = tracedRuns({ content: 'full' });
    const deep = `{"query":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const adapter = telemetryModel((turn) =>
      turn === 1
        ? {
            content: [{ type: 'tool-call', callId: 'c1', name: 'constructor', arguments: deep }],
            finishReason: 'tool-calls',
          }
        : { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' },
    );
    await adapter.evaluate(promptWith('task', []), { observers: [traced.observer] });
    const [first, second] = attributesOf(traced, 'chat test-model');
    const call = { type: 'tool_call', id: 'c1', name: 'constructor', arguments: deep };
    expect(read(first?.['gen_ai.output.messages'])).toMatchObject([{ parts: [call] }]);
    expect(read(second?.['gen_ai.input.messages'])).toMatchObject([{ parts: [call] }, { role: 'tool' }]);
    // The model made the name up, whatever Object.prototype has of that name.
    expect(attributesOf(traced, 'execute_tool')[0]).not.toHaveProperty(['wink.call.effects']);
  });

  it('has the digits of an integer that a number does not hold as text', async () => {
    const traced = tracedRuns({ content: 'full' });
    const adapter = telemetryModel((turn) =>
      turn === 1
        ? {
            content: [
              { type: 'tool-call', callId: 'c1', name: 'none', arguments: '{"id":9007199254740993}' },
            ],
            finishReason: 'tool-calls',
          }
        : { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' },
    );
    await adapter.evaluate(promptWith('task', []), { observers: [traced.observer] });
    const [first] = attributesOf(traced, 'chat test-model');
    expect(read(first?.['gen_ai.output.messages'])).toMatchObject([
      { parts: [{ type: 'tool_call', arguments: { id: '9007199254740993' } }] },
    ]);
  });

  it('is not in spans by default', async () => {
    const traced = tracedRuns();
    await run(traced);
    const texts = JSON.stringify(
      traced.spans().map(({ attributes, events, status }) => [attributes, events, status]),
    );
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain('Search');
    expect(texts).not.toContain('This is task');
  });

  it('is in spans where it is wanted, in the form of the conventions', async () => {
    const traced = tracedRuns({ content: 'full' });
    await run(traced);
    const [first, second] = attributesOf(traced, 'chat test-model');
    const user = {
      role: 'user',
      parts: [
        { type: 'text', content: `Use ${secret}.` },
        { type: 'omitted', modality: 'image', mime_type: 'image/png', characters: 10_000 },
        { type: 'uri', modality: 'image', mime_type: 'image/png', uri: 'https://example.com/a.png' },
      ],
    };
    const said = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: `Think of ${secret}.` },
        { type: 'text', content: 'I search.' },
        { type: 'tool_call', id: 'c1', name: 'search', arguments: { query: secret } },
        { type: 'tool_call', id: 'c2', name: 'fails', arguments: {} },
      ],
    };
    expect(read(first?.['gen_ai.system_instructions'])).toEqual([
      { type: 'text', content: expect.stringContaining('This is task.') },
    ]);
    expect(read(first?.['gen_ai.input.messages'])).toEqual([user]);
    expect(read(first?.['gen_ai.output.messages'])).toEqual([{ ...said, finish_reason: 'tool_call' }]);
    expect(read(first?.['gen_ai.tool.definitions'])).toEqual([
      {
        type: 'function',
        name: 'search',
        description: `Searches with ${secret}.`,
        parameters: expect.objectContaining({ type: 'object', required: ['query'] }),
      },
      expect.objectContaining({ type: 'function', name: 'fails' }),
    ]);
    const result = `Found ${secret}.\n\n{"query":"${secret}"}`;
    expect(read(second?.['gen_ai.input.messages'])).toEqual([
      user,
      said,
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: result }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c2', response: expect.any(String) }] },
    ]);
    expect(read(second?.['gen_ai.output.messages'])).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: `It is ${secret}.` }], finish_reason: 'length' },
    ]);
    const [search] = attributesOf(traced, 'execute_tool search');
    expect(read(search?.['gen_ai.tool.call.arguments'])).toEqual({ query: secret });
    expect(read(search?.['gen_ai.tool.call.result'])).toBe(result);
    const [fails] = attributesOf(traced, 'execute_tool fails');
    expect(fails?.['wink.call.error']).toBe(`It failed with ${secret}.`);
    // The run has what it began with and what it ended with.
    const [agent] = attributesOf(traced, 'invoke_agent test/task');
    expect(read(agent?.['gen_ai.input.messages'])).toEqual([user]);
    expect(read(agent?.['gen_ai.output.messages'])).toMatchObject([
      { role: 'assistant', parts: [{ type: 'text', content: `It is ${secret}.` }] },
    ]);
  });

  it('is redacted before it is in spans', async () => {
    const traced = tracedRuns({ content: 'full' });
    await run(traced, redactSecrets({ key: secret }));
    const texts = JSON.stringify(
      traced.spans().map(({ attributes, events, status }) => [attributes, events, status]),
    );
    expect(texts).not.toContain(secret);
    const [search] = attributesOf(traced, 'execute_tool search');
    expect(read(search?.['gen_ai.tool.call.arguments'])).toEqual({ query: expect.stringContaining('key') });
  });

  it('is not built for spans that are sampled out', async () => {
    const names = new Set<string>();
    const note = (attributes: object): void => Object.keys(attributes).forEach((name) => names.add(name));
    const span: OtelSpan = {
      spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16) }),
      isRecording: () => false,
      setAttributes: note,
      addEvent: (_name, attributes = {}) => note(attributes),
      setStatus: () => undefined,
      updateName: () => undefined,
      end: () => undefined,
    };
    const tracer: OtelTracer = { startSpan: () => span };
    const observer = otelObserver({ tracer, content: 'full' });
    await run({ ...tracedRuns(), observer });
    expect(names).toContain('gen_ai.agent.name');
    expect([...names].filter((name) => /messages|instructions|arguments|result|error$/.test(name))).toEqual(
      [],
    );
  });
});
