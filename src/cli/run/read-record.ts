import { createReadStream } from 'node:fs';
import { describeError } from '../../error/index.ts';
import { RecordError, type RunRecord, readRunRecord } from '../../record/index.ts';
import { errorMessage, UsageError } from '../process/errors.ts';
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

/** The lines of a stream of text. Only a line feed ends one: the readers of lines of some versions of Node split at characters that are part of a text, too. */
async function* linesOf(stream: AsyncIterable<string>): AsyncGenerator<string> {
  // Parts of a line that is longer than what comes at once.
  let parts: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.split('\n');
    parts.push(first);
    for (const line of others) {
      yield parts.join('');
      parts = [line];
    }
  }
  yield parts.join('');
}
