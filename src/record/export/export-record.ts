import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import { type Redaction, Redactor, type RunJournal } from '../../core/runtime/index.ts';
import { RedactedRows } from './redacted-rows.ts';

/** Options of {@link exportRecord}. */
export interface ExportRecordOptions {
  readonly journal: RunJournal;
  readonly runId: string;
  /**
   * Takes out of every text what must not leave. A text that it fails for becomes a fixed marker, and the contents of binary files become their sizes. Default:
   * the record holds all that the journal does.
   */
  readonly redact?: Redaction;
}

/**
 * The record of a run, line by line, from the rows of its journal: for `readRunRecord`, `wink view`, `wink replay` and `wink query`. The run may be going on:
 * the record ends with its last row then. A run that was interrupted and resumed is one record.
 *
 * With `redact`, texts and data are redacted as an observer of the run would have got them, and the questions of the run, too; rows of types that this version
 * does not know are left out. Such a record cannot be resumed.
 *
 * @returns lines without their line feeds. Reading them rejects with a `PromptValidationError` for a run that the journal does not have, and with a `RecordError` for
 *   rows that cannot be read.
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/durable-runs.md §8
 */
export function exportRecord(options: ExportRecordOptions): AsyncIterable<string> {
  assertOptions('exportRecord()', options, { journal: 'object!', runId: 'string!', redact: 'function' });
  return linesOf(options);
}

async function* linesOf({ journal, runId, redact }: ExportRecordOptions): AsyncGenerator<string, void> {
  const rows = await journal.read(runId);
  if (rows.length === 0) {
    throw new PromptValidationError(`The journal has no run "${runId}".`, { details: { option: 'runId' } });
  }
  if (redact === undefined) {
    for (const { line } of rows) yield line;
    return;
  }
  // What could not be redacted is a marker in the record.
  const redacted = new RedactedRows(new Redactor(redact, () => undefined));
  for (const { line } of rows) yield* redacted.add(line);
}
