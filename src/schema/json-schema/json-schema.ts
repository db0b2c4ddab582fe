import { isRecord } from '../../internal/index.ts';
import type { JsonValue } from '../json/json.ts';

/** A JSON Schema document, draft 2020-12 unless its `$schema` says otherwise. Plain JSON. */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue | undefined;
}

/** True for a schema object (not the boolean form). */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return isRecord(value);
}
