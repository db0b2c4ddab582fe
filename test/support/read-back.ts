import type { JsonSchema, JsonValue } from 'weakincentives';
import { projectSchema, type SchemaDialect, type SchemaProjection } from 'weakincentives/provider';
import { readGivenJson } from '../../src/core/schema/index.ts';

/** A schema as a provider gets it, and how what a model writes for it is read. */
export function readBack(
  schema: JsonSchema,
  dialect: SchemaDialect,
): SchemaProjection & { restore(written: JsonValue): JsonValue } {
  const projection = projectSchema(schema, dialect);
  return {
    ...projection,
    restore: (written) => {
      const text = projection.unwrap(JSON.stringify(written));
      return readGivenJson({ text, value: JSON.parse(text) }, schema).value;
    },
  };
}
