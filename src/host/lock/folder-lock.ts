import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { present, quoteText } from '../../core/internal/index.ts';
import { errorCode } from '../disk/system-error.ts';
import {
  isAlive,
  isElsewhere,
  type ProcessIdentity,
  presentProcess,
  readIdentity,
} from './process-identity.ts';

/** The holder of a lock, and the token of this lock. */
interface LockRecord extends ProcessIdentity {
  readonly token: string;
  /** True when its holder also has a lease of the folder, which ends even where the end of the process cannot be seen. */
  readonly isLeased?: boolean;
}

const lockFileName = 'lock';

/** The holder of a lock file that was damaged when its machine stopped: the process ended with the machine. */
const damagedHolder: ProcessIdentity = { host: '', pid: 0, startedAt: '' };

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
   * @param isLeased whether the caller has the lease of the folder: a lock of another machine that was taken with one is then taken over. Default: false.
   * @throws {FilesystemError} `filesystem-locked`, with the `pid` that holds it.
   */
  static acquire(directory: string, folder: string, isLeased = false): FolderLock {
    const path = join(directory, lockFileName);
    const record: LockRecord = {
      ...presentProcess(),
      token: randomUUID(),
      ...present({ isLeased: isLeased ? true : undefined }),
    };
    for (;;) {
      if (createAtomically(path, JSON.stringify(record))) {
        for (const name of readdirSync(directory))
          if (/^(?:takeover-|lock\.)/.test(name)) removeIfExists(join(directory, name));
        return new FolderLock(path, record.token);
      }
      const holder = readRecord(path);
      if (holder === undefined) continue;
      if (isHeldByLiveProcess(holder, isLeased)) throw lockedError(folder, holder);
      takeOver(directory, folder, holder, record);
    }
  }

  /** Whether a live process holds the lock in a directory. */
  static isHeld(directory: string): boolean {
    const holder = readRecord(join(directory, lockFileName));
    return holder !== undefined && isHeldByLiveProcess(holder);
  }

  dispose(): void {
    if (readRecord(this.#path)?.token === this.#token) removeIfExists(this.#path);
  }
}

/** Removes the lock of a dead process. Of several processes that try, only one may remove a lock with this token. */
function takeOver(directory: string, folder: string, dead: LockRecord, record: LockRecord): void {
  for (let attempt = 0; ; attempt += 1) {
    const guard = join(directory, `takeover-${dead.token}-${attempt}`);
    if (createAtomically(guard, JSON.stringify(record))) break;
    const other = readRecord(guard);
    // The other process has finished, or was killed in the middle.
    if (other === undefined) return;
    if (isHeldByLiveProcess(other, record.isLeased)) throw lockedError(folder, other);
  }
  const path = join(directory, lockFileName);
  if (readRecord(path)?.token === dead.token) removeIfExists(path);
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
  return parseRecord(text) ?? { ...damagedHolder, token: createHash('sha256').update(text).digest('hex') };
}

/** @param isLeased whether the caller has the lease that the holder of a lock of another machine had. */
function isHeldByLiveProcess(record: LockRecord, isLeased = false): boolean {
  if (isLeased && record.isLeased === true && isElsewhere(record)) return false;
  return record.pid !== damagedHolder.pid && isAlive(record);
}

function parseRecord(text: string): LockRecord | undefined {
  try {
    const record = Object(JSON.parse(text));
    const { token, isLeased } = record;
    const identity = readIdentity(record);
    const isWhole = identity !== undefined && typeof token === 'string' && /^[\w-]+$/.test(token);
    return isWhole ? { ...identity, token, isLeased: isLeased === true } : undefined;
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
