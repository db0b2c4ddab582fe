import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JournalError, RecordError } from '../../core/error/index.ts';
import { errorMessage, reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/**
 * Writes the lines of a record to a new file that only the user can read.
 *
 * @throws {UsageError} when it exists or cannot be written, or a line cannot be read; {JournalError} when its journal has failed. Nothing is then left of it.
 */
export async function writeRecord(lines: AsyncIterable<string>, file: string): Promise<void> {
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  let isOpen = false;
  output.once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline(Readable.from(withEnds(lines)), output);
  } catch (error) {
    // What was there before is not touched.
    if (isOpen) await rm(file, { force: true });
    // It is the journal that the lines are read from.
    if (JournalError.isInstance(error)) throw error;
    const why = RecordError.isInstance(error) ? reasonOf(error) : errorMessage(error);
    throw new UsageError(`cannot write "${printable(file)}": ${why}.`, { cause: error });
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${line}\n`;
}
