import { none } from './list.ts';
import { readJson } from './read-json.ts';

/** Keys and indexes that lead to a place of a value. */
type Path = readonly (string | number)[];

/** An integer of a JSON text that a number does not hold, or may have been rounded to. */
export interface LargeInteger {
  readonly path: Path;
  /** As the text has it. */
  readonly digits: string;
}

/** A text without these has no integer beyond 2^53 − 1: sixteen digits, or the exponent that `JSON.stringify` writes. */
const mayBeLarge = /\d{16}|\de\+\d/;
const integer = /^-?\d+$/;
const scalar = /[\w+\-.]+/y;

/**
 * The integers of a JSON text, written without a fraction and an exponent, whose digits are not those of the number that `JSON.parse` makes of them.
 * None of a text that is not JSON.
 */
export function roundedIntegers(text: string): readonly LargeInteger[] {
  return numbersOf(text, (literal) => integer.test(literal) && isRounded(literal));
}

/**
 * The integers beyond 2^53 − 1 of a JSON text that was written from a value: whatever the value was read from, they may have been rounded there.
 * None of a text that is not JSON.
 */
export function unsafeIntegers(text: string): readonly LargeInteger[] {
  return numbersOf(text, (literal) => {
    const number = Number(literal);
    const isWritten = integer.test(literal) || String(number) === literal;
    return isWritten && Number.isInteger(number) && !Number.isSafeInteger(number);
  });
}

/**
 * The value of a JSON text, with the digits of an integer that a number does not hold as text, for those who only show or pass on what a model wrote;
 * undefined for a text that is not JSON.
 */
export function readUnrounded(text: string): unknown {
  const value = readJson(text);
  return value === undefined ? undefined : withDigits(value, roundedIntegers(text));
}

/** The value with these integers as the text of their digits; it is changed, and comes back. */
export function withDigits<T>(value: T, integers: readonly LargeInteger[]): T {
  // Under a key, so that an integer at the root is in an object, too.
  const root = { value };
  for (const { path, digits } of integers) {
    const holder = objectAt(root, ['value', ...path.slice(0, -1)].slice(0, path.length));
    const key = path.at(-1) ?? 'value';
    // Of a key that the text has twice, only the last value counts.
    const isThere = holder !== undefined && Object.is(Reflect.get(holder, key), Number(digits));
    if (isThere) Object.defineProperty(holder, key, { value: digits });
  }
  return root.value;
}

function objectAt(root: object, path: Path): object | undefined {
  let found = root;
  for (const step of path) {
    const inner: unknown = Object.hasOwn(found, step) ? Reflect.get(found, step) : undefined;
    if (typeof inner !== 'object' || inner === null) return undefined;
    found = inner;
  }
  return found;
}

/** The JSON text of one member of an object, taken from the JSON text of that object; undefined for any other text, and for an object without the member. */
export function memberText(text: string, key: string): string | undefined {
  if (readJson(text) === undefined) return undefined;
  let found: string | undefined;
  walk(text, (path, start, end) => {
    if (path.length === 1 && path[0] === key) found = text.slice(start, end);
  });
  return found;
}

function numbersOf(text: string, isWanted: (literal: string) => boolean): readonly LargeInteger[] {
  if (!mayBeLarge.test(text) || readJson(text) === undefined) return none;
  const found: LargeInteger[] = [];
  walk(text, (path, start, end) => {
    const first = text[start] ?? '';
    if (!/[-\d]/.test(first)) return;
    const digits = text.slice(start, end);
    if (isWanted(digits)) found.push({ path: [...path], digits });
  });
  return found;
}

function isRounded(literal: string): boolean {
  const number = Number(literal);
  return !Number.isFinite(number) || BigInt(literal) !== BigInt(number);
}

/** Calls `visit` with the place and the span of each value of a JSON text, of those inside before those that hold them. */
function walk(text: string, visit: (path: Path, start: number, end: number) => void): void {
  const path: (string | number)[] = [];
  const starts: number[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '{' || character === '[') {
      starts.push(at);
      path.push(character === '{' ? '' : 0);
      at += 1;
    } else if (character === '}' || character === ']') {
      path.pop();
      at += 1;
      visit(path, starts.pop() ?? 0, at);
    } else if (character === ',') {
      const last = path.at(-1);
      if (typeof last === 'number') path[path.length - 1] = last + 1;
      at += 1;
    } else if (character === '"') {
      const start = at;
      at = endOfJsonString(text, start) ?? text.length;
      const colon = skipSpace(text, at);
      if (text[colon] === ':') {
        path[path.length - 1] = JSON.parse(text.slice(start, at));
        at = colon + 1;
      } else visit(path, start, at);
    } else {
      scalar.lastIndex = at;
      const isValue = scalar.test(text);
      const start = at;
      at = isValue ? scalar.lastIndex : at + 1;
      if (isValue) visit(path, start, at);
    }
  }
}

/** The index after the quote that ends the string which begins at `start`; undefined for one without an end. */
export function endOfJsonString(text: string, start: number): number | undefined {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return undefined;
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return at;
}
