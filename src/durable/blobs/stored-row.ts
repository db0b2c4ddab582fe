import { JournalError } from '../../core/error/index.ts';
import { isPlainObject } from '../../core/internal/index.ts';
import { isBlobKey, type JournalRow } from '../../core/runtime/index.ts';

/** The type of a row in a database whose own line is in a blob store. */
export const storedType = 'stored';

/** Where the line of a row is. */
export interface StoredLine {
  /** The type of the row. */
  readonly of: string;
  readonly key: string;
  /** Of the line as UTF-8, in hexadecimal. */
  readonly sha256: string;
}

/**
 * The row that a database gets instead. It must be known: a reader without the store refuses the run, as does every earlier version.
 *
 * @see docs/spec/durable-runs.md §14
 */
export function storedRow(seq: number, { of, key, sha256 }: StoredLine): JournalRow {
  return { seq, type: storedType, line: JSON.stringify({ type: storedType, must: true, of, key, sha256 }) };
}

/**
 * A row of a run must not be taken for a reference.
 *
 * @throws {JournalError} `journal-invalid`.
 */
export function assertNotStored(runId: string, rows: readonly JournalRow[]): void {
  const stored = rows.find(({ type }) => type === storedType);
  if (stored === undefined) return;
  throw new JournalError(
    'journal-invalid',
    `Row ${stored.seq} of the run "${runId}" has the type "${storedType}", which is that of rows whose content is in a blob store. Give it another type.`,
    { details: { runId, seq: stored.seq } },
  );
}

/** The key of the content of a row; undefined when it has its own line, or does not say. */
export function keyOf({ type, line }: JournalRow): string | undefined {
  const { key } = type === storedType ? readObject(line) : {};
  return typeof key === 'string' && isBlobKey(key) ? key : undefined;
}

/**
 * What a row of a database refers to; undefined when it has its own line.
 *
 * @throws {JournalError} `journal-damaged` when it does not say what it refers to.
 */
export function readStored(runId: string, { seq, type, line }: JournalRow): StoredLine | undefined {
  if (type !== storedType) return undefined;
  const row = readObject(line);
  const { of, key, sha256 } = row;
  if (typeof of !== 'string' || typeof key !== 'string' || !isBlobKey(key) || typeof sha256 !== 'string') {
    throw new JournalError(
      'journal-damaged',
      `Row ${seq} of the run "${runId}" does not say where its content is. Restore the database of the journal from a backup.`,
      { details: { runId, seq } },
    );
  }
  return { of, key, sha256 };
}

/**
 * For a journal without a store.
 *
 * @throws {JournalError} `journal-invalid` for rows whose contents are in one.
 */
export function assertNoneStored(runId: string, rows: readonly JournalRow[]): void {
  const stored = rows.find(({ type }) => type === storedType);
  if (stored === undefined) return;
  throw new JournalError(
    'journal-invalid',
    `The content of row ${stored.seq} of the run "${runId}" is in a blob store. Open the journal with the store that it was written with: the option blobs of the journal in a program; --blobs PLACE, or the variable WINK_BLOBS, for the wink command.`,
    { details: { runId, seq: stored.seq } },
  );
}

function readObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}
