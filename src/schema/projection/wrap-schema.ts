import type { JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';

/** Where a value stands that is put into an object because the provider takes objects only. */
export const wrapperKey = 'value';

/** An object schema that holds the given schema under {@link wrapperKey}; its references go on leading where they did. */
export function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _schema, $defs, definitions, ...rest } = schema;
  const inner = moveReferences(rest);
  return {
    type: 'object',
    // What `moveReferences` is given comes back in the same shape.
    properties: { [wrapperKey]: inner },
    required: [wrapperKey],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moveReferences($defs) }),
    ...(definitions === undefined ? {} : { definitions: moveReferences(definitions) }),
  };
}

function moveReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => moveReferences(item));
  if (!isSchemaObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? moveReference(child)
        : child === undefined
          ? child
          : moveReferences(child),
    ]),
  );
}

function moveReference(reference: string): string {
  if (!reference.startsWith('#') || /^#\/(\$defs|definitions)\//.test(reference)) return reference;
  return reference === '#' || reference.startsWith('#/')
    ? `#/properties/${wrapperKey}${reference.slice(1)}`
    : reference;
}
