import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import { errorCode } from '../disk/system-error.ts';
import { isAlive, type ProcessIdentity, presentProcess } from './process-identity.ts';

/** Who holds a lock, and which of its locks it is. */
interface LockRecord extends ProcessIdentity {
  readonly token: string;
}

const LOCK = 'lock';

/** Stands for whoever took a lock that was damaged when its machine stopped: it has ended with the machine. */
const DAMAGED: ProcessIdentity = { host: '', pid: 0, startedAt: '' };

/**
 * The right to work on one folder, for one process at a time. It ends with the process, whatever ends that: the lock of a
 * process that is no more is taken over.
 */
export class FolderLock {
  readonly #path: string;
  readonly #token: string;

  private constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
  }

  /**
   * @param directory where the lock is kept.
   * @param folder the folder as the caller named it, for the message.
   * @throws {FilesystemError} `filesystem-locked`, with the `pid` that holds it.
   */
  static acquire(directory: string, folder: string): FolderLock {
    const path = join(directory, LOCK);
    const record: LockRecord = { ...presentProcess(), token: randomUUID() };
    for (;;) {
      if (createAtomically(path, JSON.stringify(record))) {
        for (const name of readdirSync(directory))
          if (/^(?:takeover-|lock\.)/.test(name)) removeIfExists(join(directory, name));
        return new FolderLock(path, record.token);
      }
      const holder = readRecord(path);
      if (holder === undefined) continue;
      if (isHeldByLiveProcess(holder)) throw lockedError(folder, holder);
      takeOver(directory, folder, holder, record);
    }
  }

  /** Whether a process that is alive has the lock that is kept in a directory. */
  static isHeld(directory: string): boolean {
    const holder = readRecord(join(directory, LOCK));
    return holder !== undefined && isHeldByLiveProcess(holder);
  }

  dispose(): void {
    if (readRecord(this.#path)?.token === this.#token) removeIfExists(this.#path);
  }
}

/** Removes the lock of a dead process. Of several that try, one does; it alone may remove a lock with this token. */
function takeOver(directory: string, folder: string, dead: LockRecord, record: LockRecord): void {
  for (let attempt = 0; ; attempt += 1) {
    const guard = join(directory, `takeover-${dead.token}-${attempt}`);
    if (createAtomically(guard, JSON.stringify(record))) break;
    const other = readRecord(guard);
    // The other one is done, or was ended in the middle of it.
    if (other === undefined) return;
    if (isHeldByLiveProcess(other)) throw lockedError(folder, other);
  }
  const path = join(directory, LOCK);
  if (readRecord(path)?.token === dead.token) removeIfExists(path);
}

/** What a lock says; undefined when there is none. Every lock is made whole, so one that is not was damaged later. */
function readRecord(path: string): LockRecord | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return parseRecord(text) ?? { ...DAMAGED, token: createHash('sha256').update(text).digest('hex') };
}

function isHeldByLiveProcess(record: LockRecord): boolean {
  return record.pid !== DAMAGED.pid && isAlive(record);
}

function parseRecord(text: string): LockRecord | undefined {
  try {
    const { host, pid, startedAt, token } = Object(JSON.parse(text));
    const isWhole =
      typeof host === 'string' &&
      typeof pid === 'number' &&
      typeof startedAt === 'string' &&
      typeof token === 'string' &&
      /^[\w-]+$/.test(token);
    return isWhole ? { host, pid, startedAt, token } : undefined;
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
 * Makes a file with its whole content in one step, beside which others may be tidying up: a draft that somebody removed before
 * it got its name is written again.
 *
 * @param link gives the draft its name; `linkSync`, but for tests.
 * @returns false when a file of that name is there.
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
