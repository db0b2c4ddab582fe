import { describe, expect, it } from 'vitest';
import type { JsonSchema } from 'weakincentives';
import { memoryServer, mountMemory, runtimeOf, textResult } from '../../../../support/mcp/memory-server.ts';

type Objects = Readonly<Record<string, unknown>>;
type Bomb = readonly [name: string, schema: Objects, value: Objects];

const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));
const map = <T>(length: number, prefix: string, item: (index: number) => T): Record<string, T> =>
  Object.fromEntries(list(length, (index) => [`${prefix}${index}`, item(index)]));
const refs = (length: number, to: string): { readonly $ref: string }[] =>
  list(length, () => ({ $ref: `#/$defs/${to}` }));
const many = list(20_000, (index) => index);

/** Without a bound each of them takes minutes, or more time than there is. */
const bombs: readonly Bomb[] = [
  [
    'a pattern that a linear engine takes long for',
    { properties: { a: { pattern: '(?:a?){1000}\\b(?:a?){900}[^a]' } } },
    { a: 'a'.repeat(90_000) },
  ],
  [
    'patterns for many keys',
    { patternProperties: map(1500, '(?:a|b)*c?x', () => ({ type: 'number' })) },
    map(5_000, 'abx', () => 1),
  ],
  [
    'unique items, again and again',
    { properties: { a: { allOf: list(3_000, () => ({ uniqueItems: true })) } } },
    { a: many },
  ],
  [
    'lists of constants that are objects',
    { properties: { a: { items: { enum: list(3_000, (index) => [index]) } } } },
    { a: list(20_000, (index) => [index % 3_000]) },
  ],
  [
    'one definition for the items, reached in many ways',
    {
      $defs: { a: { type: 'number' } },
      properties: { a: { allOf: list(2_000, () => ({ items: { $ref: '#/$defs/a' } })) } },
    },
    { a: many },
  ],
  [
    'unions of unions',
    {
      $defs: {
        a: { anyOf: refs(800, 'b') },
        b: { anyOf: refs(800, 'c') },
        c: { anyOf: refs(800, 'd') },
        d: { properties: { b: true } },
      },
      properties: { a: { $ref: '#/$defs/a' } },
    },
    { a: { b: 1, c: null } },
  ],
  [
    'keys that no part knows',
    {
      allOf: list(1_500, (index) => ({ properties: { [`p${index}`]: true } })),
      unevaluatedProperties: { type: 'number' },
    },
    map(10_000, 'k', () => 1),
  ],
  [
    'items that are contained',
    { properties: { a: { allOf: list(2_000, () => ({ contains: { const: 'b' } })) } } },
    { a: [...many, 'b'] },
  ],
  [
    'negations',
    {
      properties: {
        a: { items: { not: { anyOf: list(2_000, (index) => ({ const: `b${index}` })) } } },
      },
    },
    { a: many },
  ],
  [
    'conditions',
    {
      properties: { a: true },
      allOf: list(400, (index) => ({
        if: { properties: { a: { items: { minimum: 0 } } } },
        then: { properties: { a: { items: { minimum: -index } } } },
      })),
    },
    { a: many },
  ],
];

describe('a schema of a server', () => {
  it.each(bombs)('does not keep the process busy with %s', async (_name, schema, value) => {
    const inputSchema = { type: 'object' as const, ...schema };
    const server = memoryServer({
      take: { inputSchema },
      give: {
        outputSchema: inputSchema,
        call: () => ({ ...textResult('given'), structuredContent: { ...value } }),
      },
    });
    await using mounted = await mountMemory(server, { limits: { maxResultCharacters: 10_000_000 } });
    await using runtime = await runtimeOf(mounted);
    const taken = await runtime.call('take', value);
    expect(taken.isError).toBe(true);
    expect(taken.text).toContain('cannot be checked: the schema takes more than 10,000,000 steps for it');
    // A success of the server stays one: only the content that was not checked is left out.
    const given = await runtime.call('give');
    expect([given.isError, given.text, given.invocation.value]).toEqual([false, 'given', 'given']);
    expect(server.calls.map(({ name }) => name)).toEqual(['give']);
  });

  const exploding: readonly (readonly [name: string, schema: Objects])[] = [
    [
      'parts that double',
      {
        $defs: Object.fromEntries(
          list(40, (index) => [
            `d${index}`,
            {
              type: 'object',
              properties:
                index === 39
                  ? {}
                  : { a: { allOf: refs(1, `d${index + 1}`) }, b: { allOf: refs(1, `d${index + 1}`) } },
            },
          ]),
        ),
        properties: { a: { allOf: refs(1, 'd0') } },
      },
    ],
    [
      'a part that contains itself',
      {
        $defs: { a: { type: 'object', properties: { b: { allOf: refs(1, 'a') } } } },
        properties: { a: { allOf: refs(1, 'a') } },
      },
    ],
    [
      'a large definition that is repeated',
      {
        $defs: { a: { enum: list(3_000, (index) => `e${index}`) } },
        properties: { a: { properties: {}, allOf: refs(2_000, 'a') } },
      },
    ],
    [
      'a chain of definitions',
      { $defs: map(2_500, 'd', (index) => ({ allOf: refs(1, `d${(index + 1) % 2_500}`) })) },
    ],
    ['deep nesting', JSON.parse(`${'{"not":'.repeat(300)}{}${'}'.repeat(300)}`) as Objects],
    ['a million characters', { properties: { a: { enum: ['a'.repeat(1_000_000)] } } }],
  ];

  it.each(exploding)('is refused for %s', async (_name, schema) => {
    const server = memoryServer({ good: {}, bad: { inputSchema: { type: 'object', ...schema } } });
    await using mounted = await mountMemory(server);
    expect(mounted.tools?.map(({ name }) => name)).toEqual(['good']);
    expect(mounted.skippedTools.map(({ name }) => name)).toEqual(['bad']);
  });

  it('checks with a pattern of exponential time', async () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { word: { type: 'string', pattern: '^(b*)*$' } },
    };
    const server = memoryServer({ find: { inputSchema } });
    await using mounted = await mountMemory(server);
    await using runtime = await runtimeOf(mounted);
    expect((await runtime.call('find', { word: `${'b'.repeat(50)}?` })).text).toContain('matching /^(b*)*$/');
    expect((await runtime.call('find', { word: 'bbb' })).isError).toBe(false);
  });
});

