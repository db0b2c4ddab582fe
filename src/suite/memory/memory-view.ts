import { pathError, showLines, textWindow } from '../../core/filesystem/index.ts';
import { counted, formatNumber, none, present, takeWithin } from '../../core/internal/index.ts';
import {
  count,
  type Field,
  flag,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
} from '../../core/schema/index.ts';
import { filesBelow, type MemoryFiles, notFound } from './memory-changes.ts';
import type { MemoryFile } from './memory-files.ts';
import { isHiddenIn, memoryRoot } from './memory-path.ts';

/** Characters of file text, and of a listing, that one view shows; one line is always shown whole. */
const maxShownCharacters = 50_000;

const viewEntry = {
  /** From `/memories` on. */
  path: text as Field<string>,
  /** Of the file, or of all files in the directory. */
  bytes: count as Field<number>,
  isDirectory: flag as Field<boolean>,
};

/** A file or folder as a view lists it. */
type ViewEntry = RecordOf<typeof viewEntry>;

/** What a view adds to the result of the tool. */
export const viewFields: {
  readonly text: OptionalField<string>;
  readonly firstLine: OptionalField<number>;
  readonly totalLines: OptionalField<number>;
  readonly entries: OptionalField<readonly ViewEntry[]>;
} = {
  /** Lines of the file, joined with `\n`. */
  text: optional(text),
  /** Number of the first line of `text`, from 1. */
  firstLine: optional(count),
  totalLines: optional(count),
  /** What is in a directory, two levels deep, itself first. */
  entries: optional(list(record(viewEntry))),
};

/** What a view shows. */
export interface MemoryView extends RecordOf<typeof viewFields> {
  readonly path: string;
  /** What it is, and what of it is not shown. */
  readonly message: string;
}

/**
 * Shows a file or a folder.
 *
 * @param range numbers of the first and the last line, from 1; -1 as the last one is the end.
 * @throws {FilesystemError} for a path where nothing is, and a range that the file does not have.
 */
export function viewMemory(
  files: MemoryFiles,
  path: string,
  range: readonly number[] | undefined,
): MemoryView {
  const file = files.get(path);
  if (file !== undefined) return viewFile(file, range);
  const below = filesBelow(files, path);
  if (below.length === 0 && path !== memoryRoot) throw notFound(path);
  if (range === undefined) return viewFolder(below, path);
  throw pathError('argument-invalid', path, 'is a directory: view_range is for files. Leave it out.');
}

function viewFile({ path, text: whole }: MemoryFile, range: readonly number[] | undefined): MemoryView {
  const [first = 1, last = -1] = range ?? none;
  const isOrdered = last === -1 || last >= first;
  if ((range !== undefined && range.length !== 2) || first < 1 || !isOrdered)
    throw pathError(
      'argument-invalid',
      path,
      `was not shown: view_range is [${(range ?? none).join(', ')}]. Give the numbers of the first and the last line, from 1, such as [1, 20]; [5, -1] is from line 5 to the end.`,
    );
  const { window } = textWindow(path, whole, {
    offset: first - 1,
    ...present({ limit: last === -1 ? undefined : last - first + 1 }),
  });
  const { totalLines, lines } = window;
  if (totalLines === 0) return { path, text: '', firstLine: 0, totalLines, message: `${path} is empty.` };
  if (lines === 0)
    throw pathError(
      'argument-invalid',
      path,
      `has ${counted(totalLines, 'line')}; view_range begins at line ${formatNumber(first)}.`,
    );
  const shown = showLines(window.text, {
    maxLineCharacters: Number.POSITIVE_INFINITY,
    maxOutputCharacters: maxShownCharacters,
  }).lines;
  const end = first - 1 + shown.length;
  const left = lines - shown.length;
  const rest =
    left > 0 ? ` ${counted(left, 'more line')}: continue with view_range [${end + 1}, ${last}].` : '';
  return {
    path,
    text: shown.join('\n'),
    firstLine: first,
    totalLines,
    message: `${path}, lines ${first} to ${end} of ${totalLines}, each with its number and a tab, which are not part of it.${rest}`,
  };
}

function viewFolder(below: readonly MemoryFile[], path: string): MemoryView {
  const visible = below.filter((file) => !isHiddenIn(path, file.path));
  const hidden = below.length - visible.length;
  const entries = [
    { path, bytes: bytesOf(below), isDirectory: true },
    ...entriesOf(visible, path).sort((left, right) => (left.path < right.path ? -1 : 1)),
  ];
  const shown = takeWithin(entries, maxShownCharacters, renderEntry);
  const more = entries.length - shown.length;
  return {
    path,
    entries: shown,
    message: [
      below.length === 0
        ? `${path} is empty.`
        : `Files and directories up to two levels deep in ${path}, with their sizes:`,
      ...(hidden > 0 ? [`(${counted(hidden, 'file')} with hidden names not listed)`] : []),
      ...(more > 0
        ? [`(${counted(more, 'more entry', 'more entries')} not listed: view a directory below)`]
        : []),
    ].join('\n'),
  };
}

/** Files of the first two levels, and the folders there with the bytes of all that is in them. */
function entriesOf(files: readonly MemoryFile[], folder: string): ViewEntry[] {
  const entries = new Map<string, ViewEntry>();
  for (const { path, bytes } of files) {
    const names = path.slice(folder.length + 1).split('/');
    for (const depth of [1, 2].filter((each) => each <= names.length)) {
      const place = `${folder}/${names.slice(0, depth).join('/')}`;
      const before = entries.get(place)?.bytes ?? 0;
      entries.set(place, { path: place, bytes: before + bytes, isDirectory: depth < names.length });
    }
  }
  return [...entries.values()];
}

function bytesOf(files: readonly MemoryFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function renderEntry({ path, bytes, isDirectory }: ViewEntry): string {
  return `${shortSize(bytes)}\t${path}${isDirectory ? '/' : ''}`;
}

/** `512`, `1.5K`, `2.0M`: as `du -h` and the tool that models were trained with write it. */
function shortSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)}K` : `${(kilobytes / 1024).toFixed(1)}M`;
}

/** What a model reads of a view under its message: lines with numbers six wide and a tab, or entries with their sizes. */
export function renderView({
  text: shown,
  firstLine = 0,
  entries = none,
}: RecordOf<typeof viewFields>): string {
  if (firstLine === 0 || shown === undefined) return entries.map(renderEntry).join('\n');
  return shown
    .split('\n')
    .map((line, index) => `${String(firstLine + index).padStart(6)}\t${line}`)
    .join('\n');
}
