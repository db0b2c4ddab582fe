import { assertSchema } from './assert-schema.ts';
import { isList, type JsonValue } from './json/json.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { createReferenceResolver, type ReferenceResolver } from './json-schema/reference.ts';
import type { InferInput, InferOutput, Schema } from './standard.ts';

/**
 * The same schema with unknown keys allowed at its top-level object, or at each top-level object of a union or
 * intersection. For the loose objects of libraries that do not write them into their JSON Schema: Valibot's
 * `looseObject`, ArkType's objects. The given schema is not changed; whether unknown keys reach the handler is up to
 * the library.
 */
export function looseSchema<S extends Schema>(schema: S): Schema<InferInput<S>, InferOutput<S>> {
  assertSchema('open()', schema);
  const standard = schema['~standard'];
  const opened: Schema = {
    '~standard': {
      version: 1,
      vendor: standard.vendor,
      validate: (value, options) => standard.validate(value, options),
      jsonSchema: {
        input: (options) => openTop(standard.jsonSchema.input(options)),
        output: (options) => openTop(standard.jsonSchema.output(options)),
      },
    },
  };
  return opened;
}

function openTop(emitted: Record<string, unknown>): Record<string, unknown> {
  // What a Standard JSON Schema emits is JSON by its own contract.
  const root = emitted as JsonSchema;
  return openAt(root, createReferenceResolver(root), 0);
}

function openAt(
  schema: JsonSchema,
  resolve: ReferenceResolver,
  depth: number,
): Record<string, JsonValue | undefined> {
  if (depth > 32) return schema;
  const opened: Record<string, JsonValue | undefined> = { ...schema };
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? resolve(reference) : undefined;
  // Inlined next to the definitions, so that other uses of the same definition stay closed.
  if (isSchemaObject(target) && target !== schema) {
    const { $ref: _reference, ...beside } = opened;
    return { ...openAt(target, resolve, depth + 1), ...beside };
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const members = schema[keyword];
    if (!isList(members)) continue;
    opened[keyword] = members.map((member) =>
      isSchemaObject(member) ? openAt(member, resolve, depth + 1) : member,
    );
  }
  const isObject = schema['type'] === 'object' || schema['properties'] !== undefined;
  if (isObject && schema['additionalProperties'] === undefined) opened['additionalProperties'] = {};
  return opened;
}
