import { closeSync, lstatSync, openSync, rmSync, type Stats, writeSync } from 'node:fs';
import type { Disposals } from '../process/disposals.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** A file with one line per event. */
export interface EventLog {
  /** Writes one line. Never throws. */
  write(line: string): void;
  /** Closes the file. @returns why it is incomplete; undefined when it is complete. */
  close(): string | undefined;
}

/**
 * Opens the file, readable for its owner only; a previous one is replaced, so that neither its permissions nor its other names are those of the log. Each line is written at once and as a whole, so
 * that the file can be followed and survives a crash.
 * @throws {UsageError} for a symbolic link, and when it cannot be opened for writing.
 */
export function openEventLog(path: string): EventLog {
  refuseLink(path);
  const file = orUsageError(
    () => openNew(path),
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

/** What {@link openLogOf} works with. */
interface LogParts {
  readonly openLog: typeof openEventLog;
  /** Closes the file. */
  readonly opened: Disposals;
  /** Gets why the log is incomplete. */
  say(line: string): void;
}

/** Opens the log that an option names; undefined without one. @throws {UsageError} as {@link openEventLog}. */
export function openLogOf(
  file: string | undefined,
  { openLog, opened, say }: LogParts,
): EventLog | undefined {
  if (file === undefined) return undefined;
  const log = openLog(file);
  opened.defer(() => {
    const problem = log.close();
    if (problem !== undefined) say(printable(problem));
  });
  return log;
}

/** @throws {UsageError} for a link, which may lead to a file of others. Those of `/dev` are the system's. */
function refuseLink(path: string): void {
  if (path.startsWith('/dev/')) return;
  const found = statOf(path);
  if (found?.isSymbolicLink() === true)
    throw new UsageError(`the log "${printable(path)}" is a symbolic link: name the file itself.`);
}

/** A new file in the place of one of that name. Devices and pipes are opened as they are. */
function openNew(path: string): number {
  const found = path.startsWith('/dev/') ? 'device' : statOf(path);
  if (found === undefined) return openSync(path, 'wx', 0o600);
  if (found === 'device' || !found.isFile()) return openSync(path, 'w');
  rmSync(path);
  return openSync(path, 'wx', 0o600);
}

/** Undefined for what is not there, or cannot be looked at: opening it says why. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
