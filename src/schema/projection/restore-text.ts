import type { JsonValue } from '../json.ts';
import type { SchemaProjection } from './project-schema.ts';

/**
 * JSON text that a model wrote for a projected schema, in the shape of the original one; any other text as it is, for those
 * to judge who read it.
 */
export function restoreText(text: string, projection: SchemaProjection | undefined): string {
  // A value that was not put into an object changes by its nulls alone.
  if (projection?.changesValues !== true || !(projection.isWrapped || text.includes('null'))) return text;
  try {
    // What JSON.parse makes is a JSON value.
    const value = JSON.parse(text) as JsonValue;
    const restored = projection.restore(value);
    return restored === value ? text : JSON.stringify(restored);
  } catch {
    return text;
  }
}
