import { describe, expect, test } from 'vitest';
import { type AnyTool, jsonSchema, ToolCallLog, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { only, runCalls } from '../../../../../support/run-calls.ts';

const noted = (seen: unknown[]): AnyTool =>
  tool({
    name: 'note',
    description: 'Keeps what it gets.',
    effects: 'state',
    inputSchema: z.object({
      when: z.string().transform((text) => text.length),
      limit: z.number().default(10),
    }),
    execute: (params) => {
      seen.push(params);
      return ToolResult.ok(null);
    },
  });

describe('arguments', () => {
  test('reach the handler as the schema yields them and the record as they were sent', async () => {
    const seen: unknown[] = [];
    const { session, events } = await runCalls({
      tools: [noted(seen)],
      calls: [{ name: 'note', arguments: { when: 'now' } }],
    });
    expect(seen).toEqual([{ when: 3, limit: 10 }]);
    expect(only(session.slice(ToolCallLog).all()).params).toEqual({ when: 'now' });
    expect(events.find((event) => event.type === 'tool-call-start')).toMatchObject({
      params: { when: 'now' },
    });
  });

  test.each(['', '  ', '{}'])('that are absent count as an empty object: %j', async (text) => {
    const seen: unknown[] = [];
    const { invocations } = await runCalls({
      tools: [
        tool({
          name: 'plain',
          description: 'Takes nothing.',
          execute: (params) => {
            seen.push(params);
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'plain', arguments: text }],
    });
    expect(seen).toEqual([undefined]);
    expect(only(invocations)).toMatchObject({ outcome: 'committed', params: {} });
  });

  test('that a handler changes are recorded as they were sent, and a second attempt gets them afresh', async () => {
    const seen: string[][] = [];
    const { invocations, session } = await runCalls({
      tools: [
        tool({
          name: 'raw',
          description: 'Changes what it was given.',
          effects: 'state',
          inputSchema: jsonSchema<{ words: string[] }>({
            type: 'object',
            properties: { words: { type: 'array', items: { type: 'string' } } },
            required: ['words'],
          }),
          execute: ({ words }, context) => {
            context.session.slice(ToolCallLog).all();
            seen.push([...words]);
            words.push('more');
            return ToolResult.ok(words.length);
          },
        }),
      ],
      calls: [
        { name: 'raw', arguments: { words: ['one'] } },
        { name: 'raw', arguments: { words: ['two'] } },
      ],
    });
    // The record of the first call is what the second one had looked at, so that one ran twice.
    expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 2]);
    expect(seen).toEqual([['one'], ['two'], ['two']]);
    const params = session
      .slice(ToolCallLog)
      .all()
      .map((invocation) => invocation.params);
    expect(params).toEqual([{ words: ['one'] }, { words: ['two'] }]);
  });

  const hostile: readonly (readonly [what: string, text: string])[] = [
    ['a number that JSON cannot carry', '{"when": "now", "limit": 1e999}'],
    ['nesting without end', `{"when": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['nesting that is far too deep', `{"when": ${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`],
    ['a bare number', '7'],
    ['null', 'null'],
    ['half of a text', '{"when": "no'],
    ['two objects', '{} {}'],
    ['a prototype', '{"when": "now", "__proto__": {"limit": 3}}'],
  ];
  test.each(hostile)('that hold %s are answered, for tools there are and others', async (_what, text) => {
    const seen: unknown[] = [];
    const { invocations, response, session } = await runCalls({
      tools: [noted(seen)],
      calls: [
        { name: 'note', arguments: text },
        { name: 'nobody', arguments: text },
        { name: 'note', arguments: { when: 'after' } },
      ],
    });
    expect(response.text).toBe('done');
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected', 'committed']);
    expect(invocations.map(({ reason }) => reason)).toEqual(['invalid-arguments', 'unknown-tool', undefined]);
    expect(session.slice(ToolCallLog)).toHaveLength(3);
    expect(seen).toEqual([{ when: 5, limit: 10 }]);
  });

  test('that do not fit are answered with the field, what was received and what would be right', async () => {
    const seen: unknown[] = [];
    const { texts } = await runCalls({
      tools: [noted(seen)],
      calls: [{ name: 'note', arguments: { when: 5, limit: 'many', surplus: true } }],
    });
    const text = only(texts);
    expect(text).toMatch(/^Tool validation failed: /);
    expect(text).toMatch(/^when: .*string.*5/m);
    expect(text).toMatch(/^limit: .*number.*many/m);
    expect(text).toMatch(/^surplus: /m);
    expect(seen).toEqual([]);
  });
});

describe('a name that no tool has', () => {
  test('is answered with at most fifty of the names there are', async () => {
    const tools = Array.from({ length: 60 }, (_unused, index) =>
      tool({ name: `tool-${index}`, description: 'One of many.', execute: () => ToolResult.ok(null) }),
    );
    const { texts } = await runCalls({ tools, calls: [{ name: 'Tool-1' }] });
    expect(only(texts)).toContain('There is no tool "Tool-1". The tools are: tool-0, tool-1,');
    expect(only(texts)).toContain('tool-49 and 10 more.');
    expect(only(texts)).not.toContain('tool-50');
  });

  test('is answered also when there are no tools at all', async () => {
    const { texts } = await runCalls({ tools: [], calls: [{ name: 'anything' }] });
    expect(only(texts)).toBe('There is no tool "anything"; this prompt has no tools.');
  });
});
