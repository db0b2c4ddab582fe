import { forEachSchema, isSchemaObject, type JsonSchema } from '../../../core/schema/index.ts';
import { maxForeignDescriptionCharacters } from '../../../core/tool/index.ts';
import { visibleText } from './untrusted-text.ts';

/** Most characters of a schema as JSON. */
const maxSchemaCharacters = 100_000;

/**
 * The input schema of a tool of a server, with texts of visible characters only. What it accepts does not change.
 *
 * @throws {Error} for one that is too large for a model.
 */
export function readableSchema(schema: unknown): JsonSchema {
  const copy: unknown = JSON.parse(JSON.stringify(schema));
  if (!isSchemaObject(copy)) throw new Error('its input schema is not an object');
  forEachSchema(copy, (node) => {
    for (const keyword of ['title', 'description']) {
      const text = node[keyword];
      // The copy belongs to this function.
      if (typeof text === 'string')
        Reflect.set(node, keyword, visibleText(text, maxForeignDescriptionCharacters));
    }
    Reflect.deleteProperty(node, '$comment');
  });
  if (JSON.stringify(copy).length > maxSchemaCharacters) {
    throw new Error(`its input schema has more than ${maxSchemaCharacters} characters`);
  }
  return copy;
}
