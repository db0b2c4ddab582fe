import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  defineSlice,
  jsonSchema,
  PromptValidationError,
  type Schema,
  Session,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import {
  assertDescription,
  assertToolName,
  foreignTool,
  overrideTool,
  type ToolOptions,
} from '../../../../src/core/tool/index.ts';

const base = { name: 'look_up', description: 'Finds an entity.' };
/** Options that the types do not let through, as plain JavaScript can pass them. */
const untyped = (options: Readonly<Record<string, unknown>>): ToolOptions<undefined, undefined> => ({
  ...base,
  ...options,
});
const invalid = (placeholder: string, message?: RegExp): unknown =>
  expect.objectContaining({
    code: 'prompt-invalid',
    details: expect.objectContaining({ tool: 'look_up', placeholder }),
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });

describe('tool', () => {
  it('needs a name and a description only', () => {
    const made = tool(base);
    expect(made).toMatchObject({
      type: 'tool',
      name: 'look_up',
      description: 'Finds an entity.',
      effects: 'external',
      idempotent: false,
      acceptsOverrides: true,
      examples: [],
    });
    for (const absent of ['execute', 'render', 'timeoutMs', 'inputSchema', 'outputSchema', 'compiledInput']) {
      expect(made).not.toHaveProperty(absent);
    }
    expect(Object.isFrozen(made)).toBe(true);
  });

  it('keeps what it is given', () => {
    const inputSchema = z.object({ id: z.string() });
    const outputSchema = z.object({ url: z.string() });
    const execute = ({ id }: { id: string }) => ToolResult.ok({ url: id });
    const render = ({ url }: { url: string }) => url;
    const made = tool({
      ...base,
      inputSchema,
      outputSchema,
      execute,
      render,
      effects: 'read',
      idempotent: true,
      timeoutMs: 500,
      acceptsOverrides: false,
    });
    expect(made).toMatchObject({
      inputSchema,
      outputSchema,
      execute,
      render,
      effects: 'read',
      idempotent: true,
      timeoutMs: 500,
      acceptsOverrides: false,
    });
    expect(made.compiledInput?.inputJsonSchema).toMatchObject({ additionalProperties: false });
    expect(made.compiledOutput?.schema).toBe(outputSchema);
  });

  it.each<readonly [unknown]>([
    [''],
    ['Upper'],
    ['with space'],
    ['ünicode'],
    ['a'.repeat(65)],
    [' look_up'],
    [undefined],
  ])('refuses the name %j', (name) => {
    expect(() => tool(untyped({ name }))).toThrow(PromptValidationError);
    expect(() => assertToolName(name)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ placeholder: 'name' }) }),
    );
  });

  it.each([['a'], ['0'], ['a-b_c9'], ['a'.repeat(64)]])('accepts the name %j', (name) => {
    expect(tool({ ...base, name }).name).toBe(name);
  });

  it.each([[''], ['   '], ['x'.repeat(201)], [undefined], [42]])(
    'refuses the description %j',
    (description) => {
      expect(() => tool(untyped({ description }))).toThrow(invalid('description'));
    },
  );

  it('takes blanks off descriptions and counts characters, not code units', () => {
    expect(tool({ ...base, description: `  ${'😀'.repeat(200)}\n` }).description).toBe('😀'.repeat(200));
    expect(() => tool({ ...base, description: '😀'.repeat(201) })).toThrow(
      invalid('description', /it has 201/),
    );
    expect(assertDescription(' x ', 'it')).toBe('x');
  });

  it('takes 4,096 characters of description from a server, and as many of an override for it', () => {
    const long = foreignTool({ ...base, description: '😀'.repeat(4096) });
    expect(long.description).toBe('😀'.repeat(4096));
    expect(() => foreignTool({ ...base, description: 'x'.repeat(4097) })).toThrow(
      invalid('description', /1 to 4096 characters, but it has 4097/),
    );
    expect(overrideTool(long, { description: 'x'.repeat(4096) }).description).toBe('x'.repeat(4096));
    expect(() => overrideTool(long, { description: 'x'.repeat(4097) })).toThrow(invalid('description'));
    expect(() => overrideTool(tool(base), { description: 'x'.repeat(201) })).toThrow(invalid('description'));
  });

  it.each([['a function name'], [null], [{}]])('refuses the handler %j', (execute) => {
    expect(() => tool(untyped({ execute }))).toThrow(invalid('execute', /must be a function/));
    expect(() => tool(untyped({ render: execute }))).toThrow(invalid('render', /must be a function/));
  });

  it('takes a handler whatever its length says, which does not count optional and rest parameters', () => {
    const handlers = [
      () => null,
      (...given: readonly unknown[]) => given,
      (a: unknown, b: unknown, c: unknown) => [a, b, c],
    ];
    expect(handlers.map((execute): unknown => tool(untyped({ execute })).execute)).toEqual(handlers);
  });

  it('takes a pure tool unless it changes the outside world', () => {
    expect(tool(untyped({ effects: 'read', pure: true })).pure).toBe(true);
    expect(tool(untyped({ effects: 'state' })).pure).toBe(false);
    for (const options of [{ pure: true }, { pure: true, effects: 'external' }]) {
      expect(() => tool(untyped(options))).toThrow(invalid('pure', /'external' cannot be pure/));
    }
  });

  it.each([[0], [-1], [Number.NaN], [Number.POSITIVE_INFINITY], [2_147_483_648], ['5']])(
    'refuses the time limit %j',
    (timeoutMs) => {
      expect(() => tool(untyped({ timeoutMs }))).toThrow(invalid('timeoutMs', /above 0/));
    },
  );

  it('refuses unknown effects', () => {
    expect(() => tool(untyped({ effects: 'write' }))).toThrow(
      invalid('effects', /'read', 'state' or 'external'/),
    );
  });

  it.each<readonly [string, Schema]>([
    ['a text', z.string()],
    ['a list', z.array(z.string())],
    ['a date within', z.object({ at: z.date() })],
  ])('refuses an input schema of %s', (_name, inputSchema) => {
    expect(() => tool({ ...base, inputSchema })).toThrow(
      invalid('inputSchema', /input schema cannot be used/),
    );
  });

  it('rejects a value that is not a schema, with the remedy', () => {
    expect(() => tool(untyped({ inputSchema: v.object({}) }))).toThrow(
      invalid('inputSchema', /toStandardJsonSchema/),
    );
    expect(() => tool(untyped({ outputSchema: { type: 'object' } }))).toThrow(
      invalid('outputSchema', /Standard Schema/),
    );
    expect(() => tool({ ...base, outputSchema: z.object({ n: z.bigint() }) })).toThrow(
      invalid('outputSchema'),
    );
  });

  it('lets the output be of any kind', () => {
    expect(
      tool({ ...base, outputSchema: z.array(z.number()) }).compiledOutput?.inputJsonSchema,
    ).toMatchObject({ type: 'array' });
  });

  it.each<readonly [string, Schema]>([
    ['Zod', z.object({ id: z.string() })],
    ['Valibot', toStandardJsonSchema(v.object({ id: v.string() }))],
    ['ArkType', type({ id: 'string' })],
    [
      'raw JSON Schema',
      jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
    ],
  ])('takes schemas of %s', (_name, inputSchema) => {
    expect(tool({ ...base, inputSchema }).compiledInput?.inputJsonSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    });
  });
});

