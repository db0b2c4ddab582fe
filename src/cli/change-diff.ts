import { createTwoFilesPatch } from 'diff';
import type { FileChange } from '../filesystem/index.ts';
import { counted, printableLines, readableBytes } from './plain-text.ts';
import type { TextStyle } from './text-style.ts';

/** How changes are shown. */
export interface ChangeDiffOptions {
  /** Lines at most; what is left out is counted. `Infinity` for all. */
  readonly maxLines: number;
  readonly style: TextStyle;
}

/** Sum of the sizes up to which a file is compared line by line. */
const MAX_COMPARED_BYTES = 4_194_304;

/** The lines of a unified diff of all changes, by path. Control characters in files are spelled out. */
export function formatChangeDiff(
  changes: readonly FileChange[],
  options: ChangeDiffOptions,
): readonly string[] {
  const lines: string[] = [];
  let hidden = 0;
  for (const change of changes) {
    for (const line of changeLines(change)) {
      if (lines.length < options.maxLines) lines.push(toned(line, options.style));
      else hidden += 1;
    }
  }
  if (hidden > 0) lines.push(options.style('faint', `… ${counted(hidden, 'more line')}; --full shows all`));
  return lines;
}

function changeLines(change: FileChange): readonly string[] {
  const before = change.kind === 'created' ? '/dev/null' : `a/${change.path}`;
  const after = change.kind === 'removed' ? '/dev/null' : `b/${change.path}`;
  if (change.entry === 'directory') return [`${change.kind} directory ${printableLines(change.path)}/`];
  const oldText = change.before === undefined ? '' : change.before.text();
  const newText = change.after === undefined ? '' : change.after.text();
  const bytes = (change.before?.bytes ?? 0) + (change.after?.bytes ?? 0);
  if (oldText === undefined || newText === undefined || bytes > MAX_COMPARED_BYTES) {
    const what = bytes > MAX_COMPARED_BYTES ? 'Large files' : 'Binary files';
    return [`${what} ${before} and ${after} differ (${readableBytes(change.after?.bytes ?? 0)} now)`];
  }
  const patch = createTwoFilesPatch(before, after, oldText, newText, undefined, undefined, { context: 3 });
  // The first line is a rule of equals signs that a reader of patches does not need.
  return printableLines(patch).replace(/^=+\n/, '').replace(/\n$/, '').split('\n');
}

function toned(line: string, style: TextStyle): string {
  if (line.startsWith('+++ ') || line.startsWith('--- ')) return style('heading', line);
  if (line.startsWith('@@')) return style('place', line);
  if (line.startsWith('+')) return style('added', line);
  return line.startsWith('-') ? style('removed', line) : line;
}
