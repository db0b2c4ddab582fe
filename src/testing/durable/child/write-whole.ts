import { writeSync } from 'node:fs';

const retryAfterMs = 5;

/** Writes bytes and returns how many it has taken, as `writeSync`. */
export type WriteSome = (fd: number, bytes: Uint8Array) => number;

/**
 * Writes all of a text before it returns. A pipe that has no room until its reader goes on refuses with `EAGAIN`, since a thread of the process
 * makes its standard output non-blocking; that is waited for.
 *
 * @param write Default: `writeSync`.
 * @throws what `write` throws otherwise.
 */
export function writeWhole(fd: number, text: string, write: WriteSome = writeSync): void {
  let rest: Uint8Array = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(write(fd, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfterMs);
    }
  }
}
