import { expect, test } from 'vitest';
import { type AnyTool, type JsonSchema, jsonSchema, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { structuredSchemaOf, toolDeclaration } from '../../../../../src/harness/mcp/wire/tool-declaration.ts';

const returning = (outputSchema: Parameters<typeof tool>[0]['outputSchema']): AnyTool =>
  tool({
    name: 'returns',
    description: 'Returns.',
    effects: 'read',
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: () => ToolResult.ok(null as never),
  });

test('the schema of a value has its definitions at the root, where references look for them', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  };
  expect(structuredSchemaOf(returning(jsonSchema<object>(schema)))).toMatchObject({
    type: 'object',
    $defs: schema['$defs'],
    anyOf: [
      { type: 'object', properties: { tree: { $ref: '#/$defs/node' } } },
      {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
        additionalProperties: false,
      },
    ],
  });
});

test.each([
  ['a list', z.array(z.string())],
  ['a text', z.string()],
  ['one of several objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ['what JSON Schema cannot express', z.object({ at: z.string().transform((text) => text.length) })],
])('%s has no place in structured results', (_what, schema) => {
  expect(structuredSchemaOf(returning(schema))).toBeUndefined();
});

test('a tool without an output schema, and one that is unknown, have none', () => {
  expect(structuredSchemaOf(returning(undefined))).toBeUndefined();
  expect(structuredSchemaOf(undefined)).toBeUndefined();
});

test.each([
  ['read', false, [true, false, true, false]],
  ['state', false, [false, true, false, false]],
  ['state', true, [false, true, true, false]],
  ['external', false, [false, true, false, true]],
  ['external', true, [false, true, true, true]],
] as const)(
  'a tool with effects "%s", idempotent: %s, has all four annotations',
  (effects, idempotent, hints) => {
    const declared = tool({
      name: 'acts',
      description: 'Acts.',
      effects,
      idempotent,
      execute: () => ToolResult.ok(null),
    });
    const offered = { name: 'acts', description: 'Acts.', inputSchema: { type: 'object' }, examples: [] };
    const [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] = hints;
    expect(toolDeclaration(offered, declared, false)).toEqual({
      name: 'acts',
      description: 'Acts.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
    });
  },
);

test('schemas ask for no headers, whoever wrote them', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      place: {
        type: 'object',
        properties: { 'x-mcp-header': { type: 'string', 'x-mcp-header': 'Place' } },
      },
      any: true,
    },
  };
  const offered = { name: 'acts', description: 'Acts.', inputSchema, examples: [] };
  expect(toolDeclaration(offered, undefined, false).inputSchema).toEqual({
    type: 'object',
    properties: {
      region: { type: 'string' },
      place: { type: 'object', properties: { 'x-mcp-header': { type: 'string' } } },
      any: true,
    },
  });
});
