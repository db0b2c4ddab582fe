import { describeError, SchemaError } from '../error/index.ts';
import { none, present } from '../internal/index.ts';
import { freezeJson } from './json/freeze-json.ts';
import { formatPath, maxIssues, type ParseOutcome, type SchemaIssue } from './json/issue.ts';
import { closeJsonSchema } from './json-schema/close.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { compileJsonSchema } from './json-schema/node.ts';
import type { SchemaNode } from './json-schema/schema-node.ts';
import { StepsSpent } from './json-schema/step-meter.ts';
import {
  findUnknownKeys,
  type KeyFinding,
  type KeyFindings,
  maxDepth,
  unknownItem,
} from './json-schema/unknown-keys.ts';
import { libraryOptionsOf } from './library-options.ts';
import { type LibraryIssue, mergeIssues, valueAt } from './merge-issues.ts';
import { compiledRawSchema } from './raw-json-schema.ts';
import type { Schema } from './standard.ts';
import { withoutPaths } from './strip-keys.ts';

/** A schema with what the library derives from it, each part made when it is first needed. */
export interface CompiledSchema<I = unknown, O = unknown> {
  readonly schema: Schema<I, O>;
  /**
   * JSON Schema of what is accepted, draft 2020-12: no `$schema`, closed objects made explicit by
   * `additionalProperties: false`, descriptions, defaults and constraints as the user's library emits them. Frozen.
   * Reading it throws a {@link SchemaError} `schema-unrepresentable` where the library cannot express the schema.
   */
  readonly inputJsonSchema: JsonSchema;
  /** The same for what validation yields. */
  readonly outputJsonSchema: JsonSchema;
  /** @internal The input JSON Schema as it was emitted, compiled. */
  readonly inputNode: SchemaNode;
}

/** One per schema object, so that a schema used by many tools is read once. */
const compiledSchemas = new WeakMap<object, CompiledSchema>();

/**
 * The compiled form of a schema; the same object for the same schema.
 *
 * @throws {SchemaError} `schema-not-standard` when `schema` is not a Standard Schema with JSON Schema output.
 */
export function compileSchema<I, O>(schema: Schema<I, O>): CompiledSchema<I, O> {
  const known = compiledSchemas.get(schema);
  // The map ties each compiled schema to the schema object it was made from, so the types are those of `schema`.
  if (known !== undefined) return known as CompiledSchema<I, O>;
  assertStandardSchema(schema);
  const compiled = new LazyCompiledSchema(schema);
  compiledSchemas.set(schema, compiled);
  return compiled;
}

/** The same schema with other descriptions for the model; what it accepts does not change. */
export function withInputJsonSchema<I, O>(
  compiled: CompiledSchema<I, O>,
  inputJsonSchema: JsonSchema,
): CompiledSchema<I, O> {
  return Object.freeze({
    schema: compiled.schema,
    inputJsonSchema,
    get outputJsonSchema(): JsonSchema {
      return compiled.outputJsonSchema;
    },
    get inputNode(): SchemaNode {
      return compiled.inputNode;
    },
  });
}

class LazyCompiledSchema<I, O> implements CompiledSchema<I, O> {
  readonly schema: Schema<I, O>;
  #emitted: JsonSchema | undefined;
  #input: JsonSchema | undefined;
  #output: JsonSchema | undefined;
  #node: SchemaNode | undefined;

  constructor(schema: Schema<I, O>) {
    this.schema = schema;
  }

  get inputJsonSchema(): JsonSchema {
    return (this.#input ??= freezeJson(closeJsonSchema(this.#emittedInput), 'a JSON Schema'));
  }

  get outputJsonSchema(): JsonSchema {
    return (this.#output ??= freezeJson(closeJsonSchema(emit(this.schema, 'output')), 'a JSON Schema'));
  }

  get inputNode(): SchemaNode {
    return (this.#node ??=
      compiledRawSchema(this.schema) ?? compileJsonSchema(this.#emittedInput, { exact: false }));
  }

  get #emittedInput(): JsonSchema {
    return (this.#emitted ??= emit(this.schema, 'input'));
  }
}

function emit(schema: Schema, side: 'input' | 'output'): JsonSchema {
  let emitted: unknown;
  const { vendor } = schema['~standard'];
  try {
    const converter = schema['~standard'].jsonSchema;
    // Through JSON: a private copy, without properties that the library may have attached.
    const libraryOptions = libraryOptionsOf(vendor);
    const options = { target: 'draft-2020-12', ...present({ libraryOptions }) };
    emitted = JSON.parse(JSON.stringify(converter[side](options)));
  } catch (cause) {
    throw new SchemaError(
      'schema-unrepresentable',
      `The ${side} of this ${vendor} schema has no JSON Schema form: ${describeError(cause)}`,
      { cause, details: { vendor, side } },
    );
  }
  if (!isSchemaObject(emitted)) {
    throw new SchemaError('schema-unrepresentable', `The ${side} JSON Schema of a schema is not an object.`);
  }
  return emitted;
}

function assertStandardSchema(schema: unknown): void {
  const holder =
    (typeof schema === 'object' && schema !== null) || typeof schema === 'function' ? schema : {};
  const standard: unknown = Reflect.get(holder, '~standard');
  if (
    typeof standard !== 'object' ||
    standard === null ||
    typeof Reflect.get(standard, 'validate') !== 'function'
  ) {
    throw new SchemaError(
      'schema-not-standard',
      'A schema must be a Standard Schema (Zod 4.2 or newer, ArkType, Valibot through toStandardJsonSchema of ' +
        '@valibot/to-json-schema) or come from jsonSchema().',
    );
  }
  const converter: unknown = Reflect.get(standard, 'jsonSchema');
  if (
    typeof converter !== 'object' ||
    converter === null ||
    typeof Reflect.get(converter, 'input') !== 'function'
  ) {
    const vendor = String(Reflect.get(standard, 'vendor'));
    const remedy =
      vendor === 'valibot'
        ? 'wrap it in toStandardJsonSchema() of @valibot/to-json-schema'
        : 'use a version of the library that implements Standard JSON Schema (Zod 4.2 or newer)';
    throw new SchemaError('schema-not-standard', `This ${vendor} schema emits no JSON Schema: ${remedy}.`, {
      details: { vendor },
    });
  }
}

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
  const { meter } = compiled.inputNode;
  return meter === undefined ? parseGiven(compiled, value) : meter.run(() => parseGiven(compiled, value));
}

function parseGiven<I, O>(
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

/** A value that throws when it is read, by a getter or a proxy, counts as invalid; and so does one that takes too many steps. */
function unreadable(cause: unknown): { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
  const message = cause instanceof StepsSpent ? cause.message : `cannot be read: ${describeError(cause)}`;
  return { ok: false, issues: [{ path: [], message }] };
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
  const { meter } = compiled.inputNode;
  return meter === undefined ? parseMade(compiled, value) : meter.run(() => parseMade(compiled, value));
}

function parseMade<I, O>(
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
