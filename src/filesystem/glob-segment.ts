import { closingBracket } from './glob-braces.ts';

/** One step of a segment pattern. Characters are whole code points. */
type Token =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

type ClassToken = Extract<Token, { readonly kind: 'class' }>;

function widthAt(name: string, position: number): number {
  return (name.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
}

function readClass(pattern: string, start: number, end: number): ClassToken {
  const negated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const points: { readonly value: number; readonly isEscaped: boolean }[] = [];
  for (let position = start + (negated ? 2 : 1); position < end; ) {
    const isEscaped = pattern[position] === '\\';
    if (isEscaped) position += 1;
    points.push({ value: pattern.codePointAt(position) ?? 0, isEscaped });
    position += widthAt(pattern, position);
  }
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < points.length; index += 1) {
    const first = points[index]?.value ?? 0;
    const dash = points[index + 1];
    const last = points[index + 2];
    if (dash?.value === 0x2d && !dash.isEscaped && last !== undefined) {
      ranges.push([first, last.value]);
      index += 2;
    } else ranges.push([first, first]);
  }
  return { kind: 'class', negated, ranges };
}

function tokenize(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  let literal = '';
  const add = (token: Token): void => {
    if (literal !== '') tokens.push({ kind: 'literal', text: literal });
    literal = '';
    if (token.kind !== 'star' || tokens.at(-1)?.kind !== 'star') tokens.push(token);
  };
  for (let position = 0; position < pattern.length; ) {
    const character = pattern[position];
    const close = character === '[' ? closingBracket(pattern, position) : -1;
    if (character === '*') add({ kind: 'star' });
    else if (character === '?') add({ kind: 'any' });
    else if (close !== -1) add(readClass(pattern, position, close));
    else {
      const escaped = character === '\\' && position + 1 < pattern.length ? 1 : 0;
      literal += pattern[position + escaped] ?? '';
      position += escaped + 1;
      continue;
    }
    position = close === -1 ? position + 1 : close + 1;
  }
  if (literal !== '') tokens.push({ kind: 'literal', text: literal });
  return tokens;
}

/** The position behind what the token consumes at `position`, or -1. Not for stars. */
function consume(token: Token, name: string, position: number): number {
  if (token.kind === 'literal')
    return name.startsWith(token.text, position) ? position + token.text.length : -1;
  if (position >= name.length) return -1;
  if (token.kind === 'class') {
    const point = name.codePointAt(position) ?? 0;
    const isListed = token.ranges.some(([first, last]) => point >= first && point <= last);
    if (isListed === token.negated) return -1;
  }
  return position + widthAt(name, position);
}

function matches(tokens: readonly Token[], name: string): boolean {
  let index = 0;
  let position = 0;
  let afterStar = -1;
  let starPosition = 0;
  for (;;) {
    const token = tokens[index];
    if (token === undefined && position === name.length) return true;
    if (token?.kind === 'star') {
      index += 1;
      if (index === tokens.length) return true;
      afterStar = index;
      starPosition = position;
      continue;
    }
    const next = token === undefined ? -1 : consume(token, name, position);
    if (next !== -1) {
      index += 1;
      position = next;
      continue;
    }
    if (afterStar === -1 || starPosition >= name.length) return false;
    starPosition += widthAt(name, starPosition);
    index = afterStar;
    position = starPosition;
  }
}

/** The text that a segment pattern stands for when it has no wildcard, else undefined. */
export function literalSegment(pattern: string): string | undefined {
  const tokens = tokenize(pattern);
  const only = tokens[0];
  return tokens.length === 1 && only?.kind === 'literal' ? only.text : undefined;
}

/**
 * A test for one segment of a path. A star is only ever retried from the last one met, so a name of n characters costs at
 * most n times the text after that star.
 */
export function compileSegment(pattern: string): (name: string) => boolean {
  const tokens = tokenize(pattern);
  const [first, second] = tokens;
  if (first === undefined) return (name) => name === '';
  if (tokens.length === 1 && first.kind === 'literal') return (name) => name === first.text;
  if (tokens.length === 1 && first.kind === 'star') return () => true;
  if (tokens.length === 2 && first.kind === 'star' && second?.kind === 'literal') {
    return (name) => name.endsWith(second.text);
  }
  return (name) => matches(tokens, name);
}
