import { present } from '../../internal/index.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import { keywords } from '../json-schema/keywords.ts';

/** The key of a value that is wrapped in an object because the provider accepts objects only. */
export const wrapperKey = 'value';

/** The schema of an object with one key. */
export function objectWith(schema: JsonValue, key: string = wrapperKey): JsonSchema {
  return { type: 'object', properties: { [key]: schema }, required: [key], additionalProperties: false };
}

/**
 * An object schema that holds the given schema under a key; its references keep their targets.
 *
 * @param key letters only. Default: {@link wrapperKey}.
 */
export function wrapSchema(schema: JsonSchema, key: string = wrapperKey): JsonSchema {
  const { $schema: _schema, $defs, definitions, ...rest } = schema;
  return {
    ...objectWith(moveReferences(rest, false, key), key),
    ...present({
      $defs: $defs === undefined ? undefined : moveReferences($defs, true, key),
      definitions: definitions === undefined ? undefined : moveReferences(definitions, true, key),
    }),
  };
}

/** @param isMap true for a map of schemas by name, whose keys are not keywords. */
function moveReferences(value: JsonValue, isMap: boolean, key: string): JsonValue {
  if (isList(value)) return value.map((item) => moveReferences(item, false, key));
  if (!isSchemaObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]): [string, JsonValue | undefined] => {
      const keyword = isMap ? undefined : keywords.get(name);
      if (child === undefined || keyword?.isData === true) return [name, child];
      if (!isMap && name === '$ref' && typeof child === 'string') return [name, moveReference(child, key)];
      return [name, moveReferences(child, keyword?.holds === 'map', key)];
    }),
  );
}

function moveReference(reference: string, key: string): string {
  if (!reference.startsWith('#') || /^#\/(\$defs|definitions)\//.test(reference)) return reference;
  return reference === '#' || reference.startsWith('#/')
    ? `#/properties/${key}${reference.slice(1)}`
    : reference;
}
