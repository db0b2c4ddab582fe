import { assertArgument, assertMembers, FilesystemError } from '../../error/index.ts';
import { byteOrderMark, lineNumberAt, quoteText, withoutByteOrderMark } from '../../internal/index.ts';
import { refuseArgument } from '../path/errors.ts';
import { preparedText, type Replacement, spliceText, toLineFeeds, withMarkOf } from './splice.ts';

/** One replacement of a piece of text. */
export interface TextEdit {
  /** The text to replace, as it is in the file; a line feed in it also matches a carriage return and line feed. */
  readonly oldText: string;
  /** The replacement. Its line endings become those of the file. */
  readonly newText: string;
  /** Replace every occurrence. Default: false, and then `oldText` must occur exactly once. */
  readonly replaceAll?: boolean;
}

/** The outcome of an edit. `bytes` is the size of the file afterwards. */
export interface EditResult {
  readonly path: string;
  readonly replacements: number;
  readonly bytes: number;
}

/** A text after edits, and how many pieces were replaced. */
export interface EditedText {
  readonly text: string;
  readonly replacements: number;
}

/** One replacement of an edit, with the number of that, from 1. */
interface Found extends Replacement {
  readonly edit: number;
}

/** The maximum number of replacements of all edits together: they run synchronously, so nothing else runs in the meantime. */
const maxReplacements = 100_000;

/** The maximum number of line numbers in the details of an ambiguity, and of occurrences that are counted. */
const maxNamedLines = 10;
const maxCounted = 1000;

function assertEdits(path: string, edits: readonly TextEdit[]): void {
  assertArgument('edit()', 'edits', edits, 'array', refuseArgument);
  for (const edit of edits)
    assertMembers('edit()', edit, { oldText: 'string!', newText: 'string!' }, refuseArgument);
  if (edits.length === 0) {
    throw new FilesystemError(
      'argument-invalid',
      `No edits were given for ${quoteText(path)}. Give at least one.`,
      {
        details: { path },
      },
    );
  }
  for (const [index, { oldText, newText }] of edits.entries()) {
    const problem =
      oldText === ''
        ? 'has an empty oldText. Give the text to replace.'
        : oldText === newText
          ? 'has an oldText equal to its newText and would change nothing.'
          : undefined;
    if (problem === undefined) continue;
    throw new FilesystemError('argument-invalid', `Edit ${index + 1} of ${quoteText(path)} ${problem}`, {
      details: { path, edit: index + 1 },
    });
  }
}

/** What an edit looks for and puts in its place. A byte order mark that was copied from elsewhere belongs to neither. */
function soughtIn(text: string, { oldText, newText }: TextEdit): Pick<TextEdit, 'oldText' | 'newText'> {
  const wanted = toLineFeeds(oldText);
  if (!wanted.startsWith(byteOrderMark) || text.includes(wanted)) return { oldText: wanted, newText };
  return { oldText: withoutByteOrderMark(wanted), newText: withoutByteOrderMark(newText) };
}

function findReplacements(path: string, text: string, given: TextEdit, edit: number): Found[] {
  const { oldText: wanted, newText } = soughtIn(text, given);
  const { replaceAll } = given;
  const first = wanted === '' ? -1 : text.indexOf(wanted);
  if (first === -1) {
    throw new FilesystemError(
      'edit-not-found',
      `Edit ${edit}: its oldText does not occur in ${quoteText(path)}. Read the file and copy the text exactly, with its spaces.`,
      { details: { path, edit } },
    );
  }
  const second = text.indexOf(wanted, first + 1);
  if (replaceAll !== true && second !== -1) {
    const { lines, occurrences } = findOccurrences(text, wanted);
    throw new FilesystemError(
      'edit-ambiguous',
      `Edit ${edit}: its oldText occurs more than once in ${quoteText(path)} (lines ${lines[0]} and ` +
        `${lines[1]} are the first two). Add lines around it, or set replaceAll.`,
      { details: { path, edit, lines, occurrences } },
    );
  }
  const found: Found[] = [];
  const put = preparedText(wanted, newText);
  for (let start = first; start !== -1; start = text.indexOf(wanted, start + wanted.length)) {
    if (found.length === maxReplacements) throw tooManyError(path, edit);
    found.push({ start, end: start + wanted.length, put, edit });
  }
  return found;
}

/** The occurrences of a string, overlapping ones included: the line numbers of the first ten, and the count, up to 1,000. */
function findOccurrences(
  text: string,
  wanted: string,
): { readonly lines: readonly number[]; readonly occurrences: number } {
  const lines: number[] = [];
  let occurrences = 0;
  for (
    let at = text.indexOf(wanted);
    at !== -1 && occurrences < maxCounted;
    at = text.indexOf(wanted, at + 1)
  ) {
    occurrences += 1;
    if (lines.length < maxNamedLines) lines.push(lineNumberAt(text, at));
  }
  return { lines, occurrences };
}

function tooManyError(path: string, edit: number): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    `Edit ${edit} of ${quoteText(path)} makes more than 100,000 replacements in one call. ` +
      'Nothing was changed. Replace longer pieces, or write the whole file.',
    { details: { path, edit, maxReplacements: maxReplacements } },
  );
}

function onlyMarkError(path: string): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    `The edits of ${quoteText(path)} change the byte order mark at its start and nothing else. Edits keep that mark: to be rid of it, remove the file and write it anew.`,
    { details: { path } },
  );
}

/**
 * Applies edits to a text; everything else stays the same byte for byte, including a byte order mark and the final newline.
 *
 * 1. Every `oldText` is searched in the original text, never in the result of another edit. `\n` matches `\r\n`.
 * 2. It must occur exactly once, overlapping occurrences counted, unless `replaceAll` is set.
 * 3. No two replacements may overlap.
 * 4. A byte order mark at the start of the text stays, once, whether or not the edits have one.
 * 5. Line endings of `newText` become those of the lines it replaces, else the more frequent ones of the file. What `oldText` and
 * `newText` have in common at their start and end is not touched, so that lines which stay keep their own endings.
 *
 * @param path only for messages.
 * @throws {FilesystemError} `edit-not-found`; `edit-ambiguous`, with the first `lines` and the number of `occurrences` in its details;
 * `argument-invalid` for no edits, an empty `oldText`, an
 * edit that changes nothing, edits that overlap, or more than 100,000 replacements.
 */
export function applyTextEdits(path: string, content: string, edits: readonly TextEdit[]): EditedText {
  assertEdits(path, edits);
  const text = toLineFeeds(content);
  const replacements: Found[] = [];
  for (const [index, edit] of edits.entries()) {
    for (const replacement of findReplacements(path, text, edit, index + 1)) replacements.push(replacement);
    if (replacements.length > maxReplacements) throw tooManyError(path, index + 1);
  }
  replacements.sort((left, right) => left.start - right.start);
  let previous: Found | undefined;
  for (const replacement of replacements) {
    if (previous !== undefined && replacement.start < previous.end) {
      throw new FilesystemError(
        'argument-invalid',
        `Edits ${previous.edit} and ${replacement.edit} of ${quoteText(path)} overlap. Join them into one edit.`,
        { details: { path, edits: [previous.edit, replacement.edit] } },
      );
    }
    previous = replacement;
  }
  const edited = spliceText(content, text, replacements);
  const result = withMarkOf(content, edited);
  if (result === content && edited !== content) throw onlyMarkError(path);
  return { text: result, replacements: replacements.length };
}
