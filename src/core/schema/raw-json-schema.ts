import { describeError, SchemaError } from '../error/index.ts';
import { once } from '../internal/index.ts';
import { explain } from './json-schema/explain.ts';
import { Judge } from './json-schema/fits.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { forEachSchema } from './json-schema/keywords.ts';
import { compileJsonSchema } from './json-schema/node.ts';
import { type BoundedPattern, isUnicodePattern, type PatternReader } from './json-schema/pattern.ts';
import { createReferenceResolver } from './json-schema/reference.ts';
import type { SchemaNode } from './json-schema/schema-node.ts';
import { StepMeter } from './json-schema/step-meter.ts';
import { type StrangerRules, strangerRules } from './json-schema/stranger.ts';
import type { Schema } from './standard.ts';

/**
 * A schema from raw JSON Schema (drafts 7, 2019-09 and 2020-12, distinguished by `$schema`; 2020-12 without it). The type
 * `T` is the caller's promise; values are validated without generated code and come out as they went in, defaults are
 * not filled in. The document is copied; its references must stay within it.
 *
 * @throws {SchemaError} `schema-unrepresentable` when the document is not a JSON Schema: a reference to nothing or to
 * another document, a pattern that cannot be compiled, something that is not JSON.
 */
export function jsonSchema<T>(schema: JsonSchema): Schema<T, T> {
  const document = copyDocument(schema);
  assertUsable(document, assertPattern);
  // The caller vouches that what fits the document is a `T`; a document has no types of its own.
  return new RawJsonSchema(() => document) as Schema as Schema<T, T>;
}

/**
 * As {@link jsonSchema}, for a document that this library writes: made for the first value, and not checked. A process does not pay for those that
 * it never uses.
 */
export function ownSchema<T>(document: () => JsonSchema): Schema<T, T> {
  // As above.
  return new RawJsonSchema(once(document)) as Schema as Schema<T, T>;
}

/** The steps that one validation may take where a stranger wrote the schema: about a second, at worst. */
const maxStrangerSteps = 10_000_000;

/**
 * As {@link jsonSchema}, for a document that a stranger wrote, such as the server of a tool: no value makes its validation take long. A pattern that
 * cannot be read is left out of the check; a value whose validation takes more than 10,000,000 steps is invalid.
 *
 * @param readPattern reads a pattern for a search in bounded time; undefined for one that cannot be read.
 * @throws {SchemaError} `schema-unrepresentable` as {@link jsonSchema}, but not for a pattern.
 * @see docs/spec/schemas.md §7
 */
export function strangerSchema<T>(
  schema: JsonSchema,
  readPattern: (source: string) => BoundedPattern | undefined,
): Schema<T, T> {
  const document = copyDocument(schema);
  assertUsable(document, () => undefined);
  const meter = new StepMeter(maxStrangerSteps);
  const rules = strangerRules(meter, meteredPatterns(meter, readPattern));
  // As above.
  return new RawJsonSchema(() => document, rules) as Schema as Schema<T, T>;
}

/** Instructions of a pattern, for one character, that count as one step: most searches need few of them. */
const instructionsOfStep = 4;

function meteredPatterns(
  meter: StepMeter,
  readPattern: (source: string) => BoundedPattern | undefined,
): PatternReader {
  return (source) => {
    const pattern = readPattern(source);
    return (
      pattern && {
        test: (text) => {
          meter.spend(1 + (text.length * pattern.size) / instructionsOfStep);
          return pattern.test(text);
        },
      }
    );
  };
}

/** The patterns of a document, each once: those of texts and those of keys. */
export function patternsOf(document: JsonSchema): readonly string[] {
  const patterns = new Set<string>();
  forEachPattern(document, (pattern) => patterns.add(pattern));
  return [...patterns];
}

/** The compiled form of a schema that {@link jsonSchema} made; undefined for any other. */
export function compiledRawSchema(schema: object): SchemaNode | undefined {
  return RawJsonSchema.is(schema) ? schema.node : undefined;
}

class RawJsonSchema implements Schema {
  readonly '~standard': Schema['~standard'];
  readonly #document: () => JsonSchema;
  /** One for all values: made for each, it would cost more than small values do (0.9 instead of 0.2 µs after a garbage collection, Node 20.20). */
  readonly #judge = new Judge('shared');
  readonly #stranger: StrangerRules | undefined;
  #node: SchemaNode | undefined;

  static is(schema: object): schema is RawJsonSchema {
    return #document in schema;
  }

  constructor(document: () => JsonSchema, stranger?: StrangerRules) {
    const emit = (): Record<string, unknown> => structuredClone({ ...document() });
    this.#document = document;
    this.#stranger = stranger;
    this['~standard'] = {
      version: 1,
      vendor: 'json-schema',
      validate: (value) =>
        stranger === undefined ? this.#validate(value) : stranger.meter.run(() => this.#validate(value)),
      jsonSchema: { input: emit, output: emit },
    };
  }

  #validate(value: unknown): ReturnType<Schema['~standard']['validate']> {
    if (this.#judge.fitsOnce(value, this.node)) return { value };
    const issues = explain(this.node, value, true);
    return { issues: issues.length > 0 ? issues : [{ path: [], message: 'is not valid' }] };
  }

  get node(): SchemaNode {
    return (this.#node ??= compileJsonSchema(this.#document(), { exact: true, stranger: this.#stranger }));
  }
}

function copyDocument(schema: unknown): JsonSchema {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(schema));
  } catch (cause) {
    throw unusable(`it is not JSON (${describeError(cause)})`, cause);
  }
  if (!isSchemaObject(copy)) throw unusable('it is not an object');
  return copy;
}

function assertUsable(document: JsonSchema, checkPattern: (pattern: string) => void): void {
  forEachPattern(document, checkPattern);
  const resolve = createReferenceResolver(document);
  const ids = new Set<string>();
  forEachSchema(document, (schema) => {
    const { $id: id } = schema;
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = schema[keyword];
      if (typeof reference === 'string' && resolve(reference, schema) === undefined) {
        throw unusable(`the reference "${reference}" leads nowhere within the document`);
      }
    }
    if (typeof id === 'string') {
      if (ids.has(id)) throw unusable(`the $id "${id}" is given twice`);
      ids.add(id);
    }
  });
}

function forEachPattern(document: JsonSchema, visit: (pattern: string) => void): void {
  forEachSchema(document, ({ pattern, patternProperties }) => {
    if (typeof pattern === 'string') visit(pattern);
    if (isSchemaObject(patternProperties)) Object.keys(patternProperties).forEach(visit);
  });
}

function assertPattern(pattern: string): void {
  if (!isUnicodePattern(pattern)) throw unusable(`the pattern /${pattern}/ cannot be compiled`);
}

function unusable(problem: string, cause?: unknown): SchemaError {
  return new SchemaError('schema-unrepresentable', `This JSON Schema cannot be used: ${problem}.`, { cause });
}
