import { RunFold } from './run-fold.ts';
import type { RunRecord } from './run-record.ts';

/**
 * Reads a record from its lines. A last line that was cut off, as by a kill, is left out: `isTorn` says so. Rows of types that
 * this version does not know are counted.
 *
 * @param lines without their line feeds, such as those of a file.
 * @throws {RecordError} `record-malformed`, `record-version-unsupported`, `record-row-unsupported`, `record-blob-missing`, `record-empty`.
 * @see docs/spec/run-record.md §7
 */
export async function readRunRecord(lines: Iterable<string> | AsyncIterable<string>): Promise<RunRecord> {
  const fold = new RunFold();
  for await (const line of lines) fold.add(line);
  return fold.record();
}
