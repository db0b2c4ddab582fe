import type { FileHandle } from 'node:fs/promises';
import { describeError, RecordError } from '../../core/error/index.ts';
import { RunFold } from '../../record/index.ts';
import type { ViewRequest } from '../commands/view.ts';
import { isOfLaterVersion, UsageError } from '../process/errors.ts';
import { linesOf } from '../process/lines-of.ts';
import { printable } from '../process/plain-text.ts';

/**
 * Reads a record as the page will. Of one that is followed only the header: the page reads the rest, which may be larger than the memory.
 *
 * @returns what is wrong with the first line that cannot be shown; undefined when all of it can be.
 * @throws {UsageError} for a file of which nothing can be shown: it is empty, is not a record, is one of another version, or has a row of a later version that every reader must know.
 */
export async function checkRecord(
  file: FileHandle,
  { file: name, isFollowing }: Pick<ViewRequest, 'file' | 'isFollowing'>,
): Promise<string | undefined> {
  const fold = new RunFold();
  let isBlank = true;
  let damage: RecordError | undefined;
  try {
    for await (const line of linesOf(textOf(file))) {
      fold.add(line);
      isBlank &&= line.trim() === '';
      if (isFollowing && !isBlank) break;
    }
  } catch (error) {
    if (!RecordError.isInstance(error)) throw error;
    damage = error;
  }
  if (isOfLaterVersion(damage)) throw refusedRecord(name, damage);
  if (hasHeader(fold)) return damage === undefined ? undefined : sentenceOf(damage);
  const said = `"${printable(name)}"`;
  if (isBlank && damage === undefined) throw new UsageError(`${said} is empty: the run has written no row.`);
  throw new UsageError(`${said} is not a record: write one with wink run --record FILE.`, { cause: damage });
}

const chunkBytes = 256 * 1024;

/** The text of a file that stays open, also where not all of it is read. */
async function* textOf(file: FileHandle): AsyncGenerator<string, void> {
  // The reader of rows takes a byte order mark away.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
  }
  yield decoder.decode();
}

function hasHeader(fold: RunFold): boolean {
  try {
    fold.record();
    return true;
  } catch (error) {
    if (RecordError.isInstance(error) && error.code === 'record-empty') return false;
    throw error;
  }
}

/** What an error of a record says, printable. */
export function sentenceOf(error: RecordError): string {
  return printable(describeError(error));
}

/** The error for a record that {@link isOfLaterVersion}. */
export function refusedRecord(name: string, error: RecordError): UsageError {
  return new UsageError(`"${printable(name)}" cannot be shown: ${sentenceOf(error)}`, { cause: error });
}

/** Lines up to the one that cannot be read; `onDamage` gets the error. */
export async function* untilDamage(
  lines: AsyncIterable<string>,
  onDamage: (error: RecordError) => void,
): AsyncGenerator<string, void> {
  try {
    yield* lines;
  } catch (error) {
    if (!RecordError.isInstance(error)) throw error;
    onDamage(error);
  }
}
