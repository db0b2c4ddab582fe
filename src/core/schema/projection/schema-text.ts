import { shorten } from '../../internal/index.ts';
import type { JsonValue } from '../json/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';

/** A description followed by the hints; undefined when there is neither. */
export function describeWith(
  description: JsonValue | undefined,
  hints: readonly string[],
): string | undefined {
  const sentences = [...(typeof description === 'string' ? [description] : []), ...hints];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** The schema with one more hint in its description. */
export function withHint(schema: JsonSchema, hint: string): JsonSchema {
  const description = describeWith(schema['description'], [hint]);
  return description === undefined ? schema : { ...schema, description };
}

const maxShownValue = 200;

/** A value as JSON, cut where it is long. */
export function shortJson(value: JsonValue): string {
  return shorten(JSON.stringify(value), maxShownValue);
}
