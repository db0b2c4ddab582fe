import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema, type Schema, SchemaError } from 'weakincentives';
import { z } from 'zod';
import {
  compileSchema,
  describeIssues,
  parseInput,
  parseInputSync,
  parseOutput,
} from '../../../../src/core/schema/index.ts';
import { libraries, rawObject, shapes } from './libraries.ts';

const asynchronous = z.object({ id: z.string().refine(async (id) => id !== 'taken', { error: 'is taken' }) });

describe('parseInput', () => {
  it.each(libraries({ zod: shapes.flat.zod, valibot: shapes.flat.valibot, arktype: shapes.flat.arktype }))(
    'yields what %s makes of the value, defaults included',
    (_library, schema) => {
      expect(parseInput(compileSchema(schema), { path: 'a' })).toEqual({
        ok: true,
        value: { path: 'a', limit: 100 },
      });
    },
  );

  it.each<readonly [string, Schema]>([
    ['Zod', z.object({ n: z.number(), s: z.string() })],
    ['Valibot', toStandardJsonSchema(v.object({ n: v.number(), s: v.string() }))],
    ['ArkType', type({ n: 'number', s: 'string' })],
    ['raw', jsonSchema(rawObject({ n: { type: 'number' }, s: { type: 'string' } }))],
  ])('coerces nothing with %s', (_library, schema) => {
    const outcome = parseInputSync(compileSchema(schema), { n: '1', s: ['a'] });
    expect(outcome.ok ? '' : describeIssues(outcome.issues)).toBe(
      'n: expected number, received "1"\ns: expected string, received a list of 1 item',
    );
  });

  it('awaits asynchronous validation and refuses unknown keys there, too', async () => {
    const compiled = compileSchema(asynchronous);
    const pending = parseInput(compiled, { id: 'free' });
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toEqual({ ok: true, value: { id: 'free' } });
    expect(await parseInput(compiled, { id: 'taken', x: 1 })).toEqual({
      ok: false,
      issues: [
        { path: ['id'], message: 'is taken, received "taken"' },
        { path: ['x'], message: 'unknown key; allowed: id' },
      ],
    });
  });

  it('reports a schema that throws or rejects as an issue', async () => {
    const boom = (): never => {
      throw new Error('boom');
    };
    const base = jsonSchema<object>(rawObject({}));
    const throwing: Schema = { '~standard': { ...base['~standard'], validate: boom } };
    expect(parseInput(compileSchema(throwing), {})).toEqual({
      ok: false,
      issues: [{ path: [], message: 'could not be validated: boom' }],
    });
    const rejecting: Schema = { '~standard': { ...base['~standard'], validate: async () => boom() } };
    expect(await parseInput(compileSchema(rejecting), {})).toEqual({
      ok: false,
      issues: [{ path: [], message: 'could not be validated: boom' }],
    });
  });

  it('never leaves a failure without an issue', () => {
    const silent = jsonSchema(rawObject({}));
    const schema: Schema = { '~standard': { ...silent['~standard'], validate: () => ({ issues: [] }) } };
    expect(parseInputSync(compileSchema(schema), {})).toEqual({
      ok: false,
      issues: [{ path: [], message: 'is not valid' }],
    });
  });
});

describe('parseInputSync', () => {
  it('refuses schemas that validate asynchronously', () => {
    expect(() => parseInputSync(compileSchema(asynchronous), { id: 'free' })).toThrow(
      expect.objectContaining({ code: 'schema-async' }),
    );
    expect(() => parseInputSync(compileSchema(asynchronous), { id: 'free' })).toThrow(SchemaError);
  });
});

describe('parseOutput', () => {
  it.each(libraries(shapes.list))(
    'leaves unknown keys out, names them and changes nothing in place, with %s',
    async (_library, schema) => {
      const value = {
        paths: [
          { name: 'a', size: 1, secret: 'x' },
          { name: 'b', size: 2 },
        ],
        extra: { deep: 1 },
      };
      const before = structuredClone(value);
      expect(await parseOutput(compileSchema(schema), value)).toEqual({
        ok: true,
        value: {
          paths: [
            { name: 'a', size: 1 },
            { name: 'b', size: 2 },
          ],
        },
        strippedKeys: ['paths[0].secret', 'extra'],
      });
      expect(value).toEqual(before);
    },
  );

  it('reports nothing where nothing is unknown, and keeps members that are undefined', async () => {
    const schema = compileSchema(
      jsonSchema<object>({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a'],
      }),
    );
    expect(await parseOutput(schema, { a: 'x', b: undefined })).toStrictEqual({
      ok: true,
      value: { a: 'x', b: undefined },
    });
  });

  it('validates what is left', async () => {
    expect(await parseOutput(compileSchema(shapes.nested.zod), { file: { name: 1, x: 1 } })).toEqual({
      ok: false,
      issues: [{ path: ['file', 'name'], message: 'expected string, received 1' }],
      strippedKeys: ['file.x'],
    });
  });

  it('survives a value that contains itself', async () => {
    const value: Record<string, unknown> = {};
    value['meta'] = value;
    expect(await parseOutput(compileSchema(z.object({ meta: z.unknown() })), value)).toEqual({
      ok: false,
      issues: [{ path: ['meta', 'meta', 'meta'], message: 'nested deeper than 256 levels' }],
    });
  });
});

