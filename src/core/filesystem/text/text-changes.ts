import { type Edit, editScript } from '../../internal/index.ts';
import { coversRange, missingFrom, partsOf, rangesOf, type TextRanges } from './text-ranges.ts';

/** One part of a text in whose place another text is: positions in both, in UTF-16 units. One of the two may be empty. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** More edits than these are one change, from the first to the last of them. */
const maxLineEdits = 512;
const maxWordEdits = 256;

/**
 * What differs between two texts, in order: lines are compared, then words within a line in whose place one other line is. What is the
 * same at the start and end of a change is not part of it.
 */
export function textChanges(before: string, after: string): readonly TextChange[] {
  const changes = differences(
    before,
    after,
    { start: 0, end: before.length, newStart: 0, newEnd: after.length },
    { split: linesOf, isBorder: (unit) => unit === '\n', maxEdits: maxLineEdits },
  );
  return changes.flatMap((change) => {
    const isWithinLine =
      isOneLine(before, change.start, change.end) && isOneLine(after, change.newStart, change.newEnd);
    return isWithinLine
      ? differences(before, after, change, { split: wordsOf, isBorder: undefined, maxEdits: maxWordEdits })
      : [change];
  });
}

/** The pieces that are compared: how a text is split, what ends a piece, and how many edits there may be. */
interface Pieces {
  readonly split: (text: string) => readonly string[];
  /** Whether a unit ends a piece, so that the compared part is widened to whole pieces; undefined: it is not. */
  readonly isBorder: ((unit: string | undefined) => boolean) | undefined;
  readonly maxEdits: number;
}

function differences(
  before: string,
  after: string,
  within: TextChange,
  { split, isBorder, maxEdits }: Pieces,
): readonly TextChange[] {
  const whole = trimmed(before, after, within);
  if (whole.start === whole.end && whole.newStart === whole.newEnd) return [];
  if (whole.start === whole.end || whole.newStart === whole.newEnd) return [whole];
  let { start, end, newStart, newEnd } = whole;
  if (isBorder !== undefined) {
    for (; start > within.start && !isBorder(before[start - 1]); start -= 1) newStart -= 1;
    for (; end < within.end && !isBorder(before[end - 1]); end += 1) newEnd += 1;
  }
  const old = split(before.slice(start, end));
  const fresh = split(after.slice(newStart, newEnd));
  const edits = editScript(old, fresh, Math.min(maxEdits, old.length + fresh.length)) ?? inPlace(old, fresh);
  if (edits === undefined) return [whole];
  const changes: TextChange[] = [];
  let [at, newAt, oldPiece, freshPiece] = [start, newStart, 0, 0];
  let open: { readonly start: number; readonly newStart: number } | undefined;
  const close = (): void => {
    if (open !== undefined) changes.push(trimmed(before, after, { ...open, end: at, newEnd: newAt }));
    open = undefined;
  };
  for (const edit of edits) {
    if (edit === 'same') close();
    else open ??= { start: at, newStart: newAt };
    if (edit !== 'added') at += old[oldPiece++]?.length ?? 0;
    if (edit !== 'removed') newAt += fresh[freshPiece++]?.length ?? 0;
  }
  close();
  return changes;
}

/** The edits of a text whose pieces were changed in very many places, and none added or removed; undefined for another. */
function inPlace(old: readonly string[], fresh: readonly string[]): readonly Edit[] | undefined {
  if (old.length !== fresh.length) return undefined;
  return old.flatMap((piece, index): readonly Edit[] =>
    piece === fresh[index] ? ['same'] : ['removed', 'added'],
  );
}

/** The change without what is the same at its start and end. */
function trimmed(before: string, after: string, change: TextChange): TextChange {
  let { start, end, newStart, newEnd } = change;
  while (start < end && newStart < newEnd && before.charCodeAt(start) === after.charCodeAt(newStart)) {
    start += 1;
    newStart += 1;
  }
  while (start < end && newStart < newEnd && before.charCodeAt(end - 1) === after.charCodeAt(newEnd - 1)) {
    end -= 1;
    newEnd -= 1;
  }
  return { start, end, newStart, newEnd };
}

