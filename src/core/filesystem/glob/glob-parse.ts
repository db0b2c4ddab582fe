import { closingBracket, escapedAt, type PatternProblem, type PointTest, readClass } from './glob-class.ts';

/** One piece of a segment of a pattern. */
export type GlobPiece =
  | { readonly kind: 'literal'; readonly text: string }
  /** Exactly one code point. */
  | { readonly kind: 'point'; readonly accepts: PointTest }
  /** Any number of code points, including none. */
  | { readonly kind: 'star' }
  /** One of the options: once for `@`, at most once for `?`, any number of times for `*`, at least once for `+`. */
  | {
      readonly kind: 'group';
      readonly repeat: '@' | '?' | '*' | '+';
      readonly options: readonly (readonly GlobPiece[])[];
    };

/** The pieces up to a position of the pattern. */
interface Parsed {
  readonly pieces: readonly GlobPiece[];
  readonly end: number;
}

const anyPoint: GlobPiece = { kind: 'point', accepts: () => true };

function isRepeat(character: string | undefined): character is '@' | '?' | '*' | '+' {
  return character === '@' || character === '?' || character === '*' || character === '+';
}

function unescaped(character: string): string {
  return `Write "\\${character}" for a name that contains it`;
}

/** The group whose repeat character is at `start`; `end` is after its `)`. */
function parseGroup(pattern: string, start: number, problem: PatternProblem): Parsed {
  const repeat = pattern[start];
  const options: (readonly GlobPiece[])[] = [];
  for (let position = start + 2; isRepeat(repeat); ) {
    const option = parsePieces(pattern, position, true, problem);
    options.push(option.pieces);
    position = option.end + 1;
    if (pattern[option.end] === ')') return { pieces: [{ kind: 'group', repeat, options }], end: position };
    if (option.end >= pattern.length) break;
  }
  throw problem(
    `has "${repeat}(" without ")" in the same name. A group cannot hold "/": use braces for that. ${unescaped('(')}.`,
  );
}

/** Pieces from `start` to the end or, in a group, to the `|` or `)` that ends one of its options. */
function parsePieces(pattern: string, start: number, inGroup: boolean, problem: PatternProblem): Parsed {
  const pieces: GlobPiece[] = [];
  let literal = '';
  const add = (...added: readonly GlobPiece[]): void => {
    // An empty literal beside a star would keep compileSegment from recognizing the simple form "*.ts".
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    literal = '';
    for (const piece of added) {
      if (piece.kind !== 'star' || pieces.at(-1)?.kind !== 'star') pieces.push(piece);
    }
  };
  let position = start;
  while (position < pattern.length) {
    const character = pattern[position] ?? '';
    if (pattern[position + 1] === '(' && character === '!') {
      throw problem(
        'has "!(", which is not supported: name what is to match. Write "!\\(" for a name that contains it.',
      );
    }
    if (pattern[position + 1] === '(' && isRepeat(character)) {
      const group = parseGroup(pattern, position, problem);
      add(...group.pieces);
      position = group.end;
    } else if (inGroup && (character === '|' || character === ')')) break;
    else if (character === '|' || (inGroup && character === '(')) {
      throw problem(
        character === '|'
          ? `has "|" outside of a group. Write "@(a|b)" or "{a,b}" for one of several. ${unescaped('|')}.`
          : `has "(" in a group, without one of @ ? * + before it. ${unescaped('(')}.`,
      );
    } else if (character === '[') {
      const close = closingBracket(pattern, position);
      if (close === -1) throw problem(`has "[" without "]" in the same name. Close it. ${unescaped('[')}.`);
      add({ kind: 'point', accepts: readClass(pattern, position, close, problem) });
      position = close + 1;
    } else if (character === '*' || character === '?') {
      add(character === '*' ? { kind: 'star' } : anyPoint);
      position += 1;
    } else {
      if (character === '\\') position = escapedAt(pattern, position, problem);
      literal += pattern[position];
      position += 1;
    }
  }
  add();
  return { pieces, end: position };
}

/**
 * The pieces of a segment of a pattern, which holds no `/` and no braces.
 * @throws {FilesystemError} for invalid or unsupported syntax.
 */
export function parseSegment(segment: string, problem: PatternProblem): readonly GlobPiece[] {
  return parsePieces(segment, 0, false, problem).pieces;
}
