import { FilesystemError } from '../../../error/index.ts';
import { type Filesystem, normalizePath, readGivenPath } from '../../../filesystem/index.ts';
import { none, quoteText } from '../../../internal/index.ts';
import type { RenderedPrompt } from '../../../prompt/index.ts';
import type { JsonObject, JsonValue } from '../../../schema/index.ts';
import type { AnyTool, FileArgument } from '../../../tool/index.ts';

/** A path that could mean something else of the workspace, too. */
export interface PathChoice {
  readonly given: string;
  readonly path: string;
  readonly rivals: readonly string[];
}

/** The arguments of a call with the paths that they mean, or why there are none. */
type CallPaths =
  | { readonly kind: 'read'; readonly params: JsonObject; readonly choices: readonly PathChoice[] }
  | { readonly kind: 'refused'; readonly message: string };

/** A path is refused. Never leaves this file. */
class PathRefusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** What arguments are read with. */
interface Reading {
  readonly roots: readonly string[];
  readonly choices: PathChoice[];
}

/**
 * Reads the arguments that name files: a path below a root that the prompt shows, or below the folder of the host that has the files, is the path in the
 * workspace. The only place that does.
 *
 * @param hostPath of the files.
 * @see docs/spec/tool-calls.md §2
 */
export function readCallPaths(
  { '~files': files }: AnyTool,
  params: JsonObject,
  rendered: RenderedPrompt,
  hostPath: string | undefined,
): CallPaths {
  const named = Object.entries(files?.arguments ?? {}).filter(
    ([name]) => valueAt(params, name) !== undefined,
  );
  const reading: Reading = { roots: rootsOf(rendered, hostPath), choices: [] };
  const changed: Record<string, JsonValue> = {};
  try {
    for (const [name, role] of named) {
      const value = valueAt(params, name);
      const read = readValue(value, role, reading);
      if (read !== value && read !== undefined) changed[name] = read;
    }
    for (const [name, role] of named) {
      if (role === 'pattern' || role === 'filter') relate(name, role, params, changed);
    }
  } catch (refusal) {
    if (refusal instanceof PathRefusal) return { kind: 'refused', message: refusal.message };
    throw refusal;
  }
  const { choices } = reading;
  if (Object.keys(changed).length === 0) return { kind: 'read', params, choices };
  const read = Object.entries(changed).reduce<JsonObject>(
    (all, [name, value]) => withValue(all, name.split('.'), value),
    params,
  );
  return { kind: 'read', params: read, choices };
}

/** An argument, or a member of one whose name has the names up to it before it. */
function valueAt(params: JsonObject, name: string): JsonValue | undefined {
  let value: JsonValue | undefined = params;
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A frozen copy with another value at a place that is there. */
function withValue(
  within: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue,
): JsonObject {
  const inner = within[name];
  return Object.freeze({
    ...within,
    [name]: rest.length > 0 && isObject(inner) ? withValue(inner, rest, value) : value,
  });
}

function rootsOf({ boundTools }: RenderedPrompt, hostPath: string | undefined): readonly string[] {
  const roots = new Set<string>();
  for (const { tool } of boundTools.values()) {
    const root = tool['~files']?.root;
    if (root !== undefined) roots.add(root);
  }
  if (hostPath !== undefined) roots.add(hostPath);
  return [...roots];
}

function readValue(
  value: JsonValue | undefined,
  role: FileArgument,
  reading: Reading,
): JsonValue | undefined {
  if (typeof value === 'string') return readText(value, role, reading);
  if (!Array.isArray(value)) return value;
  const read = value.map((item: JsonValue) =>
    typeof item === 'string' ? readText(item, role, reading) : item,
  );
  return read.every((item, index) => item === value[index]) ? value : Object.freeze(read);
}

function readText(given: string, role: FileArgument, { roots, choices }: Reading): string {
  const read = readGivenPath(given, roots);
  if (read.kind === 'refused') throw new PathRefusal(read.message);
  const { path, rivals } = read;
  if (path === given) return given;
  if (role === 'name') {
    throw new PathRefusal(
      `Name files by their paths from the workspace root: use ${quoteText(path)} for ${quoteText(given)}, here and where it is used.`,
    );
  }
  if (rivals.length > 0) choices.push({ given, path, rivals });
  return role === 'path' || path !== '.' ? path : '**';
}

/** A pattern from the root of the workspace is made one from the directory that is searched. */
function relate(
  name: string,
  role: FileArgument,
  params: JsonObject,
  changed: Record<string, JsonValue>,
): void {
  const pattern = changed[name];
  if (typeof pattern !== 'string') return;
  const path = changed['path'] ?? params['path'] ?? '.';
  const directory = typeof path === 'string' ? normalPath(path) : '.';
  const isInside = directory === '.' || pattern.startsWith(`${directory}/`);
  if (!isInside) {
    throw new PathRefusal(
      `The pattern is one for ${quoteText(pattern)}, and "path" is ${quoteText(directory)}. Leave "path" out, or give a pattern from there on.`,
    );
  }
  const relative = directory === '.' ? pattern : pattern.slice(directory.length + 1);
  // Without "/" a filter would match names at any depth.
  changed[name] =
    role === 'filter' && !relative.includes('/') && relative !== '**' ? `./${relative}` : relative;
}

/** A path that cannot be used is refused by the tool. */
function normalPath(path: string): string {
  try {
    return normalizePath(path);
  } catch (error) {
    if (FilesystemError.isInstance(error)) return path;
    throw error;
  }
}

/** @returns why a call is refused: one of its paths could be another one as well, as far as the files say. */
export async function findAmbiguity(
  choices: readonly PathChoice[],
  filesystem: Filesystem,
): Promise<string | undefined> {
  for (const { given, path, rivals } of choices) {
    const missing = await missingOf(path, filesystem);
    for (const rival of rivals) {
      if ((await missingOf(rival, filesystem)) > missing) continue;
      return `${quoteText(given)} could be ${quoteText(path)} or ${quoteText(rival)} of the workspace. Use one of these two paths, without a "/" at its start.`;
    }
  }
  return undefined;
}

/** How many segments at the end of a path do not exist; of a pattern only those before its first wildcard count. */
async function missingOf(path: string, filesystem: Filesystem): Promise<number> {
  const segments = path === '.' ? none : path.split('/');
  const wild = segments.findIndex((segment) => /[*?[\]{}]/.test(segment));
  const names = wild < 0 ? segments : segments.slice(0, wild);
  for (let count = names.length; count > 0; count -= 1) {
    if (await exists(names.slice(0, count).join('/'), filesystem)) return names.length - count;
  }
  return names.length;
}

async function exists(path: string, filesystem: Filesystem): Promise<boolean> {
  try {
    return (await filesystem.stat(path)) !== undefined;
  } catch (error) {
    if (FilesystemError.isInstance(error)) return false;
    throw error;
  }
}
