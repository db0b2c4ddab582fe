import { cutText } from '../../../core/filesystem/index.ts';
import { quote } from '../text.ts';
import type { FileLines } from './file-lines.ts';
import { findLines } from './find-lines.ts';
import type { Anchor, Hunk } from './parse-diff.ts';
import type { Search } from './search.ts';

/** Lines of the file that a message shows, and characters of each. */
const maxShownLines = 6;
const maxShownCharacters = 200;

/** Why a hunk is not found, with the lines of the file that are nearest. */
export function explainMiss(
  search: Search,
  hunk: Hunk,
  sought: readonly string[],
  { from, after }: { readonly from: number; readonly after: number },
): string {
  const { file, name } = search;
  const [first = ''] = sought;
  const what = `Hunk ${hunk.number} (line ${hunk.line} of the diff)`;
  const end = hunk.isAtEnd ? search.find(sought, after) : undefined;
  if (end !== undefined) {
    return `${what} is at line ${end.at + 1} of ${name}, and "*** End of File" says that it is at the end. Leave that line out, or give the last lines of the file:\n${shownLines(file, Math.max(0, file.visibleCount - 3), 3)}`;
  }
  const earlier = after > 0 ? search.find(sought, 0) : undefined;
  if (earlier !== undefined) {
    const reason =
      after > from
        ? `before line ${after + 1}, where its anchors lead`
        : `before line ${from + 1}, where the hunk before ends`;
    return `${what} is at line ${earlier.at + 1} of ${name}, ${reason}. Give hunks in the order of the file; join those that overlap.`;
  }
  const loose = search.lines('both');
  const { at, best } = findLines(loose, sought, after, search.effort);
  if (at !== -1) {
    return `${what} is at line ${at + 1} of ${name} only when indentation is left out of account. Copy the lines with their indentation:\n${shownLines(file, at, sought.length)}`;
  }
  if (best.length > 0) {
    const diff = `${quote(sought[best.length] ?? '')} of the diff`;
    const rest =
      best.at + best.length < file.count
        ? `then the file has ${quote(file.textOf(best.at + best.length))} in the place of ${diff}`
        : `then the file ends, before ${diff}`;
    const lines = best.length === 1 ? 'line is' : `${best.length} lines are`;
    return `${what} is not in ${name}. Its first ${lines} at line ${best.at + 1}, ${rest}. The file there:\n${shownLines(file, best.at, best.length + 2)}`;
  }
  const index = sought.findIndex((line) => line.trim() !== '' && loose.firstFrom(line, after) !== undefined);
  const near = index === -1 ? undefined : loose.firstFrom(sought[index] ?? '', after);
  const place = after === 0 ? '' : ` from line ${after + 1} on`;
  const nearest =
    near === undefined
      ? 'Read the file again and copy the lines exactly.'
      : `Line ${near + 1} is ${quote(sought[index] ?? '')}. The file there:\n${shownLines(file, Math.max(after, near - index), sought.length)}`;
  return `${what} is not in ${name}: ${quote(first)} is not a line of it${place}. ${nearest}`;
}

/** Why an anchor is not found. */
export function missingAnchor(search: Search, { line, text }: Anchor, after: number): string {
  const { file, name } = search;
  const what = `The anchor ${quote(text)} (line ${line} of the diff)`;
  const earlier = search.lines('both').firstFrom(text, 0);
  if (earlier !== undefined) {
    return `${what} is line ${earlier + 1} of ${name}, before line ${after + 1}, from where on it is looked for. Give hunks in the order of the file.`;
  }
  const sought = text.trim();
  const place = file.content.indexOf(sought);
  if (place === -1) return `${what} is not a line of ${name}. Read the file again, or leave the anchor out.`;
  const near = lineAt(file, place);
  return `${what} is not a line of ${name}. Give the whole line; line ${near + 1} has it in it:\n${shownLines(file, near, 1)}`;
}

/** The line that has a position of the content. */
function lineAt(file: FileLines, position: number): number {
  let [low, high] = [0, file.count - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (file.startOf(middle) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Lines as `read_file` shows them, cut. */
function shownLines(file: FileLines, from: number, count: number): string {
  const end = Math.min(from + Math.min(count, maxShownLines), file.visibleCount);
  const width = String(end).length;
  const lines: string[] = [];
  for (let line = from; line < end; line += 1) {
    const { text } = cutText(file.textOf(line), maxShownCharacters);
    lines.push(`${String(line + 1).padStart(width)} | ${text}`);
  }
  return lines.join('\n');
}
