import { isPlainObject } from '../../core/internal/index.ts';
import type { Fields, JsonObject, JsonValue, RecordOf } from '../../core/schema/index.ts';
import type { Row } from './rows.ts';

/** Longer texts are always references. */
const maxInlineCharacters = 512;
/** Longer texts are references when they occur more than once in a row. */
const maxRepeatedCharacters = 64;

/** Rows hold data of any kind, which may be nested this deep; functions that walk over it are recursive. */
const maxDepth = 1_000;
const tooDeep = '<nested too deep>';

const referenceKey = '$ref';
const escapedKey = /^\$+ref$/;
const loneSurrogate = /\p{Cs}/u;

/** Keeps a text as a blob. @returns its hash. */
export type KeepText = (text: string) => string;

/** Finds the text of a hash; undefined when no blob has it. */
export type FindText = (hash: string) => string | undefined;

/**
 * A row with its long texts, and those that occur in it more than once, as references `{ "$ref": hash }`. Data that looks like a reference is
 * escaped by one more `$`. Members that are undefined are left out when it is written. Texts that UTF-8 cannot hold stay in place. What a reader would
 * refuse, because it is nested too deep, is replaced by a text. What needs no change is part of the result as it is.
 *
 * @param row plain JSON.
 * @see docs/spec/run-record.md §3
 */
export function toReferences(row: unknown, keep: KeepText): JsonValue {
  const survey: Survey = { texts: undefined, changes: false };
  takeIn(row, survey, 0);
  // It is JSON as it is.
  if (!survey.changes) return row as JsonValue;
  const { texts } = survey;
  const isReferred = (text: string): boolean => {
    if (text.length <= maxRepeatedCharacters || loneSurrogate.test(text)) return false;
    return text.length > maxInlineCharacters || (texts?.get(text) ?? 0) > 1;
  };
  return encode(row, isReferred, keep, 0);
}

/** A row as {@link toReferences} makes it, with all texts in place: the first row of a record comes before every text that it could refer to. */
export function withoutReferences(row: unknown): JsonValue {
  return encode(
    row,
    () => false,
    (text) => text,
    0,
  );
}

/** What a row has of an observation: the members that its fields name, in their order. */
export function rowMembers<F extends Fields>(
  fields: F,
  observed: { readonly [Name in keyof RecordOf<F>]: RecordOf<F>[Name] | undefined },
): RecordOf<F> {
  const given: Record<string, unknown> = observed;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    if (given[name] !== undefined) members[name] = given[name];
  }
  // A member that is required is never undefined where it is observed.
  return members as RecordOf<F>;
}

/** A row, or a part of one, by all its members. Those that are undefined are not written. */
export function rowOf<T>(members: { readonly [Name in keyof T]-?: T[Name] | undefined }): T {
  // Nothing but JSON is made of it.
  return members as T;
}

/** What there is in a row. */
interface Survey {
  /** How often each text occurs that is a reference when it occurs more than once; undefined when there is none. */
  texts: Map<string, number> | undefined;
  /** False when the row is written as it is. */
  changes: boolean;
}

/** Most rows are small, and are written as they are: going over one is cheaper than copying it. */
function takeIn(value: unknown, survey: Survey, depth: number): void {
  if (typeof value === 'string') {
    if (value.length > maxRepeatedCharacters) takeInText(value, survey);
  } else if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'number' && typeof value !== 'boolean' && value !== null && value !== undefined)
      survey.changes = true;
  } else if (depth >= maxDepth) {
    survey.changes = true;
  } else if (Array.isArray(value)) {
    for (const item of value) takeIn(item, survey, depth + 1);
  } else {
    if (!isOrdinary(value)) survey.changes = true;
    for (const key of Object.keys(value)) {
      if (key.startsWith('$')) survey.changes = true;
      takeIn(Reflect.get(value, key), survey, depth + 1);
    }
  }
}

