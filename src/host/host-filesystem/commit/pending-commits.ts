import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../disk/replace-file.ts';
import { isMarkOf } from '../../disk/stamp.ts';
import { removeIfExists } from '../../lock/index.ts';
import type { HostJail } from '../jail/jail.ts';
import { forceDirectory } from './journal.ts';

/**
 * A commit of a run with a journal that is not in the folder, although the journal may have decided it: its process was killed, or the disk
 * failed. Settling the run brings the folder to it.
 */
export interface PendingCommit {
  readonly runId: string;
  /** Number of the commit within the run. */
  readonly commit: number;
  /** The paths that it changes, sorted. */
  readonly paths: readonly string[];
}

const markVersion = 1;
const markName = /^pending-[0-9a-f]{32}\.json$/;

/** Keeps the mark of a commit, one for each run. @throws the error of the operating system. */
export function keepPending(
  directory: string,
  { runId, commit, paths }: PendingCommit,
  rootMark: string | undefined,
): void {
  const path = pathOf(directory, runId);
  // The folder is locked: no other process writes it. One that a killed process left is written again.
  const mark = JSON.stringify({ version: markVersion, runId, commit, paths, rootMark });
  replaceFile(path, `${path}.draft`, mark, 0o600);
  forceDirectory(directory);
}

/** Removes the mark of a run. @throws the error of the operating system. */
export function clearPending(directory: string, runId: string): void {
  removeIfExists(pathOf(directory, runId));
  forceDirectory(directory);
}

/** The pending commits of a folder, sorted by run. Marks of another folder that was at its path, and damaged ones, do not count. */
export function readPending(jail: HostJail, directory: string): readonly PendingCommit[] {
  const found = namesIn(directory).flatMap((name) => readMark(jail, join(directory, name)) ?? []);
  return found.sort((left, right) => (left.runId < right.runId ? -1 : 1));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => markName.test(name));
  } catch {
    // There is nothing yet: no process has written to the folder.
    return [];
  }
}

function readMark(jail: HostJail, path: string): PendingCommit | undefined {
  let mark: unknown;
  try {
    mark = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Cleared by another process, or damaged.
    return undefined;
  }
  const { version, runId, commit, paths, rootMark } = Object(mark);
  const isWhole =
    version === markVersion &&
    typeof runId === 'string' &&
    typeof commit === 'number' &&
    Array.isArray(paths);
  if (!isWhole || (typeof rootMark === 'string' && !isMarkOf(rootMark, jail.rootStats()))) return undefined;
  return { runId, commit, paths: paths.map(String) };
}

function pathOf(directory: string, runId: string): string {
  return join(directory, `pending-${createHash('sha256').update(runId).digest('hex').slice(0, 32)}.json`);
}
