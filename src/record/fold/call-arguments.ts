import { cutAtWord, oneLine, startOf } from '../../core/internal/index.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/schema/index.ts';

/** How the arguments of a call are told in one line. */
export interface CallArgumentsOptions {
  /** The schema of the tool, whose order of properties is that of the values. Default: the order of the arguments. */
  readonly inputSchema?: JsonSchema | undefined;
  /** Removes what must not be shown from a text, before it is cut. Default: nothing is removed. */
  readonly clean?: (text: string) => string;
  /** Characters of one value. Default: 24. */
  readonly maxCharacters?: number;
  /** How many values are shown; the rest is counted. Default: 3. */
  readonly maxValues?: number;
}

/** Arguments that say by themselves what a call is about: they need no name, and the texts beside them are left out. */
const subjects: ReadonlySet<string> = new Set(['path', 'file_path', 'command', 'pattern', 'query', 'url']);
const paths: ReadonlySet<string> = new Set(['path', 'file_path']);

/**
 * The arguments of a call in one line, for tables and lists: the values in the order of the schema, as `name=value`. Where an argument is the obvious subject (a path, a
 * command, a pattern, a query, an address), its value stands alone, with the numbers beside it. `{4}` is an object with four members, `[3]` a list of three, `+2`
 * are two more.
 *
 * Hidden characters are still in it: who prints it makes them visible.
 */
export function callArguments(params: JsonValue | undefined, options: CallArgumentsOptions = {}): string {
  const { clean = (text) => text, maxCharacters = 24, maxValues = 3, inputSchema } = options;
  if (params === undefined || params === null) return '';
  const line = (text: string): string => oneLine(clean(startOf(text, maxRead)));
  const cut = (text: string): string => cutAtWord(line(text), maxCharacters);
  if (!isObject(params)) return valueText(params, cut);
  const entries = inOrder(params, inputSchema);
  const isAbout = entries.some(isSubject);
  const shown = isAbout
    ? entries.filter((entry) => isSubject(entry) || typeof entry[1] === 'number')
    : entries;
  const rest = isAbout ? 0 : shown.length - maxValues;
  const parts = shown.slice(0, maxValues).map(([name, value]) => {
    if (!isSubject([name, value])) return `${name}=${quotedWhereNeeded(value, cut)}`;
    const isPath = typeof value === 'string' && paths.has(name);
    return isPath ? cutPath(line(value), maxCharacters) : valueText(value, cut);
  });
  return [...parts, ...(rest > 0 ? [`+${rest}`] : [])].join(' ');
}

/** A value may be a whole file: nothing of what is shown lies beyond. */
const maxRead = 4096;

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSubject([name, value]: readonly [string, JsonValue]): boolean {
  return subjects.has(name) && typeof value === 'string' && value !== '';
}

function inOrder(
  params: JsonObject,
  schema: JsonSchema | undefined,
): readonly (readonly [string, JsonValue])[] {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const known = names.filter((name) => Object.hasOwn(params, name));
  const others = Object.keys(params).filter((name) => !known.includes(name));
  return [...known, ...others].flatMap((name) => {
    const value = params[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

function valueText(value: JsonValue, cut: (text: string) => string): string {
  if (typeof value === 'string') return value === '' ? '""' : cut(value);
  if (Array.isArray(value)) return `[${value.length}]`;
  return isObject(value) ? `{${Object.keys(value).length}}` : String(value);
}

/** A text with blanks is quoted, so that it is seen where it ends. */
function quotedWhereNeeded(value: JsonValue, cut: (text: string) => string): string {
  const text = valueText(value, cut);
  return typeof value === 'string' && /\s/.test(text) ? `"${text}"` : text;
}

/** The end of a path says more than its beginning. */
function cutPath(path: string, length: number): string {
  const characters = [...path];
  if (characters.length <= length) return path;
  const end = characters.slice(characters.length - length + 1).join('');
  const slash = end.indexOf('/');
  return `…${slash > 0 && slash < end.length / 2 ? end.slice(slash) : end}`;
}
