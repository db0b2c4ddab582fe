import { countCharacters, isRecord, present } from '../../internal/index.ts';
import { canonicalJson, sameJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { formats } from './format.ts';
import type { PatternReader } from './pattern.ts';

/** What one keyword requires of a value by itself, independent of other schemas. */
export interface Constraint {
  readonly holds: (value: unknown) => boolean;
  /** What is wrong with a value. Absent where the description of what is expected says it. */
  readonly problem?: (value: unknown) => string;
}

/**
 * Makes the constraint of a keyword from its value.
 *
 * @param exact true where no schema library validates, so that the specification applies to the letter; false where a schema library judges,
 * and nothing that some library accepts may be reported as wrong.
 * @returns undefined when the keyword is not checked.
 */
export type ConstraintMaker = (
  operand: JsonValue,
  exact: boolean,
  readPattern: PatternReader,
) => Constraint | undefined;

/** A constraint that holds for values of other types. */
function of<T>(
  isOfType: (value: unknown) => value is T,
  holds: (value: T) => boolean,
  problem?: (value: unknown) => string,
): Constraint {
  return {
    holds: (value) => !isOfType(value) || holds(value),
    ...present({ problem }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** True for values that JSON can carry, as far as the top level shows. */
function isJson(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : jsonTypes.has(typeof value);
}
const jsonTypes: ReadonlySet<string> = new Set(['object', 'string', 'boolean']);

/** Where no `type` is given: any JSON value. */
export const anyJson: Constraint = { holds: isJson };

const typeTests: ReadonlyMap<JsonValue, (value: unknown) => boolean> = new Map<
  JsonValue,
  (value: unknown) => boolean
>([
  ['null', (value) => value === null],
  ['array', isList],
  ['object', isRecord],
  ['integer', Number.isInteger],
  ['number', Number.isFinite],
  ['string', isText],
  ['boolean', (value) => typeof value === 'boolean'],
]);

export const typeConstraint: ConstraintMaker = (operand, exact) => {
  const names: readonly JsonValue[] = Array.isArray(operand) ? operand : [operand];
  const tests = names.map((name) => typeTests.get(name) ?? (() => !exact));
  const [only, another] = tests;
  if (only !== undefined && another === undefined) return { holds: only };
  return { holds: (value) => tests.some((test) => test(value)) };
};

export const enumConstraint: ConstraintMaker = (operand) => {
  if (!Array.isArray(operand)) return undefined;
  const scalars = new Set<unknown>(operand.filter((choice) => typeof choice !== 'object' || choice === null));
  const others = operand.filter((choice) => !scalars.has(choice));
  return { holds: (value) => scalars.has(value) || others.some((choice) => sameJson(choice, value)) };
};

export const constConstraint: ConstraintMaker = (operand) => ({ holds: (value) => sameJson(operand, value) });

/** A keyword with a number for values of one type. */
function bound<T>(
  isOfType: (value: unknown) => value is T,
  fits: (value: T, limit: number, exact: boolean) => boolean,
): ConstraintMaker {
  return (limit, exact) =>
    typeof limit === 'number' ? of(isOfType, (value) => fits(value, limit, exact)) : undefined;
}

export const minimum: ConstraintMaker = bound(isNumber, (value, least) => value >= least);
export const maximum: ConstraintMaker = bound(isNumber, (value, most) => value <= most);
export const exclusiveMinimum: ConstraintMaker = bound(isNumber, (value, limit) => value > limit);
export const exclusiveMaximum: ConstraintMaker = bound(isNumber, (value, limit) => value < limit);
export const minItems: ConstraintMaker = bound(isList, (value, least) => value.length >= least);
export const maxItems: ConstraintMaker = bound(isList, (value, most) => value.length <= most);
export const minProperties: ConstraintMaker = bound(isRecord, (value, least) => memberCount(value) >= least);
export const maxProperties: ConstraintMaker = bound(isRecord, (value, most) => memberCount(value) <= most);
// JSON Schema counts characters, of which each takes one or two units; libraries count units. Where a library judges, only
// what is wrong by both counts is wrong.
export const minLength: ConstraintMaker = bound(isText, (value, least, exact) => {
  if (!exact || value.length < least || value.length >= 2 * least) return value.length >= least;
  return countCharacters(value) >= least;
});
export const maxLength: ConstraintMaker = bound(
  isText,
  (value, most) => value.length <= most || countCharacters(value) <= most,
);

function memberCount(value: Readonly<Record<string, unknown>>): number {
  return Object.values(value).filter((item) => item !== undefined).length;
}

export const patternConstraint: ConstraintMaker = (operand, _exact, readPattern) => {
  const pattern = typeof operand === 'string' ? readPattern(operand) : undefined;
  return pattern && of(isText, (value) => pattern.test(value));
};

export const multipleOf: ConstraintMaker = (divisor, exact) =>
  exact && typeof divisor === 'number'
    ? of(
        isNumber,
        (value) => isMultipleOf(value, divisor),
        (value) => `${String(value)} is not a multiple of ${divisor}.`,
      )
    : undefined;

export const formatConstraint: ConstraintMaker = (operand, exact) => {
  const test = exact && typeof operand === 'string' ? formats.get(operand) : undefined;
  return test && of(isText, test, () => `String does not match format ${JSON.stringify(operand)}.`);
};

export const uniqueItems: ConstraintMaker = (operand, exact) =>
  exact && operand === true
    ? of(
        isList,
        (items) => duplicateOf(items) === undefined,
        (value) => `Duplicate items at indexes ${(isList(value) && duplicateOf(value)) || 'unknown'}.`,
      )
    : undefined;

/** The index of the first repeated item and of its earlier occurrence: `0 and 2`. */
function duplicateOf(items: readonly unknown[]): string | undefined {
  const seen = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const key = identityOf(item);
    const first = seen.get(key);
    if (first !== undefined) return `${first} and ${index}`;
    seen.set(key, index);
  }
  return undefined;
}

/** Equal for equal items only: strings begin with a quote, which the JSON of lists and objects does not. */
function identityOf(item: unknown): unknown {
  if (typeof item === 'string') return `"${item}`;
  // What is not JSON throws in there.
  return typeof item === 'object' && item !== null ? canonicalJson(item as JsonValue) : item;
}

/** True when `value` is a whole multiple of `divisor` as both are written in decimals: 0.3 is one of 0.1. False for a divisor that is not positive. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(divisor) || divisor <= 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = exponent - divisorExponent;
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % divisorDigits === 0n
    : digits % (divisorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as its decimal digits and a power of ten. */
function decimal(value: number): readonly [digits: bigint, exponent: number] {
  const [written = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = written.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
