import { describeError, RecordError } from '../../core/error/index.ts';
import { isNormalPath, normalizePath } from '../../core/filesystem/index.ts';
import {
  isRecord,
  ownMember,
  present,
  quoteText,
  startOf,
  withoutByteOrderMark,
} from '../../core/internal/index.ts';
import { fieldFault, record } from '../../core/schema/index.ts';
import { recordVersion } from './header-row.ts';
import { fromReferences, MissingBlob } from './references.ts';
import { runPart } from './row-parts.ts';
import { type BlobRow, type Row, rowFields } from './rows.ts';

/** A row of a type that this version does not know. */
export interface UnknownRow {
  readonly type: 'unknown';
  readonly name: string;
}

/**
 * Reads the lines of a record, one after the other. A line that is cut off is an error only when another one follows: the last line of a record whose
 * writer was killed may be torn.
 *
 * @see docs/spec/run-record.md §6
 */
export class RowReader {
  readonly #blobs = new Map<string, BlobRow>();
  #line = 0;
  #hasHeader = false;
  #runId = '';
  #torn: { readonly line: number; readonly cause: unknown } | undefined;

  /** The number of the last line, when it was cut off. */
  get tornLine(): number | undefined {
    return this.#torn?.line;
  }

  /** The number of lines so far. */
  get lines(): number {
    return this.#line;
  }

  /** All texts and bytes so far, by their hashes. */
  get blobs(): ReadonlyMap<string, BlobRow> {
    return this.#blobs;
  }

  /** The text or the bytes of a hash; undefined when the record does not have them. */
  blob(hash: string): BlobRow | undefined {
    return this.#blobs.get(hash);
  }

  /**
   * The row of the next line; undefined for a line that is empty, holds a blob, or is cut off.
   *
   * @throws {RecordError} `record-malformed`, `record-version-unsupported`, `record-row-unsupported`, `record-blob-missing`.
   */
  read(line: string): Row | UnknownRow | undefined {
    this.#line += 1;
    if (line.trim() === '') return undefined;
    if (this.#torn !== undefined) {
      const { line: number, cause } = this.#torn;
      throw this.#malformed(`it is not JSON: ${describeError(cause)}`, number, cause);
    }
    let parsed: unknown;
    try {
      parsed = JSON.parse(this.#line === 1 ? withoutByteOrderMark(line) : line);
    } catch (cause) {
      this.#torn = { line: this.#line, cause };
      return undefined;
    }
    if (!isRecord(parsed) || typeof parsed['type'] !== 'string')
      throw this.#malformed('it is not an object with a type');
    const { type } = parsed;
    if (!this.#hasHeader) this.#checkHeader(parsed);
    else if (type === 'header') throw this.#malformed('a record has one header');
    if (!isKnownType(type)) return unknownRow(type, parsed, { runId: this.#runId, line: this.#line });
    if (type === 'blob') {
      this.#keep(parsed);
      return undefined;
    }
    const row: unknown = this.#resolve(parsed);
    assertRow(row, type, (fault) => this.#malformed(`its ${type} has no ${fault} of the right kind`));
    return row;
  }

  #checkHeader({ type, version, runId }: Readonly<Record<string, unknown>>): void {
    if (type !== 'header') throw this.#malformed('a record begins with a header');
    if (version !== recordVersion) {
      const said = typeof version === 'string' ? quoteText(startOf(version, 100)) : 'none';
      throw new RecordError(
        'record-version-unsupported',
        `The record has the version ${said}, and only "${recordVersion}" can be read. Use the version of the library that wrote it.`,
        { details: { version: typeof version === 'string' ? version : null } },
      );
    }
    this.#hasHeader = true;
    this.#runId = typeof runId === 'string' ? runId : '';
  }

  #keep({ hash, text, base64 }: Readonly<Record<string, unknown>>): void {
    if (typeof hash !== 'string') throw this.#malformed('its blob has no hash');
    if (typeof text === 'string') this.#blobs.set(hash, { type: 'blob', hash, text });
    else if (typeof base64 === 'string') this.#blobs.set(hash, { type: 'blob', hash, base64 });
    else throw this.#malformed('its blob has neither text nor base64');
  }

  #resolve(row: unknown): unknown {
    try {
      return fromReferences(row, (hash) => this.#blobs.get(hash)?.text);
    } catch (error) {
      if (error instanceof RangeError) throw this.#malformed('it is nested too deeply');
      if (!(error instanceof MissingBlob)) throw error;
      throw new RecordError(
        'record-blob-missing',
        `Line ${this.#line} of the record refers to the text ${error.hash}, which no line before it holds.`,
        { details: { line: this.#line, hash: error.hash } },
      );
    }
  }

  #malformed(why: string, line = this.#line, cause?: unknown): RecordError {
    return malformed(why, line, cause);
  }
}

function malformed(why: string, line: number, cause?: unknown): RecordError {
  return new RecordError('record-malformed', `Line ${line} is not a row of a record: ${why}.`, {
    details: { line },
    ...present({ cause }),
  });
}

/**
 * A row of a type that is not known, which this version leaves out.
 *
 * @throws {RecordError} `record-row-unsupported` when the row says that a reader must know it: what the rest of the rows means depends on it. `record-malformed` when it
 *   does not say whether.
 * @see docs/spec/run-record.md §6
 */
export function unknownRow(
  type: string,
  row: unknown,
  { runId, line }: { readonly runId: string; readonly line: number },
): UnknownRow {
  const must = isRecord(row) ? ownMember(row, 'must') : undefined;
  if (must === undefined || must === false) return { type: 'unknown', name: type };
  const name = startOf(type, 100);
  const shown = quoteText(name);
  if (must !== true) throw malformed(`the member must of its ${shown} is neither true nor false`, line);
  throw new RecordError(
    'record-row-unsupported',
    `The run ${quoteText(startOf(runId, 200))} cannot be read: line ${line} is a row ${shown}, which changes what its other rows mean, and this version of weakincentives does not know such rows. A later version wrote it: read the run with that version.`,
    { details: { runId, line, type: name } },
  );
}

const shapes = new Map(
  Object.entries(rowFields).map(([type, fields]) => [
    type,
    record(isOfRun(type) ? { ...runPart, ...fields } : fields),
  ]),
);

/** Paths of a redacted row are those that the redaction made of them: they need not be canonical. */
const formats = { path: isNormalPath };
const redactedFormats = { path: isPath };

function isPath(text: string): boolean {
  try {
    return text === '' || normalizePath(text) !== '';
  } catch {
    return false;
  }
}

/** Whether rows of a type belong to a run. */
function isOfRun(type: string): boolean {
  return type !== 'header' && type !== 'blob' && type !== 'slice';
}

/** Whether this version knows the type of a row. */
export function isKnownType(type: string): type is Row['type'] {
  return shapes.has(type);
}

/**
 * @param refuse makes the error from the place where something is missing or of the wrong kind.
 * @throws what `refuse` returns, unless the row has all that code relies on.
 */
export function assertRow(
  row: unknown,
  type: Row['type'],
  refuse: (fault: string) => Error,
): asserts row is Row {
  const shape = shapes.get(type);
  const isRedacted = isRecord(row) && row['redacted'] === true;
  const fault =
    shape === undefined ? undefined : fieldFault(shape, row, isRedacted ? redactedFormats : formats);
  if (fault !== undefined) throw refuse(fault);
}
