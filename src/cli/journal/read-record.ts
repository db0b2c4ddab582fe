import { createReadStream } from 'node:fs';
import { describeError, RecordError } from '../../core/error/index.ts';
import { type RunRecord, readRunRecord } from '../../record/index.ts';
import { errorMessage, UsageError } from '../process/errors.ts';
import { linesOf } from '../process/lines-of.ts';
import { printable } from '../process/plain-text.ts';

/**
 * Reads the record in a file.
 * @param purpose what cannot be done without it, such as `replayed`, for the message.
 * @throws {UsageError} for a file that cannot be read, or is not a record.
 */
export async function readRecord(file: string, purpose: string): Promise<RunRecord> {
  const shown = printable(file);
  try {
    return await readRunRecord(linesOf(createReadStream(file, 'utf8')));
  } catch (error) {
    if (RecordError.isInstance(error))
      throw new UsageError(`"${shown}" cannot be ${purpose}: ${printable(describeError(error))}`, {
        cause: error,
      });
    throw new UsageError(`cannot read "${shown}": ${errorMessage(error)}.`, { cause: error });
  }
}
