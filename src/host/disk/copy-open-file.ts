import { readSync, writeSync } from 'node:fs';

const chunkBytes = 1_048_576;

/**
 * Copies an open file from its beginning to another file, in chunks, whatever its size.
 * @param onChunk called with each chunk before it is written.
 */
export function copyOpenFile(
  source: number,
  target: number,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): void {
  const buffer = new Uint8Array(chunkBytes);
  for (let position = 0; ; ) {
    const read = readSync(source, buffer, 0, buffer.length, position);
    if (read === 0) return;
    position += read;
    const chunk = buffer.subarray(0, read);
    onChunk(chunk);
    writeWhole(target, chunk);
  }
}

/** Writes all of the data at the current position of the file. */
export function writeWhole(file: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) written += writeSync(file, data, written);
}
