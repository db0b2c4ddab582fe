import { clip, escapeInvisible } from '../../core/internal/index.ts';
import { pad, printable } from '../process/plain-text.ts';
import type { TextStyle } from '../process/text-style.ts';
import type { QueryValue } from './protocol.ts';
import type { QueryResult } from './query-process.ts';

/** How a result is laid out. */
export interface ResultLayout {
  /** Width of a line in characters. */
  readonly width: number;
  readonly style: TextStyle;
}

const columnGap = '  ';
/** A column is not made narrower than this, if its values need it. */
const minColumnWidth = 12;

/**
 * The lines of a result for people: a table, or where its columns do not fit a line, a block of lines for each row. No line is longer than the
 * width, and control characters of the values are escaped.
 */
export function resultLines(
  { columns, rows }: Pick<QueryResult, 'columns' | 'rows'>,
  { width, style }: ResultLayout,
): readonly string[] {
  const cells = rows.map((row) => row.map(cellText));
  const headings = columns.map(printable);
  const needed = headings.map((heading, column) =>
    Math.max(lengthOf(heading), ...cells.map((row) => lengthOf(row[column] ?? ''))),
  );
  const widths = fitted(needed, width);
  if (widths === undefined) return blocks(headings, cells, { width, style });
  const isNumeric = columns.map(
    (_name, column) => rows.length > 0 && rows.every((row) => isNumberOrNull(row[column] ?? null)),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, column) => {
        const columnWidth = widths[column] ?? 0;
        const clipped = clip(text, columnWidth);
        return isNumeric[column] === true ? padStart(clipped, columnWidth) : pad(clipped, columnWidth);
      })
      .join(columnGap)
      .trimEnd();
  return [style('heading', line(headings)), ...cells.map(line)];
}

/** The lines of a result as JSON: an array, one row a line. A column whose name comes again gets a number; invisible characters are escaped. */
export function resultJson({ columns, rows }: QueryResult): Iterable<string> {
  const names = uniqueNames(columns);
  const objects = rows.map((row) =>
    Object.fromEntries(names.map((name, column) => [name, jsonValue(row[column] ?? null)])),
  );
  return jsonArray(objects, escapeInvisible);
}

/** The lines of an array, one item a line. @param shown makes a line safe to print. Default: it is. */
export function* jsonArray(
  items: readonly unknown[],
  shown: (line: string) => string = (line) => line,
): Generator<string> {
  yield '[';
  for (const [index, item] of items.entries())
    yield `${shown(JSON.stringify(item))}${index === items.length - 1 ? '' : ','}`;
  yield ']';
}

/** Widths of columns that fit, the widest ones narrowed; undefined when they cannot. */
function fitted(needed: readonly number[], width: number): readonly number[] | undefined {
  const room = width - columnGap.length * (needed.length - 1);
  const total = (limit: number): number => needed.reduce((sum, each) => sum + Math.min(each, limit), 0);
  let limit = Math.max(0, ...needed);
  if (total(limit) <= room) return needed;
  if (total(minColumnWidth) > room) return undefined;
  // The largest limit that fits, by halving.
  let low = minColumnWidth;
  while (low < limit) {
    const middle = Math.ceil((low + limit) / 2);
    if (total(middle) <= room) low = middle;
    else limit = middle - 1;
  }
  return needed.map((each) => Math.min(each, low));
}

function blocks(
  headings: readonly string[],
  cells: readonly (readonly string[])[],
  { width, style }: ResultLayout,
): readonly string[] {
  const nameWidth = Math.min(Math.max(...headings.map(lengthOf)), Math.floor(width / 2));
  return cells.flatMap((row, index) => [
    style('heading', `row ${index + 1}`),
    ...row.map((text, column) => {
      const name = pad(clip(headings[column] ?? '', nameWidth), nameWidth);
      return clip(`${name}${columnGap}${text}`, width);
    }),
  ]);
}

function cellText(value: QueryValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return String(value);
  if ('integer' in value) return value.integer;
  return 'real' in value ? value.real : `x'${value.blob}'`;
}

function jsonValue(value: QueryValue): string | number | null {
  return typeof value === 'object' && value !== null ? cellText(value) : value;
}

function isNumberOrNull(value: QueryValue): boolean {
  return value === null || typeof value === 'number' || (typeof value === 'object' && !('blob' in value));
}

function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

function lengthOf(text: string): number {
  return [...text].length;
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - lengthOf(text))) + text;
}
