import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { embedded } from './embed-record.ts';
import type { ViewerPage } from './viewer-page.ts';

/** Only the user reads a page: it holds everything that the run read and wrote. */
const privateMode = 0o600;

/**
 * Writes a page with a record, as it is now, to a file that only the user can read. The file takes its place when it is complete.
 * @throws {Error} of the file system.
 */
export async function writePage(page: ViewerPage, record: FileHandle, target: string): Promise<void> {
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(
      Readable.from(partsOf(page, record)),
      createWriteStream(part, { flags: 'wx', mode: privateMode }),
    );
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function* partsOf(page: ViewerPage, record: FileHandle): AsyncGenerator<string | Uint8Array> {
  yield page.head;
  for await (const chunk of record.createReadStream({ start: 0, autoClose: false })) {
    // Without an encoding the stream reads bytes.
    yield embedded(chunk as Uint8Array);
  }
  yield page.tail;
}

/** A new folder for temporary files that only the user can read. */
export function privateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'wink-view-'));
}

/** The name of the page for a record: `run.html` for `run.jsonl`. */
export function pageName(recordName: string): string {
  return `${recordName.replace(/\.(jsonl|ndjson|json)$/i, '')}.html`;
}
