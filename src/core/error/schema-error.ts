import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link SchemaError}.
 *
 * - `schema-not-standard`: the value is not a Standard Schema with JSON Schema output.
 *   What to do: pass a schema of Zod 4 or ArkType, of Valibot through `toStandardJsonSchema`, or JSON Schema in `jsonSchema()`.
 * - `schema-not-object`: an object schema is required here.
 *   What to do: wrap it in an object: `z.object({ … })`.
 * - `schema-unrepresentable`: the schema has no JSON Schema form.
 *   What to do: replace the part that the message names: a transform, a date, a function.
 * - `schema-async`: a schema with asynchronous validation is used where validation must be synchronous.
 *   What to do: check asynchronously in the handler; schemas are synchronous.
 * - `value-invalid`: a value does not match its schema.
 *   What to do: correct the fields that the message names.
 * - `value-not-json`: a value contains something that JSON cannot represent.
 *   What to do: convert it: dates to text, maps to objects, big integers to text.
 */
export type SchemaErrorCode =
  | 'schema-not-standard'
  | 'schema-not-object'
  | 'schema-unrepresentable'
  | 'schema-async'
  | 'value-invalid'
  | 'value-not-json';

/** A schema that cannot be used, or a value that is not plain JSON where JSON is required. */
export class SchemaError extends WinkError<SchemaErrorCode> {
  constructor(code: SchemaErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('SchemaError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is SchemaError {
    return hasErrorMarker(value, 'SchemaError');
  }
}