describe('hostile values', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index]));
  const nest = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

  it.each(libraries(shapes.free))(
    'nested a hundred thousand levels deep are refused in a free place with %s',
    (_library, schema) => {
      const outcome = parseInputSync(compileSchema(schema), { meta: nest(100_000), any: {} });
      expect(outcome).toEqual({
        ok: false,
        issues: [{ path: ['meta', 0, 0], message: 'nested deeper than 256 levels' }],
      });
    },
  );

  it.each(libraries(shapes.recursive))(
    'nested a hundred thousand levels deep are refused in a recursive schema with %s',
    (_library, schema) => {
      let node: unknown = { name: 'end', children: [] };
      for (let level = 0; level < 100_000; level += 1) node = { name: 'a', children: [node] };
      const outcome = parseInputSync(compileSchema(schema), node);
      expect(outcome.ok ? [] : outcome.issues.map(({ message }) => message)).toEqual([
        'nested deeper than 256 levels',
      ]);
    },
  );

  it.each(libraries(shapes.recursive))(
    'at the limit of the depth are still read with %s',
    (_library, schema) => {
      let node: unknown = { name: 'end', children: [] };
      for (let level = 0; level < 127; level += 1) node = { name: 'a', children: [node] };
      expect(parseInputSync(compileSchema(schema), node).ok).toBe(true);
    },
  );

  it.each(libraries(shapes.nested))(
    'that throw when they are looked at are invalid with %s',
    async (_library, schema) => {
      const trap = (): never => {
        throw new Error('trapped');
      };
      const compiled = compileSchema(schema);
      const slow = {
        ...schema['~standard'],
        validate: () => Promise.resolve({ issues: [{ message: 'no' }] }),
      };
      const proxy = new Proxy({ name: 'x' }, { get: trap, ownKeys: trap, getPrototypeOf: trap });
      for (const file of [Object.defineProperty({}, 'name', { enumerable: true, get: trap }), proxy]) {
        expect(parseInputSync(compiled, { file }).ok).toBe(false);
        expect((await parseOutput(compiled, { file })).ok).toBe(false);
        expect((await parseInput(compileSchema({ '~standard': slow }), { file })).ok).toBe(false);
      }
      const issues = [{ path: [], message: 'cannot be read: trapped' }];
      expect(parseInputSync(compiled, { file: proxy })).toEqual({ ok: false, issues });
    },
  );

  it.each(libraries(shapes.flat))(
    'with fifty thousand unknown keys give a short answer with %s',
    (_library, schema) => {
      const outcome = parseInputSync(compileSchema(schema), wide);
      expect(outcome.ok ? 0 : outcome.issues.length).toBe(20);
    },
  );

  it('that fit no member of a recursive union are looked at once for each member', () => {
    const member = (key: string): JsonSchema => ({
      type: 'object',
      properties: { next: { $ref: '#/$defs/node' }, [key]: { type: 'number' } },
    });
    const document = jsonSchema({
      ...rawObject({ root: { $ref: '#/$defs/node' } }),
      $defs: { node: { anyOf: [member('a'), member('b')] } },
    });
    // Only the look at the keys counts here; libraries try every member at every level by themselves.
    const schema: Schema = { '~standard': { ...document['~standard'], validate: (value) => ({ value }) } };
    let value: unknown = { next: 'no node' };
    // Two to the power of this many ways through the value, if each were tried.
    for (let level = 0; level < 200; level += 1) value = { next: value };
    expect(parseInputSync(compileSchema(schema), { root: value }).ok).toBe(true);
    expect(parseInputSync(compileSchema(schema), { root: value, more: 1 }).ok).toBe(false);
  });
});
