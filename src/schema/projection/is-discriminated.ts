import { isList } from '../close-json-schema.ts';
import type { JsonValue } from '../json.ts';
import { isSchemaObject } from '../json-schema.ts';
import type { ReferenceResolver } from '../schema-reference.ts';

/** True when one required property has another fixed value in each member, so that no two can fit. */
export function isDiscriminated(members: readonly JsonValue[], resolve: ReferenceResolver): boolean {
  const objects = members.map((member) =>
    isSchemaObject(member) && typeof member['$ref'] === 'string' ? resolve(member['$ref']) : member,
  );
  const fixed = objects.map((member) => {
    const properties = isSchemaObject(member) ? member['properties'] : undefined;
    const required = isSchemaObject(member) ? member['required'] : undefined;
    if (!isSchemaObject(properties) || !isList(required)) return new Map<string, JsonValue>();
    return new Map(
      Object.entries(properties).flatMap(([name, property]): [string, JsonValue][] => {
        const value = isSchemaObject(property) ? property['const'] : undefined;
        return value === undefined || !required.includes(name) ? [] : [[name, value]];
      }),
    );
  });
  const candidates = [...(fixed[0]?.keys() ?? [])];
  return candidates.some((name) => {
    const values = fixed.map((properties) => properties.get(name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}
