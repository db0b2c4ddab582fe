import { assertOptions, keptName, PromptValidationError, required } from '../../core/error/index.ts';
import type { FileContent } from '../../core/filesystem/index.ts';
import { present, readJson } from '../../core/internal/index.ts';
import {
  type ObservedAttempt,
  type ObservedRequest,
  type ObservedState,
  type Redaction,
  Redactor,
  type RunJournal,
  redactAttempt,
  redactRead,
  redactRequest,
  redactState,
} from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { PendingRow, StagedPart } from '../format/journal-rows.ts';
import { lineOf, toReferences, withoutReferences } from '../format/references.ts';
import { type ContentReference, type RowRead, withContents } from '../format/row-parts.ts';
import { isKnownType, RowReader, unknownRow } from '../format/row-reader.ts';
import type { RequestRow, Row, SeenRow } from '../format/rows.ts';
import { BlobWriter } from '../writer/blob-writer.ts';
import { RequestEstimate } from '../writer/plain-rows.ts';

/** Options of {@link exportRecord}. */
export interface ExportRecordOptions {
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
  /**
   * Takes out of every text what must not leave. A text that it fails for becomes a fixed marker, and the contents of binary files become their sizes. Default:
   * the record holds all that the journal does.
   */
  readonly redact?: Redaction;
}

/**
 * The record of a run, line by line, from the rows of its journal: for `readRunRecord`, `wink view`, `wink replay` and `wink query`. The run may still be running:
 * the record ends with its last row then. A run that was interrupted and resumed is one record.
 *
 * With `redact`, texts and data are redacted as an observer of the run would have got them, and the questions of the run, too; rows of types that this version
 * does not know are left out, unless they say that a reader must know them. Such a record cannot be resumed.
 *
 * @returns lines without their line feeds. Reading them rejects with a `PromptValidationError` for a run that the journal does not have, and with a `RecordError` for
 *   rows that cannot be read.
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/durable-runs.md §8
 */
export function exportRecord(options: ExportRecordOptions): AsyncIterable<string> {
  assertOptions('exportRecord()', options, {
    journal: 'object!',
    runId: required(keptName),
    redact: 'function',
  });
  return linesOf(options);
}

async function* linesOf({ journal, runId, redact }: ExportRecordOptions): AsyncGenerator<string, void> {
  const rows = await journal.read(runId);
  if (rows.length === 0) {
    throw new PromptValidationError(`The journal has no run "${runId}".`, { details: { option: 'runId' } });
  }
  if (redact === undefined) {
    for (const { seq, type, line } of rows) {
      // Rows of known types are copied unread.
      if (!isKnownType(type)) unknownRow(type, readJson(line), { runId, line: seq + 1 });
      yield line;
    }
    return;
  }
  // What could not be redacted is a marker in the record.
  const redacted = new RedactedRows(new Redactor(redact, () => undefined));
  for (const { line } of rows) yield* redacted.add(line);
}

/** What an attempt and a stage have in common. */
type Done = Pick<StagedPart, 'reads' | 'files' | 'records'>;

const encoder = new TextEncoder();

