import { quote } from '../text.ts';
import { DiffRefusal } from './refusal.ts';

/** One line of a hunk, without the character that says what it is. */
export interface HunkLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A line of the file that a hunk comes after. */
export interface Anchor {
  readonly text: string;
  /** Its number in the diff, from 1. */
  readonly line: number;
}

/** One change of a diff: lines that follow each other in the file, some of them removed or added. */
export interface Hunk {
  /** From 1. */
  readonly number: number;
  /** The number of its first line in the diff, from 1. */
  readonly line: number;
  readonly anchors: readonly Anchor[];
  readonly lines: readonly HunkLine[];
  /** Whether `*** End of File` follows. */
  readonly isAtEnd: boolean;
}

const endOfFile = '*** End of File';
const kinds: ReadonlyMap<string | undefined, HunkLine['kind']> = new Map([
  [' ', 'same'],
  ['-', 'removed'],
  ['+', 'added'],
]);

/** A line number as `diff -u` writes it. */
const lineNumbers = /^-\d+(,\d+)? \+\d+(,\d+)? @@/;

/** The lines of a diff. A newline at its end begins no other line. */
export function linesOfDiff(diff: string): readonly string[] {
  const lines = diff.replaceAll('\r\n', '\n').replace(/\r$/, '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A hunk that is being read. */
interface Draft {
  readonly line: number;
  readonly anchors: Anchor[];
  readonly lines: HunkLine[];
  isAtEnd: boolean;
}

/**
 * Reads the hunks of a V4A diff without its header.
 * @throws {DiffRefusal} for what is not one.
 */
export function parseDiff(diff: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let draft: Draft | undefined;
  const close = (): void => {
    if (draft !== undefined) hunks.push(finished(draft, hunks.length + 1));
  };
  for (const [index, text] of linesOfDiff(diff).entries()) {
    const line = index + 1;
    if (draft?.isAtEnd === true) {
      throw new DiffRefusal(
        `Line ${line} of the diff comes after "${endOfFile}", and nothing can. Put that hunk before, or leave "${endOfFile}" out.`,
      );
    }
    if (text.startsWith('@@')) {
      // Several lines with "@@" lead to one hunk.
      if (draft === undefined || draft.lines.length > 0) {
        close();
        draft = { line, anchors: [], lines: [], isAtEnd: false };
      }
      const anchor = anchorOf(text, line);
      if (anchor !== undefined) draft.anchors.push(anchor);
      continue;
    }
    draft ??= { line, anchors: [], lines: [], isAtEnd: false };
    if (text === endOfFile) draft.isAtEnd = true;
    else draft.lines.push(hunkLine(text, line));
  }
  close();
  if (hunks.length === 0) {
    throw new DiffRefusal(
      'The diff is empty. Give its hunks: lines that begin with " ", "-" or "+", after "@@" each.',
    );
  }
  return hunks;
}

function anchorOf(text: string, line: number): Anchor | undefined {
  const rest = text.slice(2);
  if (rest.trim() === '') return undefined;
  if (lineNumbers.test(rest.trim())) {
    throw new DiffRefusal(
      `Line ${line} of the diff has line numbers. Write "@@" alone, or "@@ " and a line of the file that comes before the change.`,
    );
  }
  if (!rest.startsWith(' ')) {
    throw new DiffRefusal(
      `Line ${line} of the diff is ${quote(text)}. Write "@@" alone, or "@@", a blank and a whole line of the file.`,
    );
  }
  return { text: rest.slice(1), line };
}

function hunkLine(text: string, line: number): HunkLine {
  if (text === '') return { kind: 'same', text };
  const kind = kinds.get(text[0]);
  if (kind !== undefined) return { kind, text: text.slice(1) };
  throw new DiffRefusal(
    text.startsWith('***')
      ? `Line ${line} of the diff is ${quote(text)}. Give the hunks of one file alone, without such lines; only "${endOfFile}" may follow a hunk.`
      : `Line ${line} of the diff is ${quote(text)}. Every line of a hunk begins with a blank, "-" or "+", which is not part of the file.`,
  );
}

function finished({ line, anchors, lines, isAtEnd }: Draft, number: number): Hunk {
  if (!lines.some(({ kind }) => kind !== 'same')) {
    throw new DiffRefusal(
      `Hunk ${number} (line ${line} of the diff) changes nothing: none of its lines begins with "-" or "+".`,
    );
  }
  return { number, line, anchors, lines, isAtEnd };
}

/**
 * Reads the text of a new file: every line begins with `+`, and lines are joined by a line feed, so that the text ends with one when the last line is a bare `+`.
 * @throws {DiffRefusal} for a line that begins otherwise.
 */
export function readCreation(diff: string): string {
  const lines = linesOfDiff(diff).map((text, index) => {
    if (text.startsWith('+')) return text.slice(1);
    throw new DiffRefusal(
      `Line ${index + 1} of the diff is ${quote(text)}. Every line of a new file begins with "+", which is not part of it.`,
    );
  });
  return lines.join('\n');
}
