import { describeError, SchemaError } from '../error/index.ts';
import { present } from '../internal/index.ts';
import { freezeJson } from './json/freeze-json.ts';
import { closeJsonSchema } from './json-schema/close.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { compileJsonSchema, type SchemaNode } from './json-schema/node.ts';
import { libraryOptionsOf } from './library-options.ts';
import { compiledRawSchema } from './raw-json-schema.ts';
import type { Schema } from './standard.ts';

/** A schema with what the library derives from it, each part made when it is first needed. */
export interface CompiledSchema<I = unknown, O = unknown> {
  readonly schema: Schema<I, O>;
  /**
   * JSON Schema of what is accepted, draft 2020-12: no `$schema`, closed objects made explicit by
   * `additionalProperties: false`, descriptions, defaults and constraints as the user's library emits them. Frozen.
   * Reading it throws a {@link SchemaError} `schema-unrepresentable` where the library cannot express the schema.
   */
  readonly inputJsonSchema: JsonSchema;
  /** The same for what validation yields. */
  readonly outputJsonSchema: JsonSchema;
  /** @internal The input JSON Schema as it was emitted, compiled. */
  readonly inputNode: SchemaNode;
}

/** One per schema object, so that a schema used by many tools is read once. */
const compiledSchemas = new WeakMap<object, CompiledSchema>();

/**
 * The compiled form of a schema; the same object for the same schema.
 *
 * @throws {SchemaError} `schema-not-standard` when `schema` is not a Standard Schema with JSON Schema output.
 */
export function compileSchema<I, O>(schema: Schema<I, O>): CompiledSchema<I, O> {
  const known = compiledSchemas.get(schema);
  // The map ties each compiled schema to the schema object it was made from, so the types are those of `schema`.
  if (known !== undefined) return known as CompiledSchema<I, O>;
  assertStandardSchema(schema);
  const compiled = new LazyCompiledSchema(schema);
  compiledSchemas.set(schema, compiled);
  return compiled;
}

/** The same schema with other descriptions for the model; what it accepts does not change. */
export function withInputJsonSchema<I, O>(
  compiled: CompiledSchema<I, O>,
  inputJsonSchema: JsonSchema,
): CompiledSchema<I, O> {
  return Object.freeze({
    schema: compiled.schema,
    inputJsonSchema,
    get outputJsonSchema(): JsonSchema {
      return compiled.outputJsonSchema;
    },
    get inputNode(): SchemaNode {
      return compiled.inputNode;
    },
  });
}

class LazyCompiledSchema<I, O> implements CompiledSchema<I, O> {
  readonly schema: Schema<I, O>;
  #emitted: JsonSchema | undefined;
  #input: JsonSchema | undefined;
  #output: JsonSchema | undefined;
  #node: SchemaNode | undefined;

  constructor(schema: Schema<I, O>) {
    this.schema = schema;
  }

  get inputJsonSchema(): JsonSchema {
    return (this.#input ??= freezeJson(closeJsonSchema(this.#emittedInput), 'a JSON Schema'));
  }

  get outputJsonSchema(): JsonSchema {
    return (this.#output ??= freezeJson(closeJsonSchema(emit(this.schema, 'output')), 'a JSON Schema'));
  }

  get inputNode(): SchemaNode {
    return (this.#node ??=
      compiledRawSchema(this.schema) ?? compileJsonSchema(this.#emittedInput, { exact: false }));
  }

  get #emittedInput(): JsonSchema {
    return (this.#emitted ??= emit(this.schema, 'input'));
  }
}

function emit(schema: Schema, side: 'input' | 'output'): JsonSchema {
  let emitted: unknown;
  const { vendor } = schema['~standard'];
  try {
    const converter = schema['~standard'].jsonSchema;
    // Through JSON: a private copy, without properties that the library may have attached.
    const libraryOptions = libraryOptionsOf(vendor);
    const options = { target: 'draft-2020-12', ...present({ libraryOptions }) };
    emitted = JSON.parse(JSON.stringify(converter[side](options)));
  } catch (cause) {
    throw new SchemaError(
      'schema-unrepresentable',
      `The ${side} of this ${vendor} schema has no JSON Schema form: ${describeError(cause)}`,
      { cause, details: { vendor, side } },
    );
  }
  if (!isSchemaObject(emitted)) {
    throw new SchemaError('schema-unrepresentable', `The ${side} JSON Schema of a schema is not an object.`);
  }
  return emitted;
}

function assertStandardSchema(schema: unknown): void {
  const holder =
    (typeof schema === 'object' && schema !== null) || typeof schema === 'function' ? schema : {};
  const standard: unknown = Reflect.get(holder, '~standard');
  if (
    typeof standard !== 'object' ||
    standard === null ||
    typeof Reflect.get(standard, 'validate') !== 'function'
  ) {
    throw new SchemaError(
      'schema-not-standard',
      'A schema must be a Standard Schema (Zod 4.2 or newer, ArkType, Valibot through toStandardJsonSchema of ' +
        '@valibot/to-json-schema) or come from jsonSchema().',
    );
  }
  const converter: unknown = Reflect.get(standard, 'jsonSchema');
  if (
    typeof converter !== 'object' ||
    converter === null ||
    typeof Reflect.get(converter, 'input') !== 'function'
  ) {
    const vendor = String(Reflect.get(standard, 'vendor'));
    const remedy =
      vendor === 'valibot'
        ? 'wrap it in toStandardJsonSchema() of @valibot/to-json-schema'
        : 'use a version of the library that implements Standard JSON Schema (Zod 4.2 or newer)';
    throw new SchemaError('schema-not-standard', `This ${vendor} schema emits no JSON Schema: ${remedy}.`, {
      details: { vendor },
    });
  }
}
