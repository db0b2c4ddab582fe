import { hasHidden, isRecord, quoteText, shorten, withoutHidden } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonSchema, type JsonValue, keywords } from '../../../core/schema/index.ts';
import { maxForeignDescriptionCharacters } from '../../../core/tool/index.ts';
import { visibleText } from './untrusted-text.ts';

type WritableSchema = Record<string, JsonValue | undefined>;

/** Levels of a schema, each a list or an object in another. */
const maxDepth = 200;

/**
 * The schema of a server for a model to read, with nothing in it that a person would not see: texts that describe lose their hidden characters, keywords that are not of JSON Schema
 * are left out. What it accepts does not change.
 *
 * @param schema plain JSON.
 * @throws {Error} for hidden characters in what decides which values are accepted, such as the name of a property, and for a schema that is nested too deep.
 * @see docs/spec/mcp.md §6
 */
export function visibleSchema(schema: JsonSchema): JsonSchema {
  return cleanSchema(schema, 0);
}

function cleanSchema(schema: JsonSchema, depth: number): JsonSchema {
  if (depth > maxDepth) throw new Error(`it is nested deeper than ${maxDepth} levels`);
  const cleaned: WritableSchema = {};
  for (const [name, operand] of Object.entries(schema)) {
    const value = operand === undefined ? undefined : cleanOperand(name, operand, depth);
    if (value !== undefined) cleaned[name] = value;
  }
  return cleaned;
}

/** The value of a keyword; undefined for one that is left out. */
function cleanOperand(name: string, operand: JsonValue, depth: number): JsonValue | undefined {
  const keyword = keywords.get(name);
  if (keyword === undefined || name === '$comment' || name === '$vocabulary') return undefined;
  if (name === 'title' || name === 'description') {
    return typeof operand === 'string' ? visibleText(operand, maxForeignDescriptionCharacters) : undefined;
  }
  if (keyword.role === 'annotation') {
    if (keyword.isData === true) return withoutHiddenTexts(operand);
    return typeof operand === 'boolean' ? operand : undefined;
  }
  if (keyword.holds === 'map') return cleanMap(name, operand, depth);
  if (keyword.holds === 'schema') return cleanSchemas(operand, depth);
  const isList = Array.isArray(operand) && operand.every((item) => typeof item === 'string');
  // Of those that hold no schema, only data and lists of names are objects or lists.
  if (typeof operand === 'object' && operand !== null && keyword.isData !== true && !isList) return undefined;
  assertVisible(name, operand);
  return operand;
}

function cleanMap(name: string, operand: JsonValue, depth: number): JsonValue | undefined {
  if (!isSchemaObject(operand)) return undefined;
  const entries = Object.entries(operand).map(([key, value]): [string, JsonValue | undefined] => {
    assertVisible(name, key);
    // In older drafts a dependency may be a list of names.
    if (Array.isArray(value)) assertVisible(name, value);
    return [key, Array.isArray(value) ? value : cleanSchemas(value, depth + 1)];
  });
  return Object.fromEntries(entries);
}

/** A schema, one that is true or false, or a list of them. */
function cleanSchemas(operand: JsonValue | undefined, depth: number): JsonValue | undefined {
  if (Array.isArray(operand)) return operand.flatMap((item) => cleanSchemas(item, depth + 1) ?? []);
  if (typeof operand === 'boolean') return operand;
  return isSchemaObject(operand) ? cleanSchema(operand, depth + 1) : undefined;
}

/** Data that only tells a reader something, without hidden characters. */
function withoutHiddenTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutHidden(value, '\n\t');
  if (Array.isArray(value)) return value.map(withoutHiddenTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[withoutHidden(key), withoutHiddenTexts(item)]],
    ),
  );
}

/** Removing a character would change which values are accepted, or what the server is sent. */
function assertVisible(keyword: string, value: JsonValue): void {
  const found = hiddenText(value);
  if (found === undefined) return;
  throw new Error(`its schema has hidden characters in ${keyword}: ${quoteText(shorten(found, 80))}`);
}

function hiddenText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return hasHidden(value.replaceAll(/[\n\t]/g, '')) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries<JsonValue | undefined>(value)) {
    const found = hiddenText(key) ?? hiddenText(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
