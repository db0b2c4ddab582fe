import type { StandardJsonSchemaV1, StandardSchemaV1 } from './standard-schema.ts';

/**
 * A schema of the user's own library: any Standard Schema that also emits JSON Schema. Zod 4.2 or newer and ArkType as
 * they are, Valibot through `toStandardJsonSchema` of `@valibot/to-json-schema`, raw JSON Schema through `jsonSchema()`.
 */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJsonSchemaV1<Input, Output>;

/** What a schema accepts. */
export type InferInput<S extends Schema> = NonNullable<S['~standard']['types']>['input'];

/** What a schema yields after validation. */
export type InferOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output'];
