import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { normalizePath, type PendingMark } from '../../../core/filesystem/index.ts';
import type { CommitPlan, CommitStep } from './commit-step.ts';

const journalVersion = 1;
const journalName = /^commit-([0-9a-f-]{36})\.jsonl$/;

/** The record of a commit that may have been interrupted. */
export interface JournalRecord {
  /** The mark of the folder of the commit (`rootMarkOf`); undefined in journals of version 0.1. */
  readonly rootMark: string | undefined;
  readonly steps: readonly CommitStep[];
  /** Files that were written next to their targets, moved there or not. */
  readonly stagedPaths: readonly string[];
  /** Device and inode of what each step places or moves. Known only after all content was written. */
  readonly identities: readonly (string | undefined)[];
  /** The number of steps that were begun. */
  readonly begun: number;
  /** All content was written, so that another party may have decided about the commit. */
  readonly isReady: boolean;
  /** The commit of a run that it is; undefined when its caller decides about it. */
  readonly pending: PendingMark | undefined;
  /** All steps were done: only leftovers have to be removed. */
  readonly isDone: boolean;
}

/**
 * The journal of one commit, in a file outside the folder: each line is written before the operation it describes. The
 * lines that decide between the old and the new tree are synced to the disk.
 */
export class CommitJournal {
  readonly #path: string;
  readonly #directory: string;
  readonly #file: number;

  private constructor(directory: string, path: string) {
    this.#directory = directory;
    this.#path = path;
    this.#file = openSync(path, 'wx', 0o600);
  }

  /** Records the plan. Nothing in the folder may be changed before. */
  static begin(
    directory: string,
    plan: CommitPlan,
    rootMark: string,
    pending: PendingMark | undefined,
  ): CommitJournal {
    const journal = new CommitJournal(directory, pathOf(directory, plan.id));
    const { steps, staged } = plan;
    const stagedPaths = staged.map((file) => file.staged);
    journal.#write({ version: journalVersion, rootMark, steps, stagedPaths, pending });
    fsyncSync(journal.#file);
    forceDirectory(directory);
    return journal;
  }

  ready(identities: readonly (string | undefined)[]): void {
    this.#write({ identities: identities.map((identity) => identity ?? null) });
    fsyncSync(this.#file);
  }

  step(index: number): void {
    this.#write({ step: index });
  }

  /** From here on the commit is durable. */
  done(): void {
    this.#write({ done: true });
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    removeJournal(this.#directory, this.#path);
  }

  #write(line: object): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Syncs the entries of a directory to the disk. Not every platform supports that. */
export function forceDirectory(path: string): void {
  let directory: number;
  try {
    directory = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(directory);
  } catch {
    // The entries reach the disk later, as on platforms without directory sync.
  } finally {
    closeSync(directory);
  }
}

export function removeJournal(directory: string, path: string): void {
  unlinkSync(path);
  forceDirectory(directory);
}

function pathOf(directory: string, id: string): string {
  return join(directory, `commit-${id}.jsonl`);
}

/** The paths of the remaining journals, which belong to interrupted commits. */
export function listJournals(directory: string): readonly string[] {
  return journalIds(directory).map((id) => pathOf(directory, id));
}

/** The ids of the commits whose journals remain. */
export function journalIds(directory: string): readonly string[] {
  return readdirSync(directory).flatMap((name) => journalName.exec(name)?.[1] ?? []);
}

/**
 * The content of a journal; undefined when not even its first line is complete, so that nothing has happened.
 * @throws {Error} when it has another version or is not a journal.
 */
export function readJournal(path: string): JournalRecord | undefined {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What follows the last line feed is an incomplete line.
  lines.pop();
  const [first, ...rest] = lines.map((line): unknown => JSON.parse(line));
  if (first === undefined) return undefined;
  const { version, rootMark, steps, stagedPaths, pending } = Object(first);
  if (version !== journalVersion || !Array.isArray(steps) || !Array.isArray(stagedPaths)) {
    throw new Error('The journal was written by another version.');
  }
  for (const step of steps) assertPaths(step);
  for (const staged of stagedPaths) assertPath(staged);
  let begun = 0;
  let isDone = false;
  let identities: readonly (string | undefined)[] = [];
  for (const line of rest) {
    const entry = Object(line);
    if (typeof entry.step === 'number') begun = entry.step + 1;
    if (entry.done === true) isDone = true;
    if (Array.isArray(entry.identities)) {
      identities = entry.identities.map((identity: unknown) =>
        typeof identity === 'string' ? identity : undefined,
      );
    }
  }
  return {
    rootMark: typeof rootMark === 'string' ? rootMark : undefined,
    steps,
    stagedPaths,
    identities,
    begun,
    isReady: identities.length > 0,
    pending: pendingOf(pending),
    isDone,
  };
}

function pendingOf(pending: unknown): PendingMark | undefined {
  const { runId, commit } = Object(pending);
  return typeof runId === 'string' && typeof commit === 'number' ? { runId, commit } : undefined;
}

function assertPaths(step: unknown): void {
  const { op, path, trash, from, staged, backup } = Object(step);
  if (!['take', 'mkdir', 'give', 'place', 'link'].includes(op))
    throw new Error('The journal has an unknown step.');
  for (const each of [path, trash, from, staged, backup]) if (each !== undefined) assertPath(each);
}

function assertPath(path: unknown): void {
  if (typeof path !== 'string' || path === '.' || normalizePath(path) !== path) {
    throw new Error('The journal names a path that no commit can have written.');
  }
}
