import { describeError, SchemaError } from '../error/index.ts';
import type { CompiledSchema } from './compile-schema.ts';
import { formatPath, maxIssues, type ParseOutcome, type SchemaIssue } from './issue.ts';
import { findUnknownKeys, type KeyFindings, maxDepth } from './key-checker.ts';
import { type LibraryIssue, mergeIssues } from './merge-issues.ts';
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
 * Validates what came from outside: keys that the schema does not know are refused at every depth, nothing is coerced
 * by the library itself. Whatever the value, it does not throw; a promise only where the schema validates asynchronously, and it never rejects.
 *
 * A value nested deeper than 256 levels is refused before the user's library sees it.
 *
 * @throws {SchemaError} `schema-unrepresentable` when the schema itself has no JSON Schema form; a tool or slice with
 * such a schema cannot be made.
 * @see spec TOOLS "Runtime Dispatch" step 2
 */
export function parseInput<I, O>(
  compiled: CompiledSchema<I, O>,
  value: unknown,
): ParseOutcome<O> | Promise<ParseOutcome<O>> {
  const found = findUnknownKeys(compiled.inputGraph, value, maxIssues);
  if (found?.tooDeepAt !== undefined) return tooDeep(found.tooDeepAt);
  // That many unknown keys are garbage; the user's library need not walk through all of it.
  if (found !== undefined && found.unknown.length >= maxIssues) return { ok: false, issues: found.unknown };
  const result = validate(compiled, value);
  return result instanceof Promise
    ? result.then((settled) => inputOutcome(compiled, value, found, settled))
    : inputOutcome(compiled, value, found, result);
}

function inputOutcome<O>(
  compiled: CompiledSchema,
  value: unknown,
  found: KeyFindings | undefined,
  result: LibraryResult<O>,
): ParseOutcome<O> {
  if (found === undefined && result.issues === undefined) return { ok: true, value: result.value };
  const issues = mergeIssues(compiled.inputGraph, value, found?.unknown ?? [], result.issues ?? []);
  return { ok: false, issues };
}

/**
 * {@link parseInput} for places that cannot wait.
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
 * Validates what a handler returned: unknown keys are left out of a copy and reported, then the rest is validated.
 * Never throws, as {@link parseInput}.
 */
export function parseOutput<I, O>(
  compiled: CompiledSchema<I, O>,
  value: unknown,
): OutputOutcome<O> | Promise<OutputOutcome<O>> {
  const found = findUnknownKeys(compiled.inputGraph, value, Number.POSITIVE_INFINITY);
  if (found?.tooDeepAt !== undefined) return tooDeep(found.tooDeepAt);
  const paths = found?.unknown.map(({ path }) => path);
  const known = paths === undefined ? value : withoutPaths(value, paths);
  const report = paths === undefined ? undefined : { strippedKeys: paths.map(formatPath) };
  const result = validate(compiled, known);
  const finish = (settled: LibraryResult<O>): OutputOutcome<O> =>
    settled.issues === undefined
      ? { ok: true, value: settled.value, ...report }
      : { ok: false, issues: mergeIssues(compiled.inputGraph, known, [], settled.issues), ...report };
  return result instanceof Promise ? result.then(finish) : finish(result);
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
  // The path itself is as long as the value is deep: its start is enough to find the place.
  return {
    ok: false,
    issues: [{ path: path.slice(0, 3), message: `nested deeper than ${maxDepth} levels` }],
  };
}
