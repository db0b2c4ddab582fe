import { byteOrderMark } from '../../internal/index.ts';

/** One part of a text without carriage returns before line feeds, and what takes its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly put: PreparedText;
}

/** What takes the place of a text. Only what differs from that is changed. */
export interface PreparedText {
  /** The lengths of what old and new text have in common at their start and end: it stays as it is, with its line endings. */
  readonly before: number;
  readonly after: number;
  /** What differs, as given and with either line ending. `given` is used only where the old text has no line endings. */
  readonly given: string;
  readonly lineFeeds: string;
  readonly carriageReturns: string;
}

/** Prepares what takes the place of `oldText`, which has no carriage returns before line feeds. */
export function preparedText(oldText: string, given: string): PreparedText {
  const whole = toLineFeeds(given);
  const shorter = Math.min(oldText.length, whole.length);
  let before = 0;
  while (before < shorter && oldText[before] === whole[before]) before += 1;
  let after = 0;
  while (after < shorter - before && oldText.at(-1 - after) === whole.at(-1 - after)) after += 1;
  const lineFeeds = whole.slice(before, whole.length - after);
  return {
    before,
    after,
    given: given.slice(before, given.length - after),
    lineFeeds,
    carriageReturns: lineFeeds.replaceAll('\n', '\r\n'),
  };
}

/** The text without carriage returns before line feeds. */
export function toLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** Maps positions in the text without carriage returns before line feeds, in ascending order, to positions in the original. */
function originalPositions(original: string): (position: number) => number {
  let carriageReturns = 0;
  let next = original.indexOf('\r\n');
  return (position) => {
    while (next !== -1 && next - carriageReturns < position) {
      carriageReturns += 1;
      next = original.indexOf('\r\n', next + 2);
    }
    return position + carriageReturns;
  };
}

/** The more frequent line ending; undefined when there are no line endings. A tie goes to the line feed. */
function frequentEnding(original: string, withLineFeeds: string): '\n' | '\r\n' | undefined {
  const carriageReturns = original.length - withLineFeeds.length;
  let lineFeeds = -carriageReturns;
  for (let at = withLineFeeds.indexOf('\n'); at !== -1; at = withLineFeeds.indexOf('\n', at + 1))
    lineFeeds += 1;
  if (carriageReturns === 0 && lineFeeds === 0) return undefined;
  return carriageReturns > lineFeeds ? '\r\n' : '\n';
}

/** The replacement with the line ending of the first line it replaces, else the more frequent one of the file. */
function withEndings(put: PreparedText, replaced: string, frequent: '\n' | '\r\n' | undefined): string {
  const newline = replaced.indexOf('\n');
  const own = newline === -1 ? undefined : replaced[newline - 1] === '\r' ? '\r\n' : '\n';
  const ending = own ?? frequent;
  if (ending === undefined) return put.given;
  return ending === '\n' ? put.lineFeeds : put.carriageReturns;
}

function leadingMarks(text: string): number {
  let marks = 0;
  while (text[marks] === byteOrderMark) marks += 1;
  return marks;
}

/** The edited text with the byte order mark that it began with, once. */
export function withMarkOf(content: string, edited: string): string {
  const before = leadingMarks(content);
  if (before === 0) return edited;
  const after = leadingMarks(edited);
  return after === 0 ? byteOrderMark + edited : edited.slice(Math.max(0, after - before));
}

/**
 * Puts texts in the place of others, and leaves everything else as it is, byte for byte. Line endings of what is put become those of the first
 * line that it replaces, else the more frequent ones of the whole.
 *
 * @param text `content` without carriage returns before line feeds: positions are positions in it.
 * @param replacements in order, not overlapping.
 */
export function spliceText(content: string, text: string, replacements: Iterable<Replacement>): string {
  const frequent = frequentEnding(content, text);
  const toOriginal = originalPositions(content);
  let copiedTo = 0;
  let edited = '';
  for (const { start: textStart, end: textEnd, put } of replacements) {
    const start = toOriginal(textStart);
    const changeStart = toOriginal(textStart + put.before);
    const changeEnd = toOriginal(textEnd - put.after);
    const end = toOriginal(textEnd);
    edited += content.slice(copiedTo, changeStart) + withEndings(put, content.slice(start, end), frequent);
    copiedTo = changeEnd;
  }
  return edited + content.slice(copiedTo);
}