function takeInText(text: string, survey: Survey): void {
  if (text.length > maxInlineCharacters) {
    survey.changes = true;
    return;
  }
  survey.texts ??= new Map();
  const count = survey.texts.get(text) ?? 0;
  if (count > 0) survey.changes = true;
  survey.texts.set(text, count + 1);
}

function encode(
  value: unknown,
  isReferred: (text: string) => boolean,
  keep: KeepText,
  depth: number,
): JsonValue {
  if (typeof value === 'string') return isReferred(value) ? { [referenceKey]: keep(value) } : value;
  if (typeof value !== 'object' || value === null) {
    // JSON has no word for anything else.
    return typeof value === 'number' || typeof value === 'boolean' ? value : null;
  }
  if (depth >= maxDepth) return tooDeep;
  if (Array.isArray(value)) return encodeItems(value, isReferred, keep, depth);
  let copy: object | undefined = isOrdinary(value) ? undefined : { ...value };
  let only: string | undefined;
  let count = 0;
  for (const key of Object.keys(value)) {
    const item: unknown = Reflect.get(value, key);
    if (item === undefined) continue;
    const encoded = encode(item, isReferred, keep, depth + 1);
    if (encoded !== item) {
      copy ??= { ...value };
      setOwn(copy, key, encoded);
    }
    only = key;
    count += 1;
  }
  // Its members are JSON, or undefined.
  const encoded = (copy ?? value) as JsonObject;
  return only !== undefined && count === 1 && escapedKey.test(only)
    ? { [`$${only}`]: encoded[only] ?? null }
    : encoded;
}

function encodeItems(
  items: readonly unknown[],
  isReferred: (text: string) => boolean,
  keep: KeepText,
  depth: number,
): JsonValue {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const encoded = encode(items[index], isReferred, keep, depth + 1);
    if (encoded === items[index]) continue;
    copy ??= [...(items as readonly JsonValue[])];
    copy[index] = encoded;
  }
  return copy ?? (items as readonly JsonValue[]);
}

/** True for an object literal: JSON has its own members and nothing else. An instance, such as a date, may say otherwise. */
function isOrdinary(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** Sets a member, also one that assigning would take for the prototype. */
function setOwn(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') Reflect.set(target, key, value);
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A reference that no blob answers. */
export class MissingBlob {
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}

/**
 * What {@link toReferences} was given.
 *
 * @throws {MissingBlob} for a reference that has no blob.
 * @throws {RangeError} for more than 1,000 levels.
 */
export function fromReferences(value: unknown, find: FindText, depth = 0): unknown {
  if (depth > maxDepth) throw new RangeError('It is nested too deeply.');
  if (Array.isArray(value)) return itemsFromReferences(value, find, depth);
  if (!isPlainObject(value)) return value;
  const keys = Object.keys(value);
  const [key] = keys;
  if (keys.length === 1 && key !== undefined && escapedKey.test(key)) {
    const item = value[key];
    if (key !== referenceKey) return { [key.slice(1)]: fromReferences(item, find, depth + 1) };
    const hash = String(item);
    const text = find(hash);
    // The reader of rows catches it, and says which row.
    if (text === undefined) throw new MissingBlob(hash);
    return text;
  }
  // Most objects hold no reference, and stay as they are.
  let copy: Record<string, unknown> | undefined;
  for (const name of keys) {
    const item = value[name];
    if (typeof item !== 'object' || item === null) continue;
    const found = fromReferences(item, find, depth + 1);
    if (found === item) continue;
    copy ??= { ...value };
    setOwn(copy, name, found);
  }
  return copy ?? value;
}

function itemsFromReferences(items: readonly unknown[], find: FindText, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const found = fromReferences(item, find, depth + 1);
    if (found === item) continue;
    copy ??= [...items];
    copy[index] = found;
  }
  return copy ?? items;
}

/** Characters that JSON leaves as they are, and that some readers of lines, such as the one of Node 24, take for an end of line. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** A row as JSON on one line. */
export function lineOf(row: JsonValue | Row): string {
  return JSON.stringify(row).replace(
    otherLineEnds,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