describe('examples', () => {
  const inputSchema = z.object({ id: z.string(), deep: z.boolean().default(false) });
  const outputSchema = z.object({ url: z.string(), hits: z.number().default(0) });
  const example = { description: ' Finds Ada. ', input: { id: 'ada' }, output: { url: 'x' } };

  it('keep the input as a model would send it and the output as the model gets it', () => {
    const made = tool({ ...base, inputSchema, outputSchema, examples: [example] });
    expect(made.examples).toEqual([
      { description: 'Finds Ada.', input: { id: 'ada' }, output: { url: 'x', hits: 0 } },
    ]);
    expect(Object.isFrozen(made.examples[0]?.input)).toBe(true);
  });

  it.each<readonly [string, unknown, RegExp]>([
    [
      'an input that breaks the schema',
      { ...example, input: { id: 1 } },
      /Example 1 .*input.*\n?id: expected string, received 1/,
    ],
    ['an unknown key in the input', { ...example, input: { id: 'a', idd: 'b' } }, /idd: unknown key/],
    ['a missing input', { description: 'x', output: { url: 'x' } }, /input/],
    [
      'an output that breaks the schema',
      { ...example, output: { url: 2 } },
      /url: expected string, received 2/,
    ],
    [
      'an unknown key in the output',
      { ...example, output: { url: 'x', more: { a: 1 } } },
      /unknown keys: more/,
    ],
    ['no description', { ...example, description: '' }, /description of example 1/],
    ['too long a description', { ...example, description: 'x'.repeat(201) }, /it has 201/],
    ['null for an example', null, /Example 1 .* is not an object/],
  ])('are refused with %s', (_name, wrong, message) => {
    // Plain JavaScript can pass anything.
    const examples = [wrong] as (typeof example)[];
    expect(() => tool({ ...base, inputSchema, outputSchema, examples })).toThrow(
      invalid('examples', message),
    );
  });

  it('of a tool without params have no input', () => {
    expect(tool({ ...base, examples: [{ description: 'x', input: undefined, output: 3 }] }).examples).toEqual(
      [{ description: 'x', input: undefined, output: 3 }],
    );
    expect(() => tool(untyped({ examples: [{ description: 'x', input: {}, output: 3 }] }))).toThrow(
      invalid('examples', /takes no params/),
    );
  });

  it('must be plain JSON', () => {
    expect(() =>
      tool({ ...base, examples: [{ description: 'x', input: undefined, output: new Date(0) }] }),
    ).toThrow(invalid('examples', /Date/));
  });

  it('are not checked where a schema validates asynchronously', () => {
    const slow = z.object({ id: z.string().refine(async (id) => id === 'x') });
    expect(
      tool({ ...base, inputSchema: slow, examples: [{ description: 'x', input: { id: 'y' }, output: 1 }] })
        .examples,
    ).toHaveLength(1);
  });
});

describe('succeeded', () => {
  it('is an event that slices can listen to, one for each tool', () => {
    const lookUp = tool({
      ...base,
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ url: z.string() }),
    });
    const seen = defineSlice({
      name: 'seen',
      schema: z.string(),
      reducers: (on) => [
        on(lookUp.succeeded, (items, { params, value }) => items.append(`${params.id} -> ${value.url}`)),
      ],
    });
    const session = new Session();
    session.install(seen);
    session.dispatch(lookUp.succeeded, {
      toolName: 'look_up',
      callId: '1',
      params: { id: 'ada' },
      value: { url: 'x' },
    });
    expect(session.slice(seen).all()).toEqual(['ada -> x']);
    expect(tool(base).succeeded).not.toBe(lookUp.succeeded);
  });
});
