import type { FilesystemErrorCode } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import { counted, formatNumber, lineNumberAt } from '../../internal/index.ts';
import { quote } from './text.ts';

/** Line numbers that an ambiguity names. */
const MAX_NAMED_LINES = 10;

/** Occurrences that an ambiguity counts. */
const MAX_COUNTED = 1000;

/**
 * What to tell the model about an `old_string` that does not fit the file: where it occurs, or what it was probably meant
 * to be. `undefined` for codes that have nothing to do with it.
 */
export async function explainEditFailure(
  filesystem: Filesystem,
  path: string,
  oldText: string,
  code: FilesystemErrorCode,
): Promise<string | undefined> {
  if (code !== 'edit-not-found' && code !== 'edit-ambiguous') return undefined;
  const window = await filesystem.read(path);
  const text = withLineFeeds(window.text);
  const sought = withLineFeeds(oldText.startsWith('\uFEFF') ? oldText.slice(1) : oldText);
  return code === 'edit-ambiguous'
    ? explainAmbiguous(window.path, text, sought)
    : explainNotFound(window.path, text, sought);
}

function explainAmbiguous(path: string, text: string, sought: string): string {
  const { lines, total } = occurrences(text, sought);
  const times = total < MAX_COUNTED ? counted(total, 'time') : `${formatNumber(MAX_COUNTED)} times or more`;
  const places = `lines ${lines.join(', ')}${total > lines.length ? ' and further on' : ''}`;
  return `old_string occurs ${times} in ${quote(path)} (${places}). Add lines around it until it is unique, or set replace_all to change every one. Nothing was changed.`;
}

function explainNotFound(path: string, text: string, sought: string): string {
  return `old_string does not occur in ${quote(path)}. ${probableReason(text, sought)} Nothing was changed.`;
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

/** Number of the line where the text stands when blanks around lines are left out of account. */
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

/** Where a text occurs, overlapping places counted, as the edit itself counts them. */
function occurrences(
  text: string,
  sought: string,
): { readonly lines: readonly number[]; readonly total: number } {
  const lines: number[] = [];
  let total = 0;
  for (
    let index = text.indexOf(sought);
    index !== -1 && total < MAX_COUNTED;
    index = text.indexOf(sought, index + 1)
  ) {
    total += 1;
    if (lines.length < MAX_NAMED_LINES) lines.push(lineNumberAt(text, index));
  }
  return { lines, total };
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
