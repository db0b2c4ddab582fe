import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import {
  type AnyTool,
  defineSlice,
  hostedTool,
  jsonSchema,
  type MediaPart,
  type Tool,
  type ToolContext,
  type ToolFailure,
  ToolResult,
  type ToolSuccess,
  tool,
} from 'weakincentives';
import { z } from 'zod';

const base = { name: 'look_up', description: 'Finds.' };
const inputSchema = z.object({ id: z.string(), related: z.boolean().default(false) });
const outputSchema = z.object({
  state: z.enum(['open', 'closed']),
  tags: z.array(z.string()),
  hits: z.number().default(0),
});

test('params and context are inferred', () => {
  tool({
    ...base,
    inputSchema,
    execute: (params, context) => {
      expectTypeOf(params).toEqualTypeOf<{ id: string; related: boolean }>();
      expectTypeOf(context).toEqualTypeOf<ToolContext>();
      return ToolResult.ok(null);
    },
  });
  tool({
    ...base,
    inputSchema: toStandardJsonSchema(v.object({ id: v.string() })),
    execute: ({ id }) => {
      expectTypeOf(id).toEqualTypeOf<string>();
      return ToolResult.ok(id);
    },
  });
  tool({
    ...base,
    inputSchema: type({ limit: 'number = 1' }),
    execute: ({ limit }) => {
      expectTypeOf(limit).toEqualTypeOf<number>();
      return ToolResult.ok(limit);
    },
  });
  tool({
    ...base,
    execute: (params) => {
      expectTypeOf(params).toEqualTypeOf<undefined>();
      return ToolResult.ok(1);
    },
  });
});

test('literal results are kept and checked against the output schema', () => {
  const made = tool({
    ...base,
    inputSchema,
    outputSchema,
    examples: [{ description: 'x', input: { id: 'a' }, output: { state: 'open', tags: [] } }],
    subject: (params) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly id: string; readonly related?: boolean | undefined }>();
      return params.id;
    },
    render: (value) => {
      expectTypeOf(value).toEqualTypeOf<{ state: 'open' | 'closed'; tags: string[]; hits: number }>();
      return value.state;
    },
    execute: async ({ id }) =>
      id === '' ? ToolResult.error('No id.') : ToolResult.ok({ state: 'open', tags: [id] }, 'Found.'),
  });
  expectTypeOf(made).toExtend<
    Tool<{ id: string; related: boolean }, { state: 'open' | 'closed'; tags: string[]; hits: number }>
  >();
  expectTypeOf(ToolResult.ok({ state: 'open', tags: ['a'] })).toEqualTypeOf<
    ToolSuccess<{ state: 'open'; tags: ['a'] }>
  >();
  expectTypeOf(ToolResult.error('x')).toEqualTypeOf<ToolFailure>();
});

test('results bring images and files', () => {
  const shot = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const rows = { type: 'file', mediaType: 'text/csv', data: 'AAAA', name: 'rows.csv' } as const;
  expectTypeOf(ToolResult.ok(1, 'Seen.', { attachments: [shot, rows] })).toEqualTypeOf<ToolSuccess<1>>();
  expectTypeOf(ToolResult.ok(1).attachments).toEqualTypeOf<readonly MediaPart[] | undefined>();
  expectTypeOf(ToolResult.error('x', null, { attachments: [shot] })).toEqualTypeOf<ToolFailure>();
  tool({
    ...base,
    outputSchema,
    execute: () =>
      ToolResult.ok({ state: 'open', tags: [] }, 'Seen.', {
        attachments: [shot],
        excludeValueFromContext: true,
      }),
  });
  // @ts-expect-error -- bytes have to be written as base64
  ToolResult.ok(1, 'Seen.', { attachments: [{ ...shot, data: new Uint8Array() }] });
  // @ts-expect-error -- no such type
  ToolResult.ok(1, 'Seen.', { attachments: [{ ...shot, type: 'video' }] });
  // @ts-expect-error -- images have no name
  ToolResult.error('x', null, { attachments: [{ ...shot, name: 'x' }] });
  ToolResult.error('x', { code: 1 }, { excludeValueFromContext: true });
});

test('wrong results, examples and options are compile errors', () => {
  // @ts-expect-error -- no such state
  tool({ ...base, inputSchema, outputSchema, execute: () => ToolResult.ok({ state: 'ajar', tags: [] }) });
  // @ts-expect-error -- tags are missing
  tool({ ...base, outputSchema, execute: () => ToolResult.ok({ state: 'open' }) });
  // @ts-expect-error -- not a result
  tool({ ...base, execute: () => ({ state: 'open' }) });
  // @ts-expect-error -- not a result either
  tool({ ...base, execute: async () => undefined });
  // @ts-expect-error -- the id is a text
  tool({ ...base, inputSchema, examples: [{ description: 'x', input: { id: 1 }, output: 1 }] });
  tool({
    ...base,
    outputSchema,
    // @ts-expect-error -- the output does not fit
    examples: [{ description: 'x', input: undefined, output: { state: 'ajar', tags: [] } }],
  });
  // @ts-expect-error -- no such effects
  tool({ ...base, effects: 'write' });
  // @ts-expect-error -- a handler gets params and context
  tool({ ...base, inputSchema, execute: (_params, _context, _more: string) => ToolResult.ok(null) });
  // @ts-expect-error -- the handler is called execute
  tool({ ...base, handler: () => ToolResult.ok(1) });
  // @ts-expect-error -- no such param
  tool({ ...base, inputSchema, execute: ({ name }) => ToolResult.ok(name) });
  // @ts-expect-error -- a bare Valibot schema emits no JSON Schema
  tool({ ...base, inputSchema: v.object({}) });
});

test('different tools go into one list', () => {
  const tools: readonly AnyTool[] = [
    tool(base),
    tool({
      ...base,
      inputSchema,
      outputSchema,
      execute: () => ToolResult.ok({ state: 'open', tags: [] }),
      render: ({ state }) => state,
    }),
    tool({
      ...base,
      inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
      execute: ({ path }) => ToolResult.ok(path),
    }),
  ];
  for (const each of tools) {
    // @ts-expect-error -- params of an unknown tool cannot be made up
    void each.execute?.({ id: 'a' });
  }
});

test('the succeeded event carries the types of the call', () => {
  const made = tool({ ...base, inputSchema, outputSchema });
  defineSlice({
    name: 'seen',
    schema: z.string(),
    reducers: (on) => [
      on(made.succeeded, (items, { params, value }) => {
        expectTypeOf(params.related).toEqualTypeOf<boolean | undefined>();
        expectTypeOf(value.state).toEqualTypeOf<'open' | 'closed'>();
        return items.append(params.id);
      }),
    ],
  });
});

test('hosted tools keep the type of their config', () => {
  const made = hostedTool({
    kind: 'web_search',
    name: 'search',
    description: 'x',
    config: { allowedDomains: ['a'] },
  });
  expectTypeOf(made.config).toEqualTypeOf<{ readonly allowedDomains: readonly ['a'] }>();
  // @ts-expect-error -- a config is plain JSON
  hostedTool({ kind: 'web_search', name: 'search', description: 'x', config: { at: new Date() } });
});
