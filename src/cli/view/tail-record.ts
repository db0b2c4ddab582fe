import type { FileHandle } from 'node:fs/promises';
import type { CliEnvironment } from '../process/environment.ts';
import type { SendRows } from './follow-server.ts';

const chunkBytes = 256 * 1024;
const pollMs = 250;

/**
 * Sends what a file holds, and what is appended to it, until the signal is aborted or the file is shorter than what was sent. Its size is asked for
 * again and again: notices of changes do not exist on every file system.
 */
export function tailRecord(file: FileHandle, after: CliEnvironment['after']): SendRows {
  return async (send, signal) => {
    let position = 0;
    while (!signal.aborted) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(chunkBytes), 0, chunkBytes, position);
      if (bytesRead > 0) {
        position += bytesRead;
        await send(buffer.subarray(0, bytesRead));
        continue;
      }
      const { size } = await file.stat();
      if (size < position) return;
      if (size === position) await pause(after, signal);
    }
  };
}

function pause(after: CliEnvironment['after'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stop = (): void => undefined;
    const done = (): void => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    stop = after(pollMs, done);
  });
}
