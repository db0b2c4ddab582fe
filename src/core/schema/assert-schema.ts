import { assertArgument, type RefuseArgument, SchemaError } from '../error/index.ts';

const refuse: RefuseArgument = (message, options) => new SchemaError('schema-not-standard', message, options);

/** Refuses anything but a Standard Schema, which may be a function, and JSON Schema. @throws {SchemaError} `schema-not-standard`. */
export function assertSchemaLike(of: string, schema: unknown): void {
  if (typeof schema !== 'function') assertArgument(of, 'schema', schema, 'object', refuse);
}

/** Refuses anything but a Standard Schema. @throws {SchemaError} `schema-not-standard`. */
export function assertSchema(of: string, schema: unknown): void {
  assertSchemaLike(of, schema);
  assertArgument(
    of,
    'the member ~standard of the schema',
    Reflect.get(Object(schema), '~standard'),
    'object',
    refuse,
  );
}

/** Refuses anything but a dialect. @throws {SchemaError} `schema-not-standard`. */
export function assertDialect(of: string, dialect: unknown): void {
  assertArgument(of, 'dialect', dialect, 'object', refuse);
  assertArgument(of, 'dialect.limits', Reflect.get(Object(dialect), 'limits'), 'object', refuse);
}
