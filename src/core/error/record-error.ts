import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link RecordError}.
 *
 * - `record-malformed`: a line is not a row of a record; `details.line` is its number, from 1.
 *   What to do: record the run again; the lines before `details.line` can be read on their own.
 * - `record-version-unsupported`: the record has another format; `details.version` is what it says.
 *   What to do: read it with the version of the library that wrote it.
 * - `record-row-unsupported`: a later version of the library wrote a row that changes what the rest of them means; `details` has `runId`, `line` and the `type` of the row.
 *   What to do: read it with the version of the library that wrote it, or a later one.
 * - `record-blob-missing`: a row refers to a text that the record does not have; `details.line` and `details.hash`.
 *   What to do: take the whole file: it was cut, or lines were removed.
 * - `record-empty`: the record holds no row.
 *   What to do: look whether the run began at all; its program may have ended before.
 * - `record-request-missing`: a recorded model got a request that the record does not have; `details.turn`.
 *   What to do: replay with the code that was recorded, or with `onDrift: 'force'`.
 * - `record-replay-incomplete`: not all answers of a recorded model were asked for; `details.unused` is their number.
 *   What to do: the code asks the model less often than when it was recorded: record again when that is meant.
 */
export type RecordErrorCode =
  | 'record-malformed'
  | 'record-version-unsupported'
  | 'record-row-unsupported'
  | 'record-blob-missing'
  | 'record-empty'
  | 'record-request-missing'
  | 'record-replay-incomplete';

/** A record of a run that cannot be read. */
export class RecordError extends WinkError<RecordErrorCode> {
  constructor(code: RecordErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('RecordError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is RecordError {
    return hasErrorMarker(value, 'RecordError');
  }
}
