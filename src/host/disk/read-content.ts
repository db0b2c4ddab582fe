import type { FileHandle } from 'node:fs/promises';

/** Size and times of a file when it was opened. */
export interface OpenedStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * The whole content of an open file.
 * @returns `undefined` when the file was written to since `stamp` was taken, so that the bytes may mix old and new content.
 * @throws the error of the operating system.
 */
export async function readContent(handle: FileHandle, stamp: OpenedStamp): Promise<Uint8Array | undefined> {
  const content = new Uint8Array(stamp.size);
  let filled = 0;
  while (filled < stamp.size) {
    const { bytesRead } = await handle.read(content, filled, stamp.size - filled, filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  const now = await handle.stat();
  const unchanged = now.size === stamp.size && now.mtimeMs === stamp.mtimeMs && now.ctimeMs === stamp.ctimeMs;
  return unchanged ? content : undefined;
}
