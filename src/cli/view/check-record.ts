import type { FileHandle } from 'node:fs/promises';
import { isRecord } from '../../core/internal/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** The version of records that the page reads. */
const version = 'wink-run/1';
const chunkBytes = 64 * 1024;
/** A header holds names and versions: a first line that is longer is something else. */
const maxHeaderBytes = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/**
 * Checks that a file begins as a record does, so that a wrong file is refused here and not by the page.
 * @throws {UsageError} for a file that is empty, is not a record, or is one of another version.
 */
export async function checkRecord(file: FileHandle, name: string): Promise<void> {
  const line = await firstLine(file);
  const said = `"${printable(name)}"`;
  if (line === undefined) throw new UsageError(`${said} is not a record: its first line is not a header.`);
  if (line.trim() === '') throw new UsageError(`${said} is empty: the run has written no row.`);
  const header = parsed(line);
  if (!isRecord(header) || header['type'] !== 'header' || typeof header['version'] !== 'string') {
    throw new UsageError(`${said} is not a record: write one with wink run --record FILE.`);
  }
  if (header['version'] !== version) {
    throw new UsageError(
      `${said} is a record of version ${printable(header['version'])}; this command reads ${version}.`,
    );
  }
}

async function firstLine(file: FileHandle): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  for (let position = 0; position < maxHeaderBytes; ) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(chunkBytes), 0, chunkBytes, position);
    const part = buffer.subarray(0, bytesRead);
    const end = part.indexOf(lineFeed);
    parts.push(end < 0 ? part : part.subarray(0, end));
    if (end >= 0 || bytesRead === 0) return Buffer.concat(parts).toString('utf8');
    position += bytesRead;
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