describe('a pattern that cannot be read', () => {
  const ahead = '^(?=a)';
  const schema: JsonSchema = {
    type: 'object',
    properties: { word: { type: 'string', pattern: ahead, maxLength: 3 } },
    patternProperties: { '(?<!x)y': { type: 'number' } },
    additionalProperties: false,
  };

  it('is left out of the check and named, apart for arguments and for results', async () => {
    const warned: unknown[] = [];
    const log = (): void => undefined;
    const logger = {
      debug: log,
      info: log,
      error: log,
      warn: (message: string, details?: unknown) => void warned.push([message, details]),
    };
    // The type of the SDK for schemas has no recursion.
    const inputSchema = schema as { type: 'object' };
    const server = memoryServer({
      take: { inputSchema },
      give: {
        outputSchema: inputSchema,
        call: () => ({ ...textResult('given'), structuredContent: { word: 'b', y: 'c' } }),
      },
    });
    await using mounted = await mountMemory(server, { logger });
    expect(mounted.uncheckedPatterns).toEqual([
      { name: 'take', of: 'arguments', pattern: '(?<!x)y' },
      { name: 'take', of: 'arguments', pattern: ahead },
      { name: 'give', of: 'results', pattern: '(?<!x)y' },
      { name: 'give', of: 'results', pattern: ahead },
    ]);
    expect(warned).toContainEqual([
      'A pattern of a tool of an MCP server is not checked.',
      { server: 'remote', tool: 'give', of: 'results', pattern: ahead },
    ]);
    await using runtime = await runtimeOf(mounted);
    expect((await runtime.call('take', { word: 'b', y: 'c' })).isError).toBe(false);
    expect((await runtime.call('take', { word: 'bbbb' })).isError).toBe(true);
    expect((await runtime.call('give')).invocation.value).toEqual({ word: 'b', y: 'c' });
  });

  const word = { pattern: ahead };
  it.each<readonly [where: string, schema: JsonSchema, taken: unknown, refused: unknown]>([
    ['a negation', { not: word, maxLength: 2 }, 'b', 'bbb'],
    ['an alternative', { oneOf: [word, { minLength: 1 }] }, 'b', undefined],
    ['a condition', { if: word, then: { minLength: 2 }, else: { maxLength: 0 } }, 'b', undefined],
    ['a count', { contains: word, maxContains: 1 }, ['b', 'c'], []],
    [
      'a name',
      { type: 'object', propertyNames: word, additionalProperties: { type: 'number' } },
      { b: 1 },
      { b: 'c' },
    ],
    ['a definition', { not: { $ref: '#/$defs/word' } }, 'b', undefined],
  ])('makes %s take more, never less', async (_where, inner, taken, refused) => {
    // As above.
    const inputSchema = { type: 'object', properties: { it: inner }, $defs: { word } } as { type: 'object' };
    await using mounted = await mountMemory(memoryServer({ take: { inputSchema } }));
    await using runtime = await runtimeOf(mounted);
    expect((await runtime.call('take', { it: taken })).isError).toBe(false);
    if (refused !== undefined) expect((await runtime.call('take', { it: refused })).isError).toBe(true);
  });
});
