import type { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';

/** Creates the error for an invalid pattern; `problem` continues the sentence that names the pattern. */
export type PatternProblem = (problem: string) => FilesystemError;

/** One bracket expression: a test for one code point. */
export type PointTest = (point: number) => boolean;

/**
 * The POSIX classes, defined by Unicode properties as in other JavaScript matchers. `punct` includes symbols, as in the C locale.
 * Each is made where it is used: reading all of them takes as long as reading a few hundred functions.
 */
const classes: Readonly<Record<string, () => RegExp>> = {
  alnum: () => /[\p{L}\p{Nl}\p{Nd}]/u,
  alpha: () => /[\p{L}\p{Nl}]/u,
  // oxlint-disable-next-line no-control-regex -- The class consists of them.
  ascii: () => /[\x00-\x7f]/u,
  blank: () => /[\p{Zs}\t]/u,
  cntrl: () => /\p{Cc}/u,
  digit: () => /\p{Nd}/u,
  graph: () => /[^\p{Z}\p{C}]/u,
  lower: () => /\p{Ll}/u,
  print: () => /[^\p{C}]/u,
  punct: () => /[\p{P}\p{S}]/u,
  space: () => /[\p{Z}\t\r\n\v\f]/u,
  upper: () => /\p{Lu}/u,
  word: () => /[\p{L}\p{Nl}\p{Nd}\p{Pc}]/u,
  xdigit: () => /[0-9A-Fa-f]/u,
};

/** The number of UTF-16 units of the code point at a position. */
export function widthAt(text: string, position: number): number {
  return (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
}

/** The position after a bracketed name that starts at `start`, such as `[:alpha:]`; -1 when it is not closed. */
function afterNamed(pattern: string, start: number): number {
  const kind = pattern[start + 1];
  if (pattern[start] !== '[' || kind === undefined || !':.='.includes(kind)) return -1;
  const end = pattern.indexOf(`${kind}]`, start + 2);
  return end === -1 || pattern.slice(start, end).includes('/') ? -1 : end + 2;
}

/**
 * The position of the `]` that ends the bracket expression at `start`, or -1. A `]` in first position is literal;
 * an expression does not extend across a `/`.
 */
export function closingBracket(pattern: string, start: number): number {
  let position = start + 1;
  if (pattern[position] === '!' || pattern[position] === '^') position += 1;
  for (let isFirst = true; position < pattern.length; isFirst = false) {
    const character = pattern[position];
    if (character === '/') return -1;
    if (character === ']' && !isFirst) return position;
    const next = afterNamed(pattern, position);
    if (next === -1) position += character === '\\' ? 2 : 1;
    else position = next;
  }
  return -1;
}

/**
 * The position of the character that a backslash at `position` makes literal.
 * @throws {FilesystemError} where there is none, and where a backslash is more likely to separate directories.
 */
export function escapedAt(pattern: string, position: number, problem: PatternProblem): number {
  const point = pattern.codePointAt(position + 1);
  const character = point === undefined ? '' : String.fromCodePoint(point);
  if (character !== '' && !/[\\/\p{L}\p{N}]/u.test(character)) return position + 1;
  throw problem(
    `has a backslash before ${character === '' ? 'the end of a name' : quoteText(character)}. ` +
      'Separate directories with "/"; a backslash only makes punctuation literal, as in "\\*".',
  );
}

/** The test of a named class. */
function namedClass(name: string, problem: PatternProblem): PointTest {
  const kind = name[1];
  const expression = Object.hasOwn(classes, name.slice(2, -2)) ? classes[name.slice(2, -2)]?.() : undefined;
  if (kind === ':' && expression !== undefined) {
    return (point) => expression.test(String.fromCodePoint(point));
  }
  throw problem(
    kind === ':'
      ? `has an unknown class ${quoteText(name)}; there are ${Object.keys(classes).join(', ')}.`
      : `has ${quoteText(name)}, a collating element, which is not supported. Write the characters themselves.`,
  );
}

interface Member {
  readonly point: number;
  readonly isEscaped: boolean;
}

/** The tests of single characters and ranges. */
function rangeTests(members: readonly Member[], problem: PatternProblem): readonly PointTest[] {
  const tests: PointTest[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const first = members[index]?.point ?? 0;
    const dash = members[index + 1];
    const last = members[index + 2]?.point;
    if (dash?.point !== 0x2d || dash.isEscaped || last === undefined) {
      tests.push((point) => point === first);
      continue;
    }
    if (last < first) {
      const range = `${String.fromCodePoint(first)}-${String.fromCodePoint(last)}`;
      throw problem(`has the range ${quoteText(range)}, which is empty. Put the lower character first.`);
    }
    tests.push((point) => point >= first && point <= last);
    index += 2;
  }
  return tests;
}

/**
 * Reads the bracket expression from `start` to its closing bracket at `end`.
 * @throws {FilesystemError} for unknown classes, collating elements, empty ranges, and `[:alpha:]` without outer brackets.
 */
export function readClass(pattern: string, start: number, end: number, problem: PatternProblem): PointTest {
  const expression = pattern.slice(start, end + 1);
  if (/^\[:[^\]]*:\]$/.test(expression)) {
    throw problem(`has ${quoteText(expression)}; write a class in brackets of its own: "[${expression}]".`);
  }
  if (/\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(expression)) {
    throw problem(
      `has ${quoteText(expression)}, braces within brackets. Write "\\{" for the character itself.`,
    );
  }
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const tests: PointTest[] = [];
  let members: Member[] = [];
  for (let position = start + (isNegated ? 2 : 1); position < end; ) {
    const afterName = afterNamed(pattern, position);
    if (afterName !== -1 && afterName <= end) {
      const name = pattern.slice(position, afterName);
      const isRange = members.length > 1 && members.at(-1)?.point === 0x2d && !members.at(-1)?.isEscaped;
      if (isRange || (pattern[afterName] === '-' && afterName + 1 < end)) {
        throw problem(`has a range that starts or ends with ${quoteText(name)}. Use single characters.`);
      }
      tests.push(...rangeTests(members, problem), namedClass(name, problem));
      members = [];
      position = afterName;
      continue;
    }
    if (pattern.startsWith('[:', position)) throw problem('has "[:" without ":]" in a bracket expression.');
    const isEscaped = pattern[position] === '\\';
    if (isEscaped) position = escapedAt(pattern, position, problem);
    members.push({ point: pattern.codePointAt(position) ?? 0, isEscaped });
    position += widthAt(pattern, position);
  }
  tests.push(...rangeTests(members, problem));
  return (point) => tests.some((test) => test(point)) !== isNegated;
}
