import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import {
  compileSchema,
  describeIssues,
  parseInputSync,
  parseOutput,
} from '../../../../src/core/schema/index.ts';
import { issuesOf, rawObject } from './libraries.ts';

const rawPair = {
  type: 'array',
  prefixItems: [{ type: 'string' }, { type: 'number' }],
  minItems: 2,
} as const;
const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' } as const;
const olderPair: JsonSchema = {
  ...draft7,
  type: 'array',
  items: [{ type: 'string' }, { type: 'number' }],
  minItems: 2,
};
const vPair = v.tuple([v.string(), v.number()]);

/** A pair in each library: as the whole value, in an object, in a list, in a union. */
const pairs: Readonly<Record<string, Readonly<Record<'whole' | 'member' | 'item' | 'alternative', Schema>>>> =
  {
    zod: {
      whole: z.tuple([z.string(), z.number()]),
      member: z.object({ at: z.object({ pair: z.tuple([z.string(), z.number()]) }) }),
      item: z.array(z.tuple([z.string(), z.number()])),
      alternative: z.object({ or: z.union([z.tuple([z.string(), z.number()]), z.number()]) }),
    },
    valibot: {
      whole: toStandardJsonSchema(vPair),
      member: toStandardJsonSchema(v.object({ at: v.object({ pair: vPair }) })),
      item: toStandardJsonSchema(v.array(vPair)),
      alternative: toStandardJsonSchema(v.object({ or: v.union([vPair, v.number()]) })),
    },
    arktype: {
      whole: type(['string', 'number']),
      member: type({ at: { pair: ['string', 'number'] } }),
      item: type(['string', 'number']).array(),
      alternative: type({ or: type(['string', 'number']).or('number') }),
    },
    raw: {
      whole: jsonSchema(rawPair),
      member: jsonSchema(rawObject({ at: rawObject({ pair: rawPair }) })),
      item: jsonSchema({ type: 'array', items: rawPair }),
      alternative: jsonSchema(rawObject({ or: { anyOf: [rawPair, { type: 'number' }] } })),
    },
    'raw, draft 7': {
      whole: jsonSchema(olderPair),
      member: jsonSchema({ ...draft7, ...rawObject({ at: rawObject({ pair: olderPair }) }) }),
      item: jsonSchema({ ...draft7, type: 'array', items: olderPair }),
      alternative: jsonSchema({
        ...draft7,
        ...rawObject({ or: { anyOf: [olderPair, { type: 'number' }] } }),
      }),
    },
  };

/** A value around a list, and the path of that list in messages. */
const places = {
  whole: { around: (list: unknown) => list, at: '' },
  member: { around: (list: unknown) => ({ at: { pair: list } }), at: 'at.pair' },
  item: { around: (list: unknown) => [['x', 0], list], at: '[1]' },
  alternative: { around: (list: unknown) => ({ or: list }), at: 'or' },
} as const;

const cases = Object.entries(pairs).flatMap(([library, schemas]) =>
  Object.entries(schemas).map(([place, schema]) => [library, place as keyof typeof places, schema] as const),
);

describe('an item past the end of a tuple', () => {
  it.each(cases)('%s, %s: is refused in a result, never cut off', async (_library, place, schema) => {
    const { around, at } = places[place];
    const compiled = compileSchema(schema);
    expect(await parseOutput(compiled, around(['a', 1]))).toEqual({ ok: true, value: around(['a', 1]) });
    const outcome = await parseOutput(compiled, around(['a', 1, 'lost']));
    expect(outcome).not.toHaveProperty('value');
    const issues = outcome.ok ? '' : describeIssues(outcome.issues);
    expect(issues).toMatch(at === '' ? /unknown item|exactly length 2|expected list of/ : at);
    expect(issues.split('\n')).toHaveLength(1);
  });

  it.each(cases)('%s, %s: is refused in arguments, by its path', (_library, place, schema) => {
    const { around, at } = places[place];
    expect(issuesOf(schema, around(['a', 1]))).toBe('');
    expect(issuesOf(schema, around(['a', 1, 'lost']))).toMatch(
      at === '' ? /unknown item|exactly length 2|expected list of/ : at,
    );
  });

  it('is refused beside keys that are stripped', async () => {
    const outcome = await parseOutput(compileSchema(pairs['raw']?.member ?? ({} as never)), {
      at: { pair: ['a', 1, 2, 3], more: 1 },
    });
    expect(outcome).toEqual({
      ok: false,
      issues: [
        { path: ['at', 'pair', 2], message: 'unknown item; the list ends after 2 items' },
        { path: ['at', 'pair', 3], message: 'unknown item; the list ends after 3 items' },
      ],
      strippedKeys: ['at.more'],
    });
  });

  it('is reported at most 20 times, however many there are', async () => {
    const list = ['a', ...Array.from({ length: 100_000 }, () => 1)];
    const outcome = await parseOutput(compileSchema(jsonSchema(rawPair)), list);
    expect(outcome.ok ? [] : outcome.issues).toHaveLength(20);
  });

  it('is there where the schema has a word for it', async () => {
    const rest = compileSchema(toStandardJsonSchema(v.tupleWithRest([v.string()], v.number())));
    expect(await parseOutput(rest, ['a', 1, 2])).toEqual({ ok: true, value: ['a', 1, 2] });
    const open = compileSchema(jsonSchema({ ...rawPair, items: true }));
    expect(await parseOutput(open, ['a', 1, 'kept'])).toEqual({ ok: true, value: ['a', 1, 'kept'] });
  });
});

describe('a list that fits a tuple and something longer', () => {
  const longer = v.array(v.union([v.string(), v.number()]));
  const value = { or: ['a', 1, 'kept'] };

  it('is accepted as what keeps all of it', async () => {
    const schema = toStandardJsonSchema(v.object({ or: v.union([longer, vPair]) }));
    expect(await parseOutput(compileSchema(schema), value)).toEqual({ ok: true, value });
    expect(parseInputSync(compileSchema(schema), value)).toEqual({ ok: true, value });
  });

  it('is refused where the library takes it for the tuple and cuts it', async () => {
    const schema = toStandardJsonSchema(v.object({ or: v.union([vPair, longer]) }));
    const issues = [{ path: ['or', 2], message: 'unknown item; the list ends after 2 items' }];
    expect(await parseOutput(compileSchema(schema), value)).toEqual({ ok: false, issues });
    expect(parseInputSync(compileSchema(schema), value)).toEqual({ ok: false, issues });
    expect(await parseOutput(compileSchema(schema), { or: ['a', 1] })).toMatchObject({ ok: true });
  });
});

describe('a list where an object is expected', () => {
  it('is refused in a result, where the library would take it for one', async () => {
    for (const schema of [
      toStandardJsonSchema(v.object({ at: v.object({ a: v.optional(v.string()) }) })),
      z.object({ at: z.object({ a: z.string().optional() }) }),
      type({ at: { 'a?': 'string' } }),
      jsonSchema(rawObject({ at: { type: 'object', properties: { a: { type: 'string' } } } })),
    ]) {
      const outcome = await parseOutput(compileSchema<unknown, unknown>(schema), { at: ['x'] });
      expect(outcome.ok).toBe(false);
    }
  });
});
