import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type Type, type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import { compileSchema, parseInputSync, parseOutput } from '../../src/core/schema/index.ts';

/** A schema in words that every library has. */
type Plan =
  | { readonly kind: 'text' | 'number' }
  | { readonly kind: 'list'; readonly item: Plan }
  | { readonly kind: 'tuple' | 'union'; readonly members: readonly Plan[] }
  | { readonly kind: 'object'; readonly keys: Readonly<Record<string, Plan>> };

const scalars = fc.constantFrom<Plan>({ kind: 'text' }, { kind: 'number' });

/** Alternatives that one list may fit as it is, or cut. */
const similarLists: fc.Arbitrary<Plan> = fc
  .shuffledSubarray<Plan>(
    [
      { kind: 'tuple', members: [{ kind: 'text' }] },
      { kind: 'tuple', members: [{ kind: 'text' }, { kind: 'number' }] },
      { kind: 'list', item: { kind: 'union', members: [{ kind: 'text' }, { kind: 'number' }] } },
    ],
    { minLength: 2 },
  )
  .map((members) => ({ kind: 'union', members }));

const { plan: plans } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'committed' },
    scalars,
    similarLists,
    fc.record({ kind: fc.constant('list'), item: tie('plan') }),
    fc.record({
      kind: fc.constantFrom('tuple', 'union'),
      members: fc.array(tie('plan'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('object'),
      keys: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('plan'), {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      }),
    }),
  ),
}));

function mapKeys<T>(keys: Readonly<Record<string, Plan>>, build: (plan: Plan) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(keys).map(([key, plan]) => [key, build(plan)]));
}

function toZod(plan: Plan): z.ZodType {
  switch (plan.kind) {
    case 'text':
      return z.string();
    case 'number':
      return z.number();
    case 'list':
      return z.array(toZod(plan.item));
    case 'tuple':
      return z.tuple(plan.members.map(toZod) as [z.ZodType]); // There is at least one.
    case 'union':
      return z.union(plan.members.map(toZod));
    case 'object':
      return z.object(mapKeys(plan.keys, toZod));
  }
}

function toValibot(plan: Plan): v.GenericSchema {
  switch (plan.kind) {
    case 'text':
      return v.string();
    case 'number':
      return v.number();
    case 'list':
      return v.array(toValibot(plan.item));
    case 'tuple':
      return v.tuple(plan.members.map(toValibot));
    case 'union':
      return v.union(plan.members.map(toValibot));
    case 'object':
      return v.object(mapKeys(plan.keys, toValibot));
  }
}

function toArkType(plan: Plan): Type {
  switch (plan.kind) {
    case 'text':
      return type('string');
    case 'number':
      return type('number');
    case 'list':
      return toArkType(plan.item).array();
    case 'tuple':
      return type(plan.members.map(toArkType) as never); // The list is made at run time.
    case 'union':
      return plan.members.map(toArkType).reduce((left, right) => left.or(right));
    case 'object':
      return type(mapKeys(plan.keys, toArkType) as never);
  }
}

function toRaw(plan: Plan): JsonSchema {
  switch (plan.kind) {
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'number' };
    case 'list':
      return { type: 'array', items: toRaw(plan.item) };
    case 'tuple':
      return { type: 'array', prefixItems: plan.members.map(toRaw), minItems: plan.members.length };
    case 'union':
      return { anyOf: plan.members.map(toRaw) };
    case 'object':
      return { type: 'object', properties: mapKeys(plan.keys, toRaw), required: Object.keys(plan.keys) };
  }
}

/** A value of the plan, with more in it here and there than the plan says. */
function valuesOf(plan: Plan): fc.Arbitrary<JsonValue> {
  const more = fc.option(fc.constantFrom<JsonValue>('more', 7, { more: 1 }, ['more']), { freq: 1 });
  switch (plan.kind) {
    case 'text':
      return fc.constantFrom('', 'x');
    case 'number':
      return fc.integer({ min: 0, max: 3 });
    case 'list':
      return fc.array(valuesOf(plan.item), { maxLength: 3 });
    case 'tuple':
      return fc
        .tuple(fc.tuple(...plan.members.map(valuesOf)), more)
        .map(([items, extra]) => (extra === null ? items : [...items, extra]));
    case 'union':
      return fc.oneof(...plan.members.map(valuesOf));
    case 'object':
      return fc
        .tuple(fc.record(mapKeys(plan.keys, valuesOf)), more)
        .map(([object, extra]): JsonValue => (extra === null ? object : { ...object, extra }));
  }
}

/** True when `made` is `given` without some keys of its objects, and nothing else is different. */
function isWithoutKeys(made: unknown, given: unknown): boolean {
  if (Array.isArray(made) || Array.isArray(given)) {
    return (
      Array.isArray(made) &&
      Array.isArray(given) &&
      made.length === given.length &&
      made.every((item, index) => isWithoutKeys(item, given[index]))
    );
  }
  if (typeof made !== 'object' || made === null) return Object.is(made, given);
  return (
    typeof given === 'object' &&
    given !== null &&
    Object.entries(made).every(
      ([key, item]) => Object.hasOwn(given, key) && isWithoutKeys(item, Reflect.get(given, key)),
    )
  );
}

const libraries: Readonly<Record<string, (plan: Plan) => Schema>> = {
  zod: toZod,
  valibot: (plan) => toStandardJsonSchema(toValibot(plan)),
  arktype: toArkType,
  raw: (plan) => jsonSchema(toRaw(plan)),
};

const samples = plans.chain((plan) => fc.tuple(fc.constant(plan), valuesOf(plan)));

describe.each(Object.entries(libraries))('what a result commits, with %s', (_library, build) => {
  it('is the result but for unknown keys of objects, and stays what it is when it is read again', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async ([plan, value]) => {
        const compiled = compileSchema(build(plan));
        const outcome = await parseOutput(compiled, value);
        if (!outcome.ok) return;
        expect(isWithoutKeys(outcome.value, value)).toBe(true);
        expect(await parseOutput(compiled, outcome.value)).toEqual({ ok: true, value: outcome.value });
      }),
    );
  });

  it('and arguments that are accepted lose no item', () => {
    fc.assert(
      fc.property(samples, ([plan, value]) => {
        const outcome = parseInputSync(compileSchema(build(plan)), value);
        if (outcome.ok) expect(isWithoutKeys(outcome.value, value)).toBe(true);
      }),
    );
  });
});
