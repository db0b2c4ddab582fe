import { isPlainObject } from './is.ts';
import { none } from './list.ts';
import { readJson } from './read-json.ts';

/** The text with U+FFFD in the place of each half of a surrogate pair, which strict servers refuse. */
export function wellFormedText(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** An escaped pair, an escaped half of one, or the escape of anything else: an escaped backslash begins none. */
const escapes = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u(d[89a-f][0-9a-f]{2})|[^])/giu;

/** {@link wellFormedText} of a JSON text, whose value has no halves either: JSON can write one as an escape. */
export function wellFormedJson(text: string): string {
  const whole = wellFormedText(text);
  if (!/\\u[dD][89a-fA-F]/.test(whole) || readJson(whole) === undefined) return whole;
  return whole.replace(escapes, (escape: string, half?: string) => (half === undefined ? escape : '\\ufffd'));
}

/** What takes the place of a text. The key is that of a member of an object. */
type TextReader = (text: string, key?: string) => string;

const asText: TextReader = (text) => wellFormedText(text);
/** Models write the arguments of calls as JSON texts, and these are the keys under which providers keep them. */
const asSaid: TextReader = (text, key) =>
  key === 'arguments' || key === 'input' ? wellFormedJson(text) : wellFormedText(text);

/**
 * The value with all its texts well-formed, at any depth of lists and plain objects, their keys included; the value itself when they are. A key that is
 * taken gets a further U+FFFD. What is neither a list nor a plain object stays as it is.
 */
export function wellFormed<T>(value: T): T {
  return repaired(value, asText);
}

/** {@link wellFormed} of what a model said, where the arguments of calls are JSON texts. */
export function wellFormedSaid<T>(said: T): T {
  return repaired(said, asSaid);
}

function repaired<T>(value: T, read: TextReader): T {
  // A copy has the type of what it is made from.
  if (typeof value === 'string') return read(value) as T;
  return isContainer(value) && hasFault(value, read) ? (copyOf(value, read) as T) : value;
}

/** A value with more values or deeper nesting is left to the general walk, which takes any. */
const maxSimpleValues = 2_000;
const maxSimpleDepth = 64;

function hasFault(value: object, read: TextReader): boolean {
  const found = findFault(value, read, maxSimpleValues, maxSimpleDepth);
  return found === 'fault' || (found === 'unknown' && hasFaultAnywhere(value, read));
}

/** Looks at the common case, a small tree. @returns how many more values may be looked at where there is no fault. */
function findFault(
  value: object,
  read: TextReader,
  limit: number,
  depth: number,
): number | 'fault' | 'unknown' {
  const keys = Array.isArray(value) ? none : Object.keys(value);
  // All at once: reading them one by one costs more than the rest of the search.
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let left = limit - members.length;
  if (left < 0 || depth === 0) return 'unknown';
  for (let index = 0; index < members.length; index += 1) {
    const key = keys[index];
    if (key?.isWellFormed() === false) return 'fault';
    const member = members[index];
    if (typeof member === 'string') {
      if (read(member, key) !== member) return 'fault';
    } else if (isContainer(member)) {
      const found = findFault(member, read, left, depth - 1);
      if (typeof found === 'string') return found;
      left = found;
    }
  }
  return left;
}

/** Without recursion: what a model said may be nested deeper than the stack is. */
function hasFaultAnywhere(value: object, read: TextReader): boolean {
  const pending: object[] = [value];
  const seen = new Set<object>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const isList = Array.isArray(next);
    for (const [key, member] of Object.entries(next)) {
      if (!isList && !key.isWellFormed()) return true;
      if (typeof member === 'string') {
        if (read(member, isList ? undefined : key) !== member) return true;
      } else if (isContainer(member)) pending.push(member);
    }
  }
  return false;
}

function copyOf(value: object, read: TextReader): object {
  const copies = new Map<object, object>();
  const pending: object[] = [];
  const copyFor = (original: object): object => {
    const known = copies.get(original);
    if (known !== undefined) return known;
    const copy = Array.isArray(original) ? [] : {};
    copies.set(original, copy);
    pending.push(original);
    return copy;
  };
  const root = copyFor(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const copy = copyFor(next);
    const isList = Array.isArray(next);
    for (const [key, given] of Object.entries(next)) {
      let member: unknown = given;
      if (typeof given === 'string') member = read(given, isList ? undefined : key);
      else if (isContainer(given)) member = copyFor(given);
      const attributes = { value: member, enumerable: true, writable: true, configurable: true };
      // Its own member, whatever it is called.
      Object.defineProperty(copy, isList ? key : freeKey(key, next, copy), attributes);
    }
  }
  return root;
}

function freeKey(key: string, original: object, copy: object): string {
  if (key.isWellFormed()) return key;
  let free = key.toWellFormed();
  while (Object.hasOwn(original, free) || Object.hasOwn(copy, free)) free += '\uFFFD';
  return free;
}

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isPlainObject(value);
}
