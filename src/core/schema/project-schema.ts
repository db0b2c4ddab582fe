import { assertDialect, assertSchemaLike } from './assert-schema.ts';
import { compileSchema } from './compiled-schema.ts';
import type { JsonSchema } from './json-schema/json-schema.ts';
import type { SchemaDialect } from './projection/dialect.ts';
import { projectJsonSchema, type SchemaProjection } from './projection/project-json-schema.ts';
import type { Schema } from './standard.ts';

/**
 * The schema as a provider accepts it, with the way back for the values its model writes: strict where the provider's dialect
 * can express its shape, otherwise unchanged. A root that is not a plain object is wrapped in an object, under the key `value`.
 *
 * @param schema of a tool's input, or JSON Schema. The latter is read literally: an object that does not say
 * `additionalProperties: false` takes any key, and cannot be strict. Not changed.
 * @throws {SchemaError} `schema-not-standard` or `schema-unrepresentable` for a schema that a tool could not have either.
 */
export function projectSchema(schema: Schema | JsonSchema, dialect: SchemaDialect): SchemaProjection {
  assertSchemaLike('projectSchema()', schema);
  assertDialect('projectSchema()', dialect);
  return projectJsonSchema(isStandard(schema) ? compileSchema(schema).inputJsonSchema : schema, dialect);
}

function isStandard(schema: Schema | JsonSchema): schema is Schema {
  return '~standard' in schema;
}
