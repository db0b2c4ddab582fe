import { closeSync, openSync, writeSync } from 'node:fs';
import { errorMessage, orUsageError } from '../process/errors.ts';

/** A file with one line per event. */
export interface EventLog {
  /** Writes one line. Never throws. */
  write(line: string): void;
  /** Closes the file. @returns why it is incomplete; undefined when it is complete. */
  close(): string | undefined;
}

/**
 * Opens the file, readable for its owner only; previous content is removed. Each line is written at once and as a whole, so
 * that the file can be followed and survives a crash.
 * @throws {UsageError} when it cannot be opened for writing.
 */
export function openEventLog(path: string): EventLog {
  const file = orUsageError(
    () => openSync(path, 'w', 0o600),
    (error) => `the log "${path}" cannot be written: ${errorMessage(error)}.`,
  );
  let problem: string | undefined;
  return {
    write: (line) => {
      if (problem !== undefined) return;
      try {
        writeWhole(file, Buffer.from(`${line}\n`));
      } catch (error) {
        problem = `the log "${path}" is incomplete: ${errorMessage(error)}.`;
      }
    },
    close: () => {
      try {
        closeSync(file);
      } catch (error) {
        problem ??= `the log "${path}" is incomplete: ${errorMessage(error)}.`;
      }
      return problem;
    },
  };
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
