import { createTwoFilesPatch } from 'diff';
import { FilesystemError } from '../../../core/error/index.ts';
import type { FileChange } from '../../../core/filesystem/index.ts';
import {
  counted,
  readableBytes,
  type ShownLines,
  showName,
  shownLine,
  withCountedBlankLines,
} from '../../../core/internal/index.ts';
import { printableLines } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';

/** Options of a diff. */
export interface ChangeDiffOptions {
  /** Maximum number of lines; the rest is counted. `Infinity`: all lines, as a whole. */
  readonly maxLines: number;
  readonly style: TextStyle;
  /** How the rest is shown. Default: `--full shows all`. */
  readonly rest?: string;
  /**
   * Whether someone decides by it: then many blanks and blank lines are counted, so that they push nothing out of sight, and of too many lines the
   * last ones are there, too. Default: false.
   */
  readonly isQuestion?: boolean;
}

/** The content of a removed file from this size on is not shown, unless all is wanted. */
const maxRemovedBytes = 65_536;
/** How many of the lines that are shown are the last ones. */
const endShare = 1 / 4;

/** Maximum total size for a comparison line by line. */
export const maxComparedBytes = 4_194_304;

/** The lines of a unified diff of all changes, by path. Control characters are escaped. */
export function formatChangeDiff(
  changes: readonly FileChange[],
  options: ChangeDiffOptions,
): readonly string[] {
  return shownChangeDiff(changes, options).lines;
}

/** {@link formatChangeDiff}, and whether something is not shown that is not blank. */
export function shownChangeDiff(changes: readonly FileChange[], options: ChangeDiffOptions): ShownLines {
  const { isQuestion = false, maxLines, rest = '--full shows all', style } = options;
  const isWhole = maxLines === Number.POSITIVE_INFINITY;
  const shown = changes.map((change) => changeLines(change, isWhole));
  const written: readonly string[] = shown.flatMap(({ lines }) => lines);
  const lines = isQuestion ? ['+', '-', ' '].reduce(withCountedBlankLines, written) : written;
  const hidden = Math.max(0, lines.length - maxLines);
  const atEnd = hidden === 0 || !isQuestion ? 0 : Math.floor(maxLines * endShare);
  const tone = (line: string): { readonly text: string; readonly isCut: boolean } => {
    const { isCut, text } = isQuestion || !isWhole ? shownLine(line, isWhole) : { text: line, isCut: false };
    return { isCut, text: toned(text, style) };
  };
  const first = (hidden === 0 ? lines : lines.slice(0, maxLines - atEnd)).map(tone);
  const last = atEnd === 0 ? [] : lines.slice(-atEnd).map(tone);
  return {
    lines: [
      ...first.map(({ text }) => text),
      ...(hidden === 0 ? [] : [style('faint', `… ${counted(hidden, 'more line')}; ${rest}`)]),
      ...last.map(({ text }) => text),
    ],
    isCut: hidden > 0 || [...first, ...last].some(({ isCut }) => isCut) || shown.some(({ isCut }) => isCut),
  };
}

function changeLines(change: FileChange, isWhole: boolean): ShownLines {
  const { kind, link } = change;
  const whole = (...lines: readonly string[]): ShownLines => ({ lines, isCut: false });
  if (link !== undefined) return whole(`${kind} link ${showName(change.path)} to ${showName(link)}`);
  const before = kind === 'created' ? '/dev/null' : showName(`a/${change.path}`);
  const after = kind === 'removed' ? '/dev/null' : showName(`b/${change.path}`);
  if (change.entry === 'directory') return whole(`${kind} directory ${showName(`${change.path}/`)}`);
  const { isCut, lines } = contentLines(change, before, after, isWhole);
  return { isCut, lines: [...modeLines(change), ...lines] };
}

/** The permission bits of a file, where they have changed. */
function modeLines({ path, mode = 0o644, replacedMode }: FileChange): readonly string[] {
  if (replacedMode === undefined) return [];
  return [`mode of ${showName(path)}: ${mode.toString(8)}, was ${replacedMode.toString(8)}`];
}

function contentLines(change: FileChange, before: string, after: string, isWhole: boolean): ShownLines {
  const hidden = (line: string): ShownLines => ({ lines: [line], isCut: true });
  const beforeBytes = change.before?.bytes ?? 0;
  const bytes = beforeBytes + (change.after?.bytes ?? 0);
  const now = `(${readableBytes(change.after?.bytes ?? 0)} now)`;
  const isRemoved = change.kind === 'removed' && change.after === undefined;
  const size = readableBytes(beforeBytes);
  if (isRemoved && beforeBytes > (isWhole ? maxComparedBytes : maxRemovedBytes))
    return hidden(`Large file ${before} removed (${size})`);
  if (bytes > maxComparedBytes) return hidden(`Large files ${before} and ${after} differ ${now}`);
  const texts = textsOf(change);
  if (change.replacedMode !== undefined && texts !== 'lost' && texts !== 'binary' && texts[0] === texts[1])
    return { lines: [], isCut: false };
  if (texts === 'lost')
    return hidden(`Files ${before} and ${after} differ; one was changed on disk during the run ${now}`);
  if (texts === 'binary') {
    return hidden(
      isRemoved
        ? `Binary file ${before} removed (${size})`
        : `Binary files ${before} and ${after} differ ${now}`,
    );
  }
  const patch = createTwoFilesPatch('a', 'b', ...texts, undefined, undefined, { context: 3 });
  // The patch starts with a rule of equals signs and two lines of names; the names are replaced by safe ones.
  const hunks = printableLines(patch).replace(/\n$/, '').split('\n').slice(3);
  return { lines: [`--- ${before}`, `+++ ${after}`, ...hunks], isCut: false };
}

/** The text of a file before and after; `lost`: one is on disk and another process has changed it there. */
export function textsOf({ before, after }: FileChange): readonly [string, string] | 'binary' | 'lost' {
  try {
    const oldText = before === undefined ? '' : before.text();
    const newText = after === undefined ? '' : after.text();
    return oldText === undefined || newText === undefined ? 'binary' : [oldText, newText];
  } catch (error) {
    if (FilesystemError.isInstance(error)) return 'lost';
    throw error;
  }
}

function toned(line: string, style: TextStyle): string {
  if (line.startsWith('+++ ') || line.startsWith('--- ')) return style('heading', line);
  if (line.startsWith('@@')) return style('place', line);
  if (line.startsWith('+')) return style('added', line);
  return line.startsWith('-') ? style('removed', line) : line;
}
