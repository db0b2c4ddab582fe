import {
  type LargeInteger,
  none,
  roundedIntegers,
  unsafeIntegers,
  withDigits,
} from '../../internal/index.ts';
import type { StepsLeft } from '../json/canonical-json.ts';
import type { SchemaIssue } from '../json/issue.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import { createReferenceResolver, type ReferenceResolver } from '../json-schema/reference.ts';
import { documentSteps, flattenSchema } from './flatten-schema.ts';
import { type RestorePlan, restore } from './restore.ts';
import { planRestore } from './restore-planner.ts';
import { typesOf } from './schema-types.ts';
import { fitsMember } from './union-members.ts';

/** JSON text that a model wrote, parsed. */
export interface GivenJson {
  readonly text: string;
  /** What `JSON.parse` makes of it. It may be changed. */
  readonly value: JsonValue;
  /** True when the text was written from a value that something else had parsed. Default: it has the digits that the model wrote. */
  readonly wasParsed?: boolean;
}

interface RestoreParts {
  readonly resolve: ReferenceResolver;
  readonly plan: RestorePlan | undefined;
}

/** Made when a value first needs them, and once for each schema. */
const restoreParts = new WeakMap<JsonSchema, RestoreParts>();

/**
 * What a model wrote, as its schema means it: without the nulls for what may be left out and takes no null, and with the digits of an integer that a
 * number does not hold as text, where the schema takes text.
 *
 * @param schema absent: nothing is known of the value.
 * @returns the value, and the integers that cannot be taken without changing them.
 * @see docs/spec/schemas.md §6
 */
export function readGivenJson(
  { text, value, wasParsed = false }: GivenJson,
  schema: JsonSchema | undefined,
): { readonly value: JsonValue; readonly issues: readonly SchemaIssue[] } {
  const integers = wasParsed ? unsafeIntegers(text) : roundedIntegers(text);
  const hasNulls = text.includes('null');
  if (integers.length === 0 && !hasNulls) return { value, issues: none };
  // What was rounded on the way has lost its digits.
  const exact = wasParsed ? value : withDigits(value, integers);
  const steps = documentSteps();
  const refused = integers.filter(({ path }) => wasParsed || !takesTextAt(schema, path, exact, steps));
  const plan = schema !== undefined && hasNulls ? partsOf(schema).plan : undefined;
  return {
    value: restore(exact, plan, steps),
    issues: refused.map((each) => issueOf(each, wasParsed)),
  };
}

function partsOf(schema: JsonSchema): RestoreParts {
  let parts = restoreParts.get(schema);
  if (parts === undefined) {
    const resolve = createReferenceResolver(schema);
    parts = { resolve, plan: planRestore(schema, resolve) };
    restoreParts.set(schema, parts);
  }
  return parts;
}

function issueOf({ path, digits }: LargeInteger, wasParsed: boolean): SchemaIssue {
  const why = wasParsed
    ? `the integer ${digits} is beyond 2^53 − 1, and may have been rounded before it arrived`
    : `the integer ${digits} would be rounded to ${exactly(Number(digits))}`;
  return { path, message: `${why}; send it as text: its digits in quotes` };
}

function exactly(number: number): string {
  return Number.isFinite(number) ? String(BigInt(number)) : String(number);
}

/** Whether a schema takes text at a place of a value, as one of the types that it names. */
function takesTextAt(
  schema: JsonSchema | undefined,
  path: LargeInteger['path'],
  value: JsonValue,
  steps: StepsLeft,
): boolean {
  if (schema === undefined) return false;
  const { resolve } = partsOf(schema);
  const takesText = (source: JsonValue | undefined, at: number, inner: JsonValue | undefined): boolean => {
    steps.left -= 1;
    const flat = isSchemaObject(source) && steps.left > 0 ? flattenSchema(source, resolve, steps) : undefined;
    if (flat === undefined || inner === undefined) return false;
    const members = flat['anyOf'] ?? flat['oneOf'];
    const isMember =
      isList(members) &&
      members.some(
        (member) => fitsMember(inner, member, resolve, false, steps) && takesText(member, at, inner),
      );
    if (isMember) return true;
    const step = path[at];
    if (step === undefined) return typesOf(flat).includes('string');
    return takesText(schemaOf(flat, step), at + 1, childOf(inner, step));
  };
  return takesText(schema, 0, value);
}

function schemaOf(flat: JsonSchema, step: string | number): JsonValue | undefined {
  const { properties, additionalProperties, prefixItems, items } = flat;
  if (typeof step === 'number') return isList(prefixItems) ? (prefixItems[step] ?? items) : items;
  const isNamed = isSchemaObject(properties) && Object.hasOwn(properties, step);
  return isNamed ? properties[step] : additionalProperties;
}

function childOf(value: JsonValue, step: string | number): JsonValue | undefined {
  // What is under a key of a JSON value is one.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (Reflect.get(value, step) as JsonValue)
    : undefined;
}
