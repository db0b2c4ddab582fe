import { type PointTest, widthAt } from './glob-class.ts';
import type { GlobPiece } from './glob-parse.ts';
import { compileSegment } from './glob-segment.ts';

/** The classes of POSIX as Git knows them: of ASCII characters. */
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex -- The class consists of them.
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

const slash = 0x2f;
const anyPoint: GlobPiece = { kind: 'point', accepts: () => true };
const pointInName: GlobPiece = { kind: 'point', accepts: (point) => point !== slash };
const star: GlobPiece = { kind: 'star' };
const starInName: GlobPiece = { kind: 'group', repeat: '*', options: [[pointInName]] };
/** Any number of directories, also none, each with its slash. */
const directories: GlobPiece = {
  kind: 'group',
  repeat: '?',
  options: [[star, { kind: 'literal', text: '/' }]],
};

/** The bracket expression at `start`, with the position after it; undefined when it is not valid. */
function readBrackets(
  text: string,
  start: number,
): { readonly accepts: PointTest; readonly end: number } | undefined {
  let at = start + 1;
  const isNegated = text[at] === '!' || text[at] === '^';
  if (isNegated) at += 1;
  const first = at;
  const tests: PointTest[] = [];
  // The character that a following dash makes the start of a range.
  let previous: number | undefined;
  for (; at === first || text[at] !== ']'; at += widthAt(text, at)) {
    if (at >= text.length) return undefined;
    if (text[at] === '-' && previous !== undefined && at + 1 < text.length && text[at + 1] !== ']') {
      at += text[at + 1] === '\\' ? 2 : 1;
      const from = previous;
      const to = text.codePointAt(at);
      if (to === undefined) return undefined;
      tests.push((point) => point >= from && point <= to);
      previous = undefined;
      continue;
    }
    if (text[at] === '[' && text[at + 1] === ':') {
      const close = text.indexOf(']', at + 2);
      if (close === -1) return undefined;
      if (close > at + 2 && text[close - 1] === ':') {
        const name = text.slice(at + 2, close - 1);
        const members = Object.hasOwn(classes, name) ? classes[name] : undefined;
        if (members === undefined) return undefined;
        tests.push((point) => members.test(String.fromCodePoint(point)));
        previous = undefined;
        at = close;
        continue;
      }
    }
    if (text[at] === '\\') at += 1;
    const member = text.codePointAt(at);
    if (member === undefined) return undefined;
    tests.push((point) => point === member);
    previous = member;
  }
  return {
    accepts: (point) => point !== slash && tests.some((test) => test(point)) !== isNegated,
    end: at + 1,
  };
}

/** The pieces of a pattern; undefined when it is not valid, and so matches nothing. */
function parsePieces(text: string, isPath: boolean): readonly GlobPiece[] | undefined {
  const pieces: GlobPiece[] = [];
  let literal = '';
  const add = (piece?: GlobPiece): void => {
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    literal = '';
    if (piece !== undefined) pieces.push(piece);
  };
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? '';
    if (character === '*') {
      const start = at;
      while (text[at] === '*') at += 1;
      const crosses =
        at - start > 1 &&
        (start === 0 || text[start - 1] === '/') &&
        (at === text.length || text[at] === '/' || text.startsWith('\\/', at));
      if (!isPath) add(star);
      else if (!crosses) add(starInName);
      else if (text[at] === '/') {
        add(directories);
        at += 1;
      } else add(star);
    } else if (character === '?') {
      add(isPath ? pointInName : anyPoint);
      at += 1;
    } else if (character === '[') {
      const brackets = readBrackets(text, at);
      if (brackets === undefined) return undefined;
      add({ kind: 'point', accepts: brackets.accepts });
      at = brackets.end;
    } else {
      if (character === '\\') at += 1;
      if (at === text.length) return undefined;
      literal += text[at];
      at += 1;
    }
  }
  add();
  return pieces;
}

/** The start of a pattern up to its first wildcard or escape. */
function literalStart(text: string): string {
  const special = text.search(/[*?[\\]/);
  return special === -1 ? text : text.slice(0, special);
}

/** A test that no name passes, for patterns that are not valid. */
const nothing = (): boolean => false;

/**
 * A test for names, from a pattern without a slash. Its time is linear in the name, whatever the pattern.
 * @returns a string for a pattern without wildcards: the one name that it matches.
 */
export function compileNamePattern(text: string): string | ((name: string) => boolean) {
  if (literalStart(text) === text) return text;
  const pieces = parsePieces(text, false);
  return pieces === undefined ? nothing : compileSegment(pieces, undefined);
}

/**
 * A test for paths, from a pattern with a slash. Its time is linear in the path, whatever the pattern. As in Git, the
 * literal start is compared first and the rest is a pattern of its own: two stars right after it cross directories.
 */
export function compilePathPattern(text: string): (path: string) => boolean {
  const anchored = text.startsWith('/') ? text.slice(1) : text;
  const start = literalStart(anchored);
  if (start === anchored) return (path) => path === anchored;
  const pieces = parsePieces(anchored.slice(start.length), true);
  if (pieces === undefined) return nothing;
  const matchesRest = compileSegment(pieces, undefined);
  return (path) => path.startsWith(start) && matchesRest(path.slice(start.length));
}
