import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import {
  type DeepReadonly,
  type InferInput,
  type InferOutput,
  jsonSchema,
  looseSchema,
  type Schema,
} from 'weakincentives';
import { z } from 'zod';
import {
  type CompiledSchema,
  compileSchema,
  freezeJson,
  type ParseOutcome,
  parseInputSync,
} from '../../src/core/schema/index.ts';

const zod = z.object({ id: z.string(), limit: z.number().default(1) });
const valibot = toStandardJsonSchema(v.object({ id: v.string(), limit: v.optional(v.number(), 1) }));
const arktype = type({ id: 'string', limit: 'number = 1' });
interface Input {
  id: string;
  limit?: number | undefined;
}
interface Output {
  id: string;
  limit: number;
}

test('the interfaces of Standard Schema are those of its package', () => {
  type Published<I, O> = StandardSchemaV1<I, O> & StandardJSONSchemaV1<I, O>;
  expectTypeOf<Schema<Input, Output>>().toExtend<Published<Input, Output>>();
  expectTypeOf<Published<Input, Output>>().toExtend<Schema<Input, Output>>();
  expectTypeOf<Parameters<Schema['~standard']['validate']>>().toEqualTypeOf<
    Parameters<StandardSchemaV1['~standard']['validate']>
  >();
  expectTypeOf<Parameters<Schema['~standard']['jsonSchema']['input']>>().toEqualTypeOf<
    Parameters<StandardJSONSchemaV1['~standard']['jsonSchema']['input']>
  >();
  expectTypeOf<ReturnType<Schema['~standard']['validate']>>().toEqualTypeOf<
    ReturnType<StandardSchemaV1['~standard']['validate']>
  >();
  expectTypeOf<InferInput<Published<Input, Output>>>().toEqualTypeOf<Input>();
  expectTypeOf<InferOutput<Published<Input, Output>>>().toEqualTypeOf<Output>();
});

test('schemas of every library fit, and carry their types', () => {
  expectTypeOf(zod).toExtend<Schema>();
  expectTypeOf(valibot).toExtend<Schema>();
  expectTypeOf(arktype).toExtend<Schema>();
  expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<Input>();
  expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<Output>();
  expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<Input>();
  expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<Output>();
  expectTypeOf<InferOutput<typeof arktype>>().toEqualTypeOf<Output>();
});

test('bare Valibot schemas and raw JSON Schema are no schemas', () => {
  // @ts-expect-error -- it emits no JSON Schema
  compileSchema(v.object({}));
  // @ts-expect-error -- it must go through jsonSchema()
  compileSchema({ type: 'object' });
});

test('compiling, opening and parsing keep the types', () => {
  expectTypeOf(compileSchema(zod)).toExtend<CompiledSchema<Input, Output>>();
  expectTypeOf(parseInputSync(compileSchema(zod), {})).toEqualTypeOf<ParseOutcome<Output>>();
  expectTypeOf<InferOutput<ReturnType<typeof looseSchema<typeof zod>>>>().toEqualTypeOf<Output>();
  expectTypeOf(jsonSchema<Output>({})).toEqualTypeOf<Schema<Output, Output>>();
});

test('freezing makes everything read-only', () => {
  const frozen = freezeJson({ a: [{ b: 1 }], c: (): void => undefined }, 'it');
  expectTypeOf(frozen.a).toEqualTypeOf<readonly { readonly b: number }[]>();
  // @ts-expect-error -- read-only
  frozen.a[0] = { b: 2 };
  expectTypeOf<DeepReadonly<'a' | undefined>>().toEqualTypeOf<'a' | undefined>();
});
