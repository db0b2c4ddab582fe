import type { FilesystemError } from '../../core/error/index.ts';
import type { Filesystem, TextEdit } from '../../core/filesystem/index.ts';
import { counted, lineNumberAt, withoutByteOrderMark } from '../../core/internal/index.ts';
import { quote } from './text.ts';

/** File systems count no more occurrences than these. */
const maxCounted = 1000;

/**
 * The message about the text of an edit that does not match the file: where it occurs, or what it was probably meant
 * to be. `undefined` for errors that have nothing to do with it, or say too little.
 */
export async function explainEditFailure(
  filesystem: Filesystem,
  given: string,
  edits: readonly TextEdit[],
  { code, details }: FilesystemError,
): Promise<string | undefined> {
  const path = typeof details['path'] === 'string' ? details['path'] : given;
  const number = edits.length === 1 ? 1 : details['edit'];
  const edit = typeof number === 'number' ? edits[number - 1] : undefined;
  if (edit === undefined) return undefined;
  const name = edits.length === 1 ? 'old_string' : `old_string of edit ${number}`;
  if (code === 'edit-ambiguous') {
    const advice = edits.length === 1 ? ', or set replace_all to change every one' : '';
    return explainAmbiguous(name, path, details, advice);
  }
  if (code !== 'edit-not-found') return undefined;
  const window = await filesystem.read(path);
  const { oldText } = edit;
  const sought = withLineFeeds(withoutByteOrderMark(oldText));
  const reason = probableReason(withLineFeeds(window.text), sought);
  return `${name} does not occur in ${quote(window.path)}. ${reason} Nothing was changed.`;
}

/** What our file systems say about the places. Others need not; then there is nothing to add to the explanation of the code. */
function explainAmbiguous(
  name: string,
  path: string,
  { lines, occurrences }: FilesystemError['details'],
  advice: string,
): string | undefined {
  if (!Array.isArray(lines) || typeof occurrences !== 'number') return undefined;
  const times = `${counted(occurrences, 'time')}${occurrences < maxCounted ? '' : ' or more'}`;
  const places = `lines ${lines.join(', ')}${occurrences > lines.length ? ' and further on' : ''}`;
  return `${name} occurs ${times} in ${quote(path)} (${places}). Add lines around it until it is unique${advice}. Nothing was changed.`;
}

function probableReason(text: string, sought: string): string {
  const withoutNumbers = sought.replace(/^ *\d+ \| ?/gm, '');
  if (withoutNumbers !== sought && text.includes(withoutNumbers)) {
    return 'It holds the line numbers that read_file shows; leave out everything up to and including " | " on each line.';
  }
  const line = lineOfTrimmed(text, sought);
  if (line !== undefined) {
    return `The text from line ${line} on differs only in white space (indentation or blanks at the end of a line); copy it exactly.`;
  }
  return 'Read the file again and copy the text exactly, with its indentation.';
}

/** Number of the line where the text occurs when whitespace around lines is ignored. */
function lineOfTrimmed(text: string, sought: string): number | undefined {
  const trimmedSought = trimLines(sought.trim());
  if (trimmedSought === '') return undefined;
  const index = `\n${trimLines(text)}\n`.indexOf(`\n${trimmedSought}\n`);
  return index === -1 ? undefined : lineNumberAt(trimLines(text), index);
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
