import { describeError, SchemaError } from '../error/index.ts';
import { none } from '../internal/index.ts';
import type { CompiledSchema } from './compile-schema.ts';
import { formatPath, maxIssues, type ParseOutcome, type SchemaIssue } from './json/issue.ts';
import {
  findUnknownKeys,
  type KeyFinding,
  type KeyFindings,
  maxDepth,
  unknownItem,
} from './json-schema/unknown-keys.ts';
import { type LibraryIssue, mergeIssues, valueAt } from './merge-issues.ts';
import { withoutPaths } from './strip-keys.ts';

/** Outcome of {@link parseOutput}. */
export type OutputOutcome<T> = ParseOutcome<T> & {
  /** Paths of the unknown keys that were left out; absent when there were none. */
  readonly strippedKeys?: readonly string[];
};

type LibraryResult<O> =
  | { readonly value: O; readonly issues?: undefined }
  | { readonly issues: readonly LibraryIssue[] };

/**
 * Validates input from outside: keys unknown to the schema, and items after the end of a tuple, are refused at
 * every depth; this library coerces nothing. Never throws for any value; returns a promise only where the schema validates asynchronously, and it never rejects.
 *
 * A value nested deeper than 256 levels is refused before the user's library sees it.
 *
 * @throws {SchemaError} `schema-unrepresentable` when the schema itself has no JSON Schema form; a tool or slice with
 * such a schema cannot be made.
 * @see docs/spec/schemas.md §2
 */
export function parseInput<I, O>(
  compiled: CompiledSchema<I, O>,
  value: unknown,
): ParseOutcome<O> | Promise<ParseOutcome<O>> {
  const { inputNode } = compiled;
  try {
    const found = findUnknownKeys(inputNode, value, maxIssues);
    if (found?.tooDeepAt !== undefined) return tooDeep(found.tooDeepAt);
    const unknown = found?.unknown ?? none;
    // A value with that many unknown keys is garbage; the user's library need not walk through it.
    if (unknown.length >= maxIssues) return { ok: false, issues: unknown };
    const result = validate(compiled, value);
    if (!(result instanceof Promise)) return outcomeOf(compiled, value, found, unknown, result);
    return result.then((settled) => outcomeOf(compiled, value, found, unknown, settled)).catch(unreadable);
  } catch (cause) {
    return unreadable(cause);
  }
}

/** A value that throws when it is read, by a getter or a proxy, counts as invalid. */
function unreadable(cause: unknown): { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
  return { ok: false, issues: [{ path: [], message: `cannot be read: ${describeError(cause)}` }] };
}

/** @param refused what is known to be wrong before the library validates. */
function outcomeOf<O>(
  compiled: CompiledSchema,
  value: unknown,
  found: KeyFindings | undefined,
  refused: readonly KeyFinding[],
  result: LibraryResult<O>,
): ParseOutcome<O> {
  if (result.issues === undefined && refused.length === 0) {
    const cut = found === undefined ? none : cutLists(found.overlong, value, result.value);
    return cut.length === 0 ? { ok: true, value: result.value } : { ok: false, issues: cut };
  }
  return {
    ok: false,
    issues: mergeIssues(compiled.inputNode, value, refused, result.issues ?? none),
  };
}

/** The lists that a library cut to a shorter tuple: the items it dropped are errors, not surplus. */
function cutLists(overlong: KeyFindings['overlong'], given: unknown, made: unknown): readonly SchemaIssue[] {
  return overlong.flatMap((path) => {
    const before = valueAt(given, path);
    const after = valueAt(made, path);
    const isCut = Array.isArray(before) && Array.isArray(after) && after.length < before.length;
    return isCut ? [unknownItem(path, after.length)] : [];
  });
}

/**
 * {@link parseInput} for callers that cannot wait.
 *
 * @throws {SchemaError} `schema-async` when the schema validates asynchronously.
 */
export function parseInputSync<I, O>(compiled: CompiledSchema<I, O>, value: unknown): ParseOutcome<O> {
  const outcome = parseInput(compiled, value);
  if (!(outcome instanceof Promise)) return outcome;
  throw new SchemaError(
    'schema-async',
    `This ${compiled.schema['~standard'].vendor} schema validates asynchronously, which is not possible here; ` +
      'take its asynchronous checks out.',
  );
}

/**
 * Validates what a handler returned: unknown keys of objects are left out of a copy and reported, then the rest is validated.
 * Nothing else is left out: an item after the end of a tuple is refused. Never throws, like {@link parseInput}.
 */
export function parseOutput<I, O>(
  compiled: CompiledSchema<I, O>,
  value: unknown,
): OutputOutcome<O> | Promise<OutputOutcome<O>> {
  const { inputNode } = compiled;
  try {
    const found = findUnknownKeys(inputNode, value, Number.POSITIVE_INFINITY);
    if (found?.tooDeepAt !== undefined) return tooDeep(found.tooDeepAt);
    const unknown = found?.unknown ?? none;
    const paths = unknown.map(({ path }) => path).filter((path) => !isItem(path));
    const known = paths.length === 0 ? value : withoutPaths(value, paths);
    const report = paths.length === 0 ? undefined : { strippedKeys: paths.map(formatPath) };
    const items = unknown.filter(({ path }) => isItem(path)).slice(0, maxIssues);
    const finish = (settled: LibraryResult<O>): OutputOutcome<O> => ({
      ...outcomeOf(compiled, known, found, items, settled),
      ...report,
    });
    const result = validate(compiled, known);
    return result instanceof Promise ? result.then(finish).catch(unreadable) : finish(result);
  } catch (cause) {
    return unreadable(cause);
  }
}

function isItem(path: KeyFinding['path']): boolean {
  return typeof path.at(-1) === 'number';
}

function validate<I, O>(
  compiled: CompiledSchema<I, O>,
  value: unknown,
): LibraryResult<O> | Promise<LibraryResult<O>> {
  try {
    const result = compiled.schema['~standard'].validate(value);
    return isPromise(result) ? Promise.resolve(result).catch(failed) : result;
  } catch (cause) {
    return failed(cause);
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** The user's schema threw instead of reporting: the value counts as invalid. */
function failed(cause: unknown): { readonly issues: readonly LibraryIssue[] } {
  return { issues: [{ message: `could not be validated: ${describeError(cause)}` }] };
}

function tooDeep(path: readonly (string | number)[]): {
  readonly ok: false;
  readonly issues: readonly SchemaIssue[];
} {
  // The path itself is as long as the value is deep; its start is enough to find the place.
  return {
    ok: false,
    issues: [{ path: path.slice(0, 3), message: `nested deeper than ${maxDepth} levels` }],
  };
}
