import { describeError, SchemaError } from '../error/index.ts';
import { explain } from './json-schema/explain.ts';
import { Judge } from './json-schema/fits.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { forEachSchema } from './json-schema/keywords.ts';
import { compileJsonSchema, type SchemaNode } from './json-schema/node.ts';
import { isUnicodePattern } from './json-schema/pattern.ts';
import { createReferenceResolver } from './json-schema/reference.ts';
import type { Schema } from './standard.ts';

/**
 * A schema from raw JSON Schema (drafts 7, 2019-09 and 2020-12, distinguished by `$schema`; 2020-12 without it). The type
 * `T` is the caller's promise; values are validated without generated code and come out as they went in, defaults are
 * not filled in. The document is copied; its references must stay within it.
 *
 * @throws {SchemaError} `schema-unrepresentable` when the document is not a JSON Schema: a reference to nothing or to
 * another document, a pattern that cannot be compiled, something that is not JSON.
 */
export function jsonSchema<T>(schema: JsonSchema): Schema<T, T> {
  const document = copyDocument(schema);
  assertUsable(document);
  // The caller vouches that what fits the document is a `T`; a document has no types of its own.
  return new RawJsonSchema(document) as Schema as Schema<T, T>;
}

/** The compiled form of a schema that {@link jsonSchema} made; undefined for any other. */
export function compiledRawSchema(schema: object): SchemaNode | undefined {
  return RawJsonSchema.is(schema) ? schema.node : undefined;
}

class RawJsonSchema implements Schema {
  readonly '~standard': Schema['~standard'];
  readonly #document: JsonSchema;
  /** One for all values: made for each, it would cost more than small values do (0.9 instead of 0.2 µs after a garbage collection, Node 20.20). */
  readonly #judge = new Judge('shared');
  #node: SchemaNode | undefined;

  static is(schema: object): schema is RawJsonSchema {
    return #document in schema;
  }

  constructor(document: JsonSchema) {
    const emit = (): Record<string, unknown> => structuredClone({ ...document });
    this.#document = document;
    this['~standard'] = {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => {
        if (this.#judge.fitsOnce(value, this.node)) return { value };
        const issues = explain(this.node, value, true);
        return { issues: issues.length > 0 ? issues : [{ path: [], message: 'is not valid' }] };
      },
      jsonSchema: { input: emit, output: emit },
    };
  }

  get node(): SchemaNode {
    return (this.#node ??= compileJsonSchema(this.#document, { exact: true }));
  }
}

function copyDocument(schema: unknown): JsonSchema {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(schema));
  } catch (cause) {
    throw unusable(`it is not JSON (${describeError(cause)})`, cause);
  }
  if (!isSchemaObject(copy)) throw unusable('it is not an object');
  return copy;
}

function assertUsable(document: JsonSchema): void {
  const resolve = createReferenceResolver(document);
  const ids = new Set<string>();
  forEachSchema(document, (schema) => {
    const { $id: id, pattern, patternProperties } = schema;
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = schema[keyword];
      if (typeof reference === 'string' && resolve(reference, schema) === undefined) {
        throw unusable(`the reference "${reference}" leads nowhere within the document`);
      }
    }
    if (typeof id === 'string') {
      if (ids.has(id)) throw unusable(`the $id "${id}" is given twice`);
      ids.add(id);
    }
    if (typeof pattern === 'string') assertPattern(pattern);
    if (isSchemaObject(patternProperties)) Object.keys(patternProperties).forEach(assertPattern);
  });
}

function assertPattern(pattern: string): void {
  if (!isUnicodePattern(pattern)) throw unusable(`the pattern /${pattern}/ cannot be compiled`);
}

function unusable(problem: string, cause?: unknown): SchemaError {
  return new SchemaError('schema-unrepresentable', `This JSON Schema cannot be used: ${problem}.`, { cause });
}