/** Redacts the rows of a run, one after the other, as if its recorder had got redacted observations. */
class RedactedRows {
  readonly #redactor: Redactor;
  readonly #reader = new RowReader();
  readonly #blobs: BlobWriter;
  readonly #estimates = new Map<number, RequestEstimate>();
  #lines: string[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    // What was kept stays.
    this.#blobs = new BlobWriter((blob) => this.#lines.push(lineOf(blob)), Infinity);
  }

  /**
   * The lines for the next row: its texts and contents first, unless lines before hold them. None for a text of the journal, and for a row of a type that is not known.
   *
   * @throws {RecordError}
   */
  add(line: string): readonly string[] {
    this.#lines = [];
    const row = this.#reader.read(line);
    if (row === undefined || row.type === 'unknown') return [];
    const before = this.#redactor.alterations;
    // An observation has a mark of its own.
    const { isRedacted: _isRedacted, ...redacted } = this.#redact(row) as { readonly isRedacted?: boolean };
    const isMarked = this.#redactor.alterations > before;
    const marked = isMarked ? { ...redacted, redacted: true } : redacted;
    const encoded =
      row.type === 'header'
        ? withoutReferences(marked)
        : toReferences(marked, (text) => this.#blobs.keepText(text));
    return [...this.#lines, lineOf(encoded)];
  }

  #redact(row: Row): object {
    switch (row.type) {
      case 'header': {
        const { version, runId } = row;
        return { ...this.#redactor.record(row), version, runId, redacted: true };
      }
      case 'slice':
        return row;
      case 'state':
        // The same members, as far as it reads them.
        return redactState(row as unknown as ObservedState, this.#redactor);
      case 'request':
        return this.#request(row);
      case 'commit':
      case 'attempt':
        return this.#done(row);
      case 'seen':
        return this.#seen(row);
      case 'pending':
        return this.#pending(row);
      default:
        return this.#redactor.record(row);
    }
  }

  #request(row: RequestRow): object {
    const { tools, outputSchema, run = 0 } = row;
    // A row has the members of a request, with its lists and schemas as texts.
    const request = {
      ...row,
      tools: parsed(tools),
      ...present({ outputSchema: outputSchema === undefined ? undefined : parsed(outputSchema) }),
    } as unknown as ObservedRequest;
    const redacted = redactRequest(request, this.#redactor);
    const estimate = this.#estimates.get(run) ?? new RequestEstimate();
    this.#estimates.set(run, estimate);
    return {
      ...redacted,
      tools: JSON.stringify(redacted.tools),
      ...present({
        outputSchema: outputSchema === undefined ? undefined : JSON.stringify(redacted.outputSchema),
      }),
      tokens: estimate.next(redacted),
    };
  }

  #done(row: Done): object {
    const { reads, files } = row;
    const observed = {
      ...row,
      reads: reads.map((read) => this.#withContent(read)),
      files: files.map((change) => withContents(change, (content) => this.#content(content))),
    };
    // The same members, as far as it reads them.
    const redacted = redactAttempt(observed as unknown as ObservedAttempt, this.#redactor);
    // What observers do not get is not redacted either.
    const { isRedacted: _isRedacted, records: _records, ...rest } = redacted as typeof redacted & Done;
    return {
      ...rest,
      reads: redacted.reads.map((read) => this.#withReference(read)),
      files: redacted.files.map((change) => withContents(change, (content) => this.#keep(content))),
    };
  }

  #seen(row: SeenRow): object {
    const { type, t, run, path, found, content, names } = row;
    const read = {
      ...({ kind: 'file', what: '', path, found } as const),
      ...present({ names, content: content === undefined ? undefined : this.#content(content) }),
    };
    const { kind: _kind, what: _what, ...redacted } = this.#withReference(redactRead(read, this.#redactor));
    return { type, t, ...present({ run }), ...redacted };
  }

  #pending({ questions, ...row }: PendingRow): object {
    return {
      ...row,
      questions: questions.map(({ staged, ...question }) => ({
        ...this.#redactor.record(question),
        ...present({ staged: staged === undefined ? undefined : this.#done(staged) }),
      })),
    };
  }

  /** The hash of a result says what the text was that is left out. */
  #withContent({ content, resultHash: _hash, ...read }: RowRead): object {
    return content === undefined ? read : { ...read, content: this.#content(content) };
  }

  #withReference<T extends object>(read: T): Omit<T, 'content'> & { readonly content?: ContentReference } {
    const { content, ...rest } = read as T & { readonly content?: FileContent };
    return { ...rest, ...present({ content: content === undefined ? undefined : this.#keep(content) }) };
  }

  /** The content of a file, as the journal keeps it. */
  #content({ hash, bytes, omitted }: ContentReference): FileContent {
    const blob = omitted === true ? undefined : this.#reader.blob(hash);
    const text = blob?.text;
    const data = (): Uint8Array => {
      if (text === undefined) throw new RangeError('Binary content stays away.');
      return encoder.encode(text);
    };
    return { bytes, text: () => text, data };
  }

  #keep(content: FileContent): ContentReference {
    return this.#blobs.keepContent(content, true);
  }
}

/** A text that the recorder wrote as JSON. */
function parsed(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
