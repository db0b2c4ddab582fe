import { quoteText } from '../../internal/index.ts';
import { closingBracket, type PatternProblem } from './glob-class.ts';

/** The maximum number of alternatives that the braces of one pattern may expand to. */
export const maxAlternatives = 64;

/** The position after the part that starts at `start`: an escaped character, a bracket expression, or one character. */
function skipAtom(pattern: string, start: number): number {
  if (pattern[start] === '\\') return start + 2;
  if (pattern[start] !== '[') return start + 1;
  const close = closingBracket(pattern, start);
  return close === -1 ? start + 1 : close + 1;
}

interface BraceGroup {
  readonly end: number;
  readonly options: readonly string[];
}

/** The ends and the step of a range, as in `1..10..2` or `a..e`. */
const numberRange = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?$/;
const letterRange = /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,15}))?$/;

/** The values of a range in order; undefined for more than {@link maxAlternatives}. A step of 0 counts as 1; its sign is ignored. */
function rangeValues(first: number, last: number, step: string | undefined): readonly number[] | undefined {
  const width = Math.abs(Number(step ?? 1)) || 1;
  const count = Math.floor(Math.abs(last - first) / width) + 1;
  if (count > maxAlternatives) return undefined;
  return Array.from({ length: count }, (_, index) => first + (last < first ? -width : width) * index);
}

/** Pads a number with zeros to the given width, the sign included. */
function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0');
}

/** The options of a group without a comma, or `too-many`; undefined when it is not a range. */
function expandRange(text: string): readonly string[] | 'too-many' | undefined {
  const numbers = numberRange.exec(text);
  if (numbers !== null) {
    const [, first = '', last = '', step] = numbers;
    const width = [first, last].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0;
    const values = rangeValues(Number(first), Number(last), step);
    return values?.map((value) => padded(value, width)) ?? 'too-many';
  }
  const letters = letterRange.exec(text);
  if (letters === null) return undefined;
  const [, lowerFirst, lowerLast, upperFirst = '', upperLast = '', step] = letters;
  const [first, last] = [lowerFirst ?? upperFirst, lowerLast ?? upperLast].map((end) => end.charCodeAt(0));
  const values = rangeValues(first ?? 0, last ?? 0, step);
  return values?.map((value) => String.fromCharCode(value)) ?? 'too-many';
}

/**
 * The brace group at `start`; undefined when it expands to too many alternatives.
 * @throws {FilesystemError} for a group that is not closed, or has neither a comma nor a range.
 */
function readGroup(pattern: string, start: number, problem: PatternProblem): BraceGroup | undefined {
  const options: string[] = [];
  let depth = 0;
  let optionStart = start + 1;
  for (let position = start; position < pattern.length; ) {
    const character = pattern[position];
    if (character === '{') depth += 1;
    if (character === ',' && depth === 1) {
      options.push(pattern.slice(optionStart, position));
      optionStart = position + 1;
    }
    if (character === '}') {
      depth -= 1;
      if (depth === 0) {
        options.push(pattern.slice(optionStart, position));
        if (options.length > 1) return { end: position + 1, options };
        const range = expandRange(options.join(''));
        if (range === 'too-many') return undefined;
        if (range !== undefined) return { end: position + 1, options: range };
        const group = quoteText(pattern.slice(start, position + 1));
        throw problem(
          `has ${group}, braces with neither a comma nor a range such as {1..3}. Leave them out, or write "\\{" and "\\}" for a name that contains them.`,
        );
      }
    }
    position = skipAtom(pattern, position);
  }
  throw problem('has "{" without "}". Close it, or write "\\{" for a name that contains it.');
}

/**
 * The patterns without braces that a pattern expands to: `{a,b}c` gives `ac` and `bc`, `v{1..3}` gives `v1`, `v2` and `v3`. Braces
 * nest. Undefined when there would be more than {@link maxAlternatives}.
 * @throws {FilesystemError} for braces that are not closed, or hold neither a comma nor a range.
 */
export function expandBraces(pattern: string, problem: PatternProblem): readonly string[] | undefined {
  const finished = new Set<string>();
  const pending: { readonly text: string; readonly from: number }[] = [{ text: pattern, from: 0 }];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { text, from } = next;
    let position = from;
    while (position < text.length && text[position] !== '{') position = skipAtom(text, position);
    if (position >= text.length) finished.add(text);
    else {
      const group = readGroup(text, position, problem);
      if (group === undefined) return undefined;
      const before = text.slice(0, position);
      const after = text.slice(group.end);
      for (const option of group.options) pending.push({ text: before + option + after, from: position });
    }
    if (finished.size + pending.length > maxAlternatives) return undefined;
  }
  return [...finished];
}
