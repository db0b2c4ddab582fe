import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link RecordError}.
 *
 * - `record-malformed`: a line is not a row of a record; `details.line` is its number, from 1.
 * - `record-version-unsupported`: the record has another format; `details.version` is what it says.
 * - `record-row-unsupported`: a later version of the library wrote a row that changes what the rest of them means; `details` has `runId`, `line` and the `type` of the row.
 * - `record-blob-missing`: a row refers to a text that the record does not have; `details.line` and `details.hash`.
 * - `record-empty`: the record holds no row.
 * - `record-request-missing`: a recorded model got a request that the record does not have; `details.turn`.
 * - `record-replay-incomplete`: not all answers of a recorded model were asked for; `details.unused` is their number.
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
