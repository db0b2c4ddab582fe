import { type StepsLeft, sameJson } from '../json/canonical-json.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import { keywords } from '../json-schema/keywords.ts';
import type { ReferenceResolver } from '../json-schema/reference.ts';

/** True for what says nothing about a value: where two parts differ in it, the outer one counts. */
function isAnnotation(keyword: string): boolean {
  return keywords.get(keyword)?.role === 'annotation';
}

/** True for what belongs to the document rather than to the value. */
function isBookkeeping(keyword: string): boolean {
  return keywords.get(keyword)?.role === 'document';
}

/** How many parts one schema may be made of; more only where parts refer to each other again and again. */
const maxParts = 1_000;

/** What all of a document may cost to flatten, or all that is asked about one value; more only where it repeats itself. */
export function documentSteps(): StepsLeft {
  return { left: 2_000_000 };
}

/** True when a schema holds nothing that its values could break. */
export function saysOnlyText(schema: JsonSchema): boolean {
  return Object.keys(schema).every((keyword) => isAnnotation(keyword) || isBookkeeping(keyword));
}

/**
 * The schema as one part: the target of its `$ref` and the members of its `allOf` written into it. Strict schemas
 * know no `allOf`, and nothing may accompany a `$ref` there.
 *
 * @param steps what it may cost, together with other schemas of the document.
 * @returns undefined when parts contradict or extend each other, so that they cannot be written as one; or when
 *   the steps are spent.
 */
export function flattenSchema(
  schema: JsonSchema,
  resolve: ReferenceResolver,
  steps: StepsLeft,
): JsonSchema | undefined {
  let known = flattened.get(resolve);
  if (known === undefined) flattened.set(resolve, (known = new WeakMap()));
  steps.left -= 1;
  if (steps.left < 0) return undefined;
  if (known.has(schema)) return known.get(schema);
  const flat = flattenParts(schema, resolve, { left: maxParts }, steps);
  if (steps.left >= 0) known.set(schema, flat);
  return flat;
}

/** What was flattened, by the document: many values are compared with the same schema. */
const flattened = new WeakMap<ReferenceResolver, WeakMap<JsonSchema, JsonSchema | undefined>>();

function flattenParts(
  schema: JsonSchema,
  resolve: ReferenceResolver,
  parts: StepsLeft,
  steps: StepsLeft,
): JsonSchema | undefined {
  steps.left -= Object.keys(schema).length;
  const { $ref, allOf, ...rest } = withoutBookkeeping(schema);
  if ($ref === undefined && allOf === undefined) return rest;
  const target = typeof $ref === 'string' ? [resolve($ref)] : [];
  let flat: JsonSchema | undefined = rest;
  parts.left -= 1;
  if (parts.left < 0 || steps.left < 0) return undefined;
  for (const part of [...target, ...(isList(allOf) ? allOf : [])]) {
    if (part === true) continue;
    const inner = isSchemaObject(part) ? flattenParts(part, resolve, parts, steps) : undefined;
    flat = inner === undefined || flat === undefined ? undefined : merge(flat, inner, steps);
  }
  return flat;
}

function withoutBookkeeping(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isBookkeeping(keyword)));
}

function merge(outer: JsonSchema, inner: JsonSchema, steps: StepsLeft): JsonSchema | undefined {
  const clashes = Object.entries(inner).some(
    ([keyword, value]) => !isAnnotation(keyword) && !isAbsentOrSame(outer[keyword], value, steps),
  );
  return clashes ? undefined : { ...inner, ...outer };
}

function isAbsentOrSame(
  other: JsonValue | undefined,
  value: JsonValue | undefined,
  steps: StepsLeft,
): boolean {
  return other === undefined || value === undefined || sameJson(other, value, steps);
}
