import type { CommentStyle } from './file-kind.ts';

/** A comment that marks unfinished work. */
export interface OpenMark {
  /** `TODO`, `FIXME`, `HACK` or `XXX`. */
  readonly mark: string;
  /** Text of the note, one line, without comment characters; may be empty. */
  readonly text: string;
}

const word = /\b(TODO|FIXME|HACK|XXX)\b/;
/** Text allowed between the start of a comment and its mark, by comment style; the line up to the mark must end in it. */
const leaders: Readonly<Record<CommentStyle, RegExp>> = {
  slash: /(?:\/\/+!?|\/\*+!?|^\s*\*)\s*@?$/,
  hash: /#+\s*@?$/,
  dash: /--+\s*@?$/,
  markup: /(?:<!--|^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[ \]\s+)?|^\s*\*{0,2}|\/\/|\/\*)\s*$/,
  none: /(?:\/\/|\/\*|#|<!--|--|;)\s*$/,
};

/**
 * The open mark in one line, if there is one. Only a mark that begins its comment counts: a word in running prose, in an
 * identifier or in a string literal does not.
 */
export function findOpenMark(line: string, style: CommentStyle): OpenMark | undefined {
  const match = word.exec(line);
  const mark = match?.[1];
  if (match === null || mark === undefined) return undefined;
  const before = line.slice(0, match.index);
  const after = line.slice(match.index + mark.length);
  if (!leaders[style].test(before) || !/^(?:$|[\s:(!-])/.test(after)) return undefined;
  if (style === 'markup' ? isProseMention(before, after) : hasOpenQuote(before)) return undefined;
  return { mark, text: cleanText(after) };
}

/** In prose a mark needs a colon, an owner or a comment around it; `TODO lists are fun` is a sentence. */
function isProseMention(before: string, after: string): boolean {
  return !/(?:<!--|\/\/|\/\*)\s*$/.test(before) && !/^(?:\([^)]*\))?\*{0,2}:/.test(after);
}

/** True when the text up to the mark opens a quote that it does not close: the mark is inside a string. */
function hasOpenQuote(before: string): boolean {
  let open = '';
  for (let index = 0; index < before.length; index++) {
    const character = before.charAt(index);
    if (character === '\\') index++;
    else if (open !== '') open = character === open ? '' : open;
    else if (character === '"' || character === '`') open = character;
    else if (character === "'" && !/[\p{L}\p{N}]/u.test(before.charAt(index - 1))) open = character;
    else if (before.startsWith('//', index) || before.startsWith('/*', index)) return false;
  }
  return open !== '';
}

function cleanText(after: string): string {
  return after
    .replace(/^(\([^)]*\))?\s*[:!-]?\s*/, (_whole, owner: string | undefined) =>
      owner === undefined ? '' : `${owner} `,
    )
    .replace(/\s*(?:\*\/|-->|\*\*).*$/s, '')
    .trim();
}
