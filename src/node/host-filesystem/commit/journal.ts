import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { normalizePath } from '../../../filesystem/index.ts';
import type { CommitPlan, CommitStep } from './commit-step.ts';

const VERSION = 1;
const journalName = /^commit-[0-9a-f-]{36}\.jsonl$/;

/** What a journal says about a commit that may have been interrupted. */
export interface JournalRecord {
  /** Of the folder that the commit was made in (`rootMarkOf`); undefined in journals of version 0.1. */
  readonly rootMark: string | undefined;
  readonly steps: readonly CommitStep[];
  /** Files that were written beside their places, whether or not they have come there. */
  readonly stagedPaths: readonly string[];
  /** What the steps place or move, by step, as device and inode. Only known once all of it was written. */
  readonly identities: readonly (string | undefined)[];
  /** How many steps were begun. */
  readonly begun: number;
  /** All steps were done: only what they left behind is to be cleared away. */
  readonly isDone: boolean;
}

/**
 * The record of one commit, in a file outside the folder that is written: each line before what it tells happens. The
 * lines that decide between old and new are forced to the disk.
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

  /** Tells what is going to happen. Nothing in the folder may be touched before. */
  static begin(directory: string, plan: CommitPlan, rootMark: string): CommitJournal {
    const journal = new CommitJournal(directory, join(directory, `commit-${plan.id}.jsonl`));
    const { steps, staged } = plan;
    journal.#write({ version: VERSION, rootMark, steps, stagedPaths: staged.map((file) => file.staged) });
    journal.#force();
    return journal;
  }

  ready(identities: readonly (string | undefined)[]): void {
    this.#write({ identities: identities.map((identity) => identity ?? null) });
    fsyncSync(this.#file);
  }

  step(index: number): void {
    this.#write({ step: index });
  }

  /** From here on the commit stands. */
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

  #force(): void {
    fsyncSync(this.#file);
    forceDirectory(this.#directory);
  }
}

/** Makes sure that names made or removed in a directory are on the disk. Not every platform can. */
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
    // The names reach the disk later, as on any platform without this.
  } finally {
    closeSync(directory);
  }
}

export function removeJournal(directory: string, path: string): void {
  unlinkSync(path);
  forceDirectory(directory);
}

/** The paths of the journals that were not removed, which are those of interrupted commits. */
export function listJournals(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => journalName.test(name))
    .map((name) => join(directory, name));
}

/**
 * What a journal says; undefined when not even its first line was completed, so that nothing has happened.
 * @throws {Error} when it is of another version or not one of ours.
 */
export function readJournal(path: string): JournalRecord | undefined {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What stands behind the last line feed is no complete line.
  lines.pop();
  const [first, ...rest] = lines.map((line): unknown => JSON.parse(line));
  if (first === undefined) return undefined;
  const { version, rootMark, steps, stagedPaths } = Object(first);
  if (version !== VERSION || !Array.isArray(steps) || !Array.isArray(stagedPaths)) {
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
    isDone,
  };
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
