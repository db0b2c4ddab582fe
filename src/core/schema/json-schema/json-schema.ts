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

/** The keys of a schema object; none for anything else. */
export function objectOf(value: unknown): JsonSchema {
  return isSchemaObject(value) ? value : {};
}

/** True up to draft 7, where a `$ref` replaces everything else in its schema. @param dialect the `$schema` of the document. */
export function refsStandAlone(dialect: JsonValue | undefined): boolean {
  return typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
}