function isOneLine(text: string, start: number, end: number): boolean {
  const newline = text.indexOf('\n', start);
  return newline === -1 || newline >= end - 1;
}

/** The lines of a text, each with the line feed that ends it. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
}

/** What a change of a text needs to have been read, and what of its result is known when that was so. */
export interface JudgedChanges {
  /** The parts of the text before that are changed and were not read; a position, where text was put between two parts that were not read, as the character after it. */
  readonly unread: TextRanges;
  /** The parts of the text after that are known: what was read and stays, and what was put in. */
  readonly known: TextRanges;
}

/**
 * Compares the parts of a text that were read with what became of it. Where a change could be in several places, because what is beside it is the same, it is
 * taken to be where the text was read.
 * @param read what was read of the text before.
 */
export function judgeChanges(before: string, after: string, read: TextRanges): JudgedChanges {
  const changes = textChanges(before, after);
  const unread: (readonly [number, number])[] = [];
  const known: (readonly [number, number])[] = [];
  let [at, newAt] = [0, 0];
  const keep = (until: number): void => {
    for (const [start, end] of partsOf(read)) {
      const from = Math.max(start, at);
      const to = Math.min(end, until);
      if (from < to) known.push([newAt + from - at, newAt + to - at]);
    }
  };
  for (const [index, found] of changes.entries()) {
    const change = settled(
      before,
      after,
      found,
      { from: at, until: changes[index + 1]?.start ?? before.length },
      read,
    );
    keep(change.start);
    known.push([change.newStart, change.newEnd]);
    unread.push(...partsOf(unreadOf(before, after, change, read)));
    [at, newAt] = [change.end, change.newEnd];
  }
  keep(before.length);
  return { unread: rangesOf(unread), known: rangesOf(known) };
}

function unreadOf(before: string, after: string, change: TextChange, read: TextRanges): TextRanges {
  if (change.start < change.end) return missingFrom(read, change.start, change.end);
  const { start: at } = change;
  return isPlaceRead(before, after, change, read) ? [] : [at, at + 1];
}

/**
 * Whether text may be put at a place: at the end of the text; before a character that was read; and after one, but for text in front of a line that was not
 * read.
 */
function isPlaceRead(
  before: string,
  after: string,
  { start: at, newEnd }: TextChange,
  read: TextRanges,
): boolean {
  if (at === before.length || coversRange(read, at, at + 1)) return true;
  if (at === 0 || !coversRange(read, at - 1, at)) return false;
  return before[at - 1] !== '\n' || after[newEnd - 1] === '\n';
}

/** A change that only removes or only adds is moved to a place where the text was read, as far as the outcome is the same. Bounded: text that repeats may be long. */
const maxMoved = 65_536;

function settled(
  before: string,
  after: string,
  change: TextChange,
  space: { readonly from: number; readonly until: number },
  read: TextRanges,
): TextChange {
  const isRemoval = change.newStart === change.newEnd;
  if (change.start !== change.end && !isRemoval) return change;
  const isRead = (moved: TextChange): boolean => unreadOf(before, after, moved, read).length === 0;
  const moved = (by: number): TextChange => ({
    start: change.start + by,
    end: change.end + by,
    newStart: change.newStart + by,
    newEnd: change.newEnd + by,
  });
  if (isRead(change)) return change;
  // What is removed or added, by its position.
  const [text, start, end] = isRemoval
    ? [before, change.start, change.end]
    : [after, change.newStart, change.newEnd];
  const fewest = Math.max(space.from - change.start, -maxMoved);
  for (let by = -1; by >= fewest && text[start + by] === text[end + by]; by -= 1) {
    if (isRead(moved(by))) return moved(by);
  }
  const most = Math.min(space.until - change.end, maxMoved);
  for (let by = 1; by <= most && text[start + by - 1] === text[end + by - 1]; by += 1) {
    if (isRead(moved(by))) return moved(by);
  }
  return change;
}
