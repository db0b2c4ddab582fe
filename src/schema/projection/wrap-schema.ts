import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import { keywords } from '../json-schema/keywords.ts';

/** The key of a value that is wrapped in an object because the provider accepts objects only. */
export const wrapperKey = 'value';

/** An object schema that holds the given schema under {@link wrapperKey}; its references keep their targets. */
export function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _schema, $defs, definitions, ...rest } = schema;
  return {
    type: 'object',
    properties: { [wrapperKey]: moveReferences(rest, false) },
    required: [wrapperKey],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moveReferences($defs, true) }),
    ...(definitions === undefined ? {} : { definitions: moveReferences(definitions, true) }),
  };
}

/** @param isMap true for a map of schemas by name, whose keys are not keywords. */
function moveReferences(value: JsonValue, isMap: boolean): JsonValue {
  if (isList(value)) return value.map((item) => moveReferences(item, false));
  if (!isSchemaObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]): [string, JsonValue | undefined] => {
      const keyword = isMap ? undefined : keywords.get(name);
      if (child === undefined || keyword?.isData === true) return [name, child];
      if (!isMap && name === '$ref' && typeof child === 'string') return [name, moveReference(child)];
      return [name, moveReferences(child, keyword?.holds === 'map')];
    }),
  );
}

function moveReference(reference: string): string {
  if (!reference.startsWith('#') || /^#\/(\$defs|definitions)\//.test(reference)) return reference;
  return reference === '#' || reference.startsWith('#/')
    ? `#/properties/${wrapperKey}${reference.slice(1)}`
    : reference;
}
