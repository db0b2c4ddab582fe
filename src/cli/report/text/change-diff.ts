import { createTwoFilesPatch } from 'diff';
import { FilesystemError } from '../../../core/error/index.ts';
import type { FileChange } from '../../../core/filesystem/index.ts';
import { counted, readableBytes, showName } from '../../../core/internal/index.ts';
import { printableLines } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';

/** Options of a diff. */
export interface ChangeDiffOptions {
  /** Maximum number of lines; the rest is counted. `Infinity`: all. */
  readonly maxLines: number;
  readonly style: TextStyle;
}

/** Maximum total size for a comparison line by line. */
export const maxComparedBytes = 4_194_304;

/** The lines of a unified diff of all changes, by path. Control characters are escaped. */
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
  const { kind, link } = change;
  if (link !== undefined) return [`${kind} link ${showName(change.path)} to ${showName(link)}`];
  const before = kind === 'created' ? '/dev/null' : showName(`a/${change.path}`);
  const after = kind === 'removed' ? '/dev/null' : showName(`b/${change.path}`);
  if (change.entry === 'directory') return [`${kind} directory ${showName(`${change.path}/`)}`];
  return [...modeLines(change), ...contentLines(change, before, after)];
}

/** The permission bits of a file, where they have changed. */
function modeLines({ path, mode = 0o644, replacedMode }: FileChange): readonly string[] {
  if (replacedMode === undefined) return [];
  return [`mode of ${showName(path)}: ${mode.toString(8)}, was ${replacedMode.toString(8)}`];
}

function contentLines(change: FileChange, before: string, after: string): readonly string[] {
  const bytes = (change.before?.bytes ?? 0) + (change.after?.bytes ?? 0);
  const now = `(${readableBytes(change.after?.bytes ?? 0)} now)`;
  if (bytes > maxComparedBytes) return [`Large files ${before} and ${after} differ ${now}`];
  const texts = textsOf(change);
  if (change.replacedMode !== undefined && texts !== 'lost' && texts !== 'binary' && texts[0] === texts[1])
    return [];
  if (texts === 'lost')
    return [`Files ${before} and ${after} differ; one was changed on disk during the run ${now}`];
  if (texts === 'binary') return [`Binary files ${before} and ${after} differ ${now}`];
  const patch = createTwoFilesPatch('a', 'b', ...texts, undefined, undefined, { context: 3 });
  // The patch starts with a rule of equals signs and two lines of names; the names are replaced by safe ones.
  const hunks = printableLines(patch).replace(/\n$/, '').split('\n').slice(3);
  return [`--- ${before}`, `+++ ${after}`, ...hunks];
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
