import { FileLines } from './file-lines.ts';
import type { Effort } from './find-lines.ts';
import { type HunkLine, parseDiff, readCreation } from './parse-diff.ts';
import { type PlacedHunk, placeHunks } from './place-hunks.ts';
import { DiffRefusal } from './refusal.ts';
import { Search } from './search.ts';

/** A diff is refused. */
interface RefusedDiff {
  readonly kind: 'refused';
  readonly message: string;
}

/** A text after a diff, or why the diff is refused. */
export type AppliedDiff =
  | {
      readonly kind: 'applied';
      readonly text: string;
      readonly hunks: number;
      readonly added: number;
      readonly removed: number;
      /** Numbers of the hunks that differ from the file in blanks at line ends. */
      readonly loose: readonly number[];
    }
  | RefusedDiff;

/** Comparisons of lines that a diff may take: nothing else runs meanwhile. */
export const maxComparisons = 50_000_000;

/**
 * Applies a V4A diff without its header to a text: all of its hunks, or none. Lines that stay keep their bytes; added ones get the line ending of the first line
 * that they replace, else of the line before, else of the one after.
 *
 * @param name the file in quotes, for messages.
 * @param effort is spent.
 * @see docs/spec/tools.md §10
 */
export function applyDiff(
  content: string,
  diff: string,
  name: string,
  effort: Effort = { left: maxComparisons },
): AppliedDiff {
  return refusing((): AppliedDiff => {
    const hunks = parseDiff(diff);
    const file = new FileLines(content);
    const placed = placeHunks(new Search(file, name, hunks, effort), hunks);
    const changes = placed.flatMap(changesOf);
    const text = changedText(file, changes);
    if (text === content)
      throw new DiffRefusal(`The diff changes nothing: what it adds is in ${name} already.`);
    return {
      kind: 'applied',
      text,
      hunks: hunks.length,
      added: changes.reduce((sum, { added }) => sum + added.length, 0),
      removed: changes.reduce((sum, { end, start }) => sum + end - start, 0),
      loose: placed.flatMap(({ hunk, isLoose }) => (isLoose ? [hunk.number] : [])),
    };
  });
}

/** The text of a new file, or why its diff is refused. */
export function createdText(diff: string): { readonly kind: 'created'; readonly text: string } | RefusedDiff {
  return refusing(() => ({ kind: 'created', text: readCreation(diff) }));
}

function refusing<Result>(work: () => Result): Result | RefusedDiff {
  try {
    return work();
  } catch (refusal) {
    if (refusal instanceof DiffRefusal) return { kind: 'refused', message: refusal.message };
    throw refusal;
  }
}

/** Lines of the file, from `start` to before `end`, and what takes their place. */
interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly added: readonly string[];
}

function changesOf({ at, hunk }: PlacedHunk): readonly LineChange[] {
  const changes: LineChange[] = [];
  let line = at;
  let open: { readonly start: number; readonly added: string[] } | undefined;
  const close = (): void => {
    if (open !== undefined) changes.push({ ...open, end: line });
    open = undefined;
  };
  const take = ({ kind, text }: HunkLine): void => {
    if (kind === 'same') close();
    else open ??= { start: line, added: [] };
    if (kind === 'added') open?.added.push(text);
    else line += 1;
  };
  for (const each of hunk.lines) take(each);
  close();
  return changes;
}

function changedText(file: FileLines, changes: readonly LineChange[]): string {
  const { content, count } = file;
  const frequent = frequentEnding(file);
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, added } of changes) {
    const ending =
      (start < end ? file.endingOf(start) : undefined) ??
      file.endingOf(start - 1) ??
      file.endingOf(start) ??
      frequent;
    if (end < count) {
      parts.push(content.slice(copied, file.startOf(start)));
      for (const line of added) parts.push(line, ending);
    } else if (start === 0) {
      parts.push(content.slice(copied, file.startOf(0)), added.join(ending));
    } else {
      // The last line has no ending: it is that of the line before it which goes.
      const isOpen = start === count;
      parts.push(content.slice(copied, isOpen ? content.length : file.endOf(start - 1)));
      for (const [index, line] of added.entries())
        parts.push((index === 0 ? file.endingOf(start - 1) : undefined) ?? ending, line);
    }
    copied = end < count ? file.startOf(end) : content.length;
  }
  parts.push(content.slice(copied));
  return parts.join('');
}

/** The more frequent line ending; the line feed when there is none, or as many. */
function frequentEnding({ content, count }: FileLines): string {
  let returns = 0;
  for (let at = content.indexOf('\r\n'); at !== -1; at = content.indexOf('\r\n', at + 2)) returns += 1;
  return returns > count - 1 - returns ? '\r\n' : '\n';
}
