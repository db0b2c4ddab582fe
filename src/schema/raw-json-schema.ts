import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import { describeError, SchemaError } from '../error/index.ts';
import { isRecord } from '../internal/index.ts';
import type { SchemaIssue } from './json/issue.ts';
import { explain } from './json-schema/explain.ts';
import { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
import { createSchemaGraph, type SchemaNode } from './json-schema/node.ts';
import { isUnicodePattern } from './json-schema/pattern.ts';
import { createQuickCheck, type QuickCheck } from './json-schema/quick-check.ts';
import { createReferenceResolver } from './json-schema/reference.ts';
import type { Schema } from './standard.ts';

/**
 * A schema from raw JSON Schema (drafts 7, 2019-09 and 2020-12, told apart by `$schema`; 2020-12 without it). The type
 * `T` is the caller's promise; values are validated without generated code and come out as they went in, defaults are
 * not filled in. The document is copied; its references must stay within it.
 *
 * @throws {SchemaError} `schema-unrepresentable` when the document is no JSON Schema: a reference to nothing or to
 * another document, a pattern that cannot be compiled, something that is not JSON.
 */
export function jsonSchema<T>(schema: JsonSchema): Schema<T, T> {
  const document = copyDocument(schema);
  const { hasNames } = assertUsable(document);
  // Names can contradict each other, which the validator finds out. Else it is made when it is first asked.
  let validator = hasNames ? createValidator(document) : undefined;
  let graph: SchemaNode | undefined;
  let quickCheck: QuickCheck | undefined;
  const emit = (): Record<string, unknown> => structuredClone({ ...document });
  const made: Schema = {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => {
        quickCheck ??= createQuickCheck(document) ?? (() => false);
        if (quickCheck(value)) return { value };
        validator ??= createValidator(document);
        const { valid, errors } = validator.validate(withoutUndefined(value));
        if (valid) return { value };
        const issues = explain((graph ??= createSchemaGraph(document)), value);
        // The validator goes from the outside in: its last error is the one that says most.
        return { issues: issues.length > 0 ? issues : errors.slice(-1).map(toIssue) };
      },
      jsonSchema: { input: emit, output: emit },
    },
  };
  // The caller vouches that what fits the document is a `T`; a document has no types of its own.
  return made as Schema<T, T>;
}

function copyDocument(schema: unknown): JsonSchema {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(schema));
  } catch (cause) {
    throw unusable(`it is not JSON (${describeError(cause)})`, cause);
  }
  if (!isSchemaObject(copy)) throw unusable('it is no object');
  return copy;
}

function createValidator(document: JsonSchema): Validator {
  const { $schema } = document;
  const dialect = typeof $schema === 'string' ? $schema : '';
  const draft: SchemaDraft = dialect.includes('draft-07')
    ? '7'
    : dialect.includes('2019-09')
      ? '2019-09'
      : '2020-12';
  try {
    // The validator hangs notes of its own onto its document, so it gets one for itself.
    return new Validator(structuredClone({ ...document }), draft);
  } catch (cause) {
    throw unusable(describeError(cause), cause);
  }
}

/** Keywords whose value is data, in which `$ref` and `pattern` mean nothing. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Keywords that give a place of the document a name of its own, or lead to one. */
const namingKeywords = [
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
];

function assertUsable(document: JsonSchema): { readonly hasNames: boolean } {
  let hasNames = false;
  const resolve = createReferenceResolver(document);
  const pending: unknown[] = [document];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (Array.isArray(place)) pending.push(...place);
    if (!isSchemaObject(place)) continue;
    const { $ref: reference, pattern, patternProperties } = place;
    hasNames ||= namingKeywords.some((keyword) => Object.hasOwn(place, keyword));
    if (typeof reference === 'string' && resolve(reference) === undefined) {
      throw unusable(`the reference "${reference}" leads nowhere within the document`);
    }
    if (typeof pattern === 'string') assertPattern(pattern);
    if (isSchemaObject(patternProperties)) Object.keys(patternProperties).forEach(assertPattern);
    for (const [keyword, child] of Object.entries(place)) {
      if (mapKeywords.has(keyword) && isSchemaObject(child)) pending.push(...Object.values(child));
      else if (!dataKeywords.has(keyword) && typeof child === 'object' && child !== null) pending.push(child);
    }
  }
  return { hasNames };
}

function assertPattern(pattern: string): void {
  if (!isUnicodePattern(pattern)) throw unusable(`the pattern /${pattern}/ cannot be compiled`);
}

function unusable(problem: string, cause?: unknown): SchemaError {
  return new SchemaError('schema-unrepresentable', `This JSON Schema cannot be used: ${problem}.`, { cause });
}

function toIssue(error: { readonly instanceLocation: string; readonly error: string }): SchemaIssue {
  const steps = error.instanceLocation.split('/').slice(1);
  const path = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path, message: error.error };
}

/** The value without members that are `undefined`, which the validator takes for values; itself where there are none. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutUndefined);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    withoutUndefined(item),
  ]);
  const isSame = entries.every(([key, item]) => item !== undefined && item === value[key]);
  return isSame ? value : Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
