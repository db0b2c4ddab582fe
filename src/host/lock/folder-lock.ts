import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { present, quoteText } from '../../core/internal/index.ts';
import type { RunLease } from '../../core/runtime/index.ts';
import { errorCode } from '../disk/system-error.ts';
import {
  isAlive,
  isElsewhere,
  type ProcessIdentity,
  presentProcess,
  readIdentity,
} from './process-identity.ts';
import { sha256Of } from './sha256.ts';

/** The holder of a lock, and the token of this lock. */
interface LockRecord extends ProcessIdentity {
  readonly token: string;
  /** The owner of the lease that its holder has of the folder; absent without one. The lease ends also where the end of the process cannot be seen, and where it hangs. */
  readonly leaseOwner?: string;
}

/** The lease that a lock is acquired under. */
export type LockLease = Pick<RunLease, 'owner' | 'formerOwner'>;

const lockFileName = 'lock';

/** The holder of a lock file that was damaged when its machine stopped: the process ended with the machine. */
const damagedHolder: ProcessIdentity = { host: '', pid: 0, startedAt: '', space: '' };

/**
 * An exclusive lock on one folder. It ends with the process, however that ends: the lock of a
 * dead process is taken over.
 */
export class FolderLock {
  readonly #path: string;
  readonly #token: string;

  private constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
  }

  /**
   * @param directory the directory of the lock file.
   * @param folder the folder as the caller named it, for the message.
   * @param lease that of the folder: the lock of the owner before, and one of another machine that was taken under a lease, are then taken over. Default: none.
   * @throws {FilesystemError} `filesystem-locked`, with the `pid` that holds it.
   */
  static acquire(directory: string, folder: string, lease?: LockLease): FolderLock {
    const path = join(directory, lockFileName);
    const record: LockRecord = {
      ...presentProcess(),
      token: randomUUID(),
      ...present({ leaseOwner: lease?.owner }),
    };
    for (;;) {
      if (createAtomically(path, JSON.stringify(record))) {
        for (const name of readdirSync(directory))
          if (/^(?:takeover-|lock\.)/.test(name)) removeIfExists(join(directory, name));
        return new FolderLock(path, record.token);
      }
      const holder = readRecord(path);
      if (holder === undefined) continue;
      if (isHeld(holder, lease)) throw lockedError(folder, holder);
      takeOver(directory, folder, holder, { record, lease });
    }
  }

  /** Whether a live process holds the lock in a directory. */
  static isHeld(directory: string): boolean {
    const holder = readRecord(join(directory, lockFileName));
    return holder !== undefined && isHeld(holder, undefined);
  }

  dispose(): void {
    if (readRecord(this.#path)?.token === this.#token) removeIfExists(this.#path);
  }
}

/** Removes a lock that has ended. Of several processes that try, only one may remove a lock with this token. */
function takeOver(
  directory: string,
  folder: string,
  ended: LockRecord,
  { record, lease }: { readonly record: LockRecord; readonly lease: LockLease | undefined },
): void {
  for (let attempt = 0; ; attempt += 1) {
    const guard = join(directory, `takeover-${ended.token}-${attempt}`);
    if (createAtomically(guard, JSON.stringify(record))) break;
    const other = readRecord(guard);
    // The other process has finished, or was killed in the middle.
    if (other === undefined) return;
    if (isHeld(other, lease)) throw lockedError(folder, other);
  }
  const path = join(directory, lockFileName);
  if (readRecord(path)?.token === ended.token) removeIfExists(path);
}

/** The content of a lock file; undefined when there is none. Lock files are created atomically, so an invalid one was damaged later. */
function readRecord(path: string): LockRecord | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return parseRecord(text) ?? { ...damagedHolder, token: sha256Of(text) };
}

/** @param lease that of the folder, which the caller has: only one owner has it at a time. */
function isHeld(record: LockRecord, lease: LockLease | undefined): boolean {
  const { leaseOwner } = record;
  const isUnderLease = lease !== undefined && leaseOwner !== undefined;
  if (isUnderLease && (leaseOwner === lease.formerOwner || isElsewhere(record))) return false;
  return record.pid !== damagedHolder.pid && isAlive(record);
}

function parseRecord(text: string): LockRecord | undefined {
  try {
    const record = Object(JSON.parse(text));
    const { token, leaseOwner } = record;
    const identity = readIdentity(record);
    const isWhole = identity !== undefined && typeof token === 'string' && /^[\w-]+$/.test(token);
    const isLeased = typeof leaseOwner === 'string';
    return isWhole
      ? { ...identity, token, ...present({ leaseOwner: isLeased ? leaseOwner : undefined }) }
      : undefined;
  } catch {
    return undefined;
  }
}

function lockedError(folder: string, { pid, host }: ProcessIdentity): FilesystemError {
  return new FilesystemError(
    'filesystem-locked',
    `The folder ${quoteText(folder)} is in use by process ${pid} on ${host}. Wait until it has ended, or work on another folder.`,
    { details: { path: folder, pid, host } },
  );
}

/**
 * Creates a file with its whole content atomically, while other processes may be cleaning up: a draft that was removed before
 * it was linked is written again.
 *
 * @param link links the draft to its name; `linkSync` except in tests.
 * @returns false when the file already exists.
 */
export function createAtomically(
  path: string,
  text: string,
  link: (draft: string, path: string) => void = linkSync,
): boolean {
  for (;;) {
    const draft = `${path}.${randomUUID()}`;
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    try {
      link(draft, path);
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') return false;
      if (code !== 'ENOENT') throw error;
    } finally {
      removeIfExists(draft);
    }
  }
}

export function removeIfExists(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
