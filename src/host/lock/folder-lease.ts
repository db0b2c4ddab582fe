import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesystemError, SessionBusyError } from '../../core/error/index.ts';
import { attempt, present, quoteText } from '../../core/internal/index.ts';
import type { RunJournal, RunLease, RunLeaseIdentity } from '../../core/runtime/index.ts';
import { isAlive, type ProcessIdentity, presentProcess, readIdentity } from './process-identity.ts';

/** The folder that a lease is of. */
interface LeasedPlace {
  /** The folder, with links resolved. */
  readonly realPath: string;
  /** The folder as the caller named it, for messages. */
  readonly folder: string;
  /** The folder of its lock and journal. */
  readonly stateFolder: string;
}

/**
 * The right to write to one folder, as a lease of a journal: it ends when its owner hangs or is gone, on whatever machine that was. It does not replace
 * the lock of the folder, which also keeps out those without a journal.
 */
export class FolderLease {
  readonly place: LeasedPlace;
  readonly #lease: RunLease;

  private constructor(place: LeasedPlace, lease: RunLease) {
    this.place = place;
    this.#lease = lease;
  }

  /**
   * Acquires the lease; that of a process of this machine which has ended is taken over at once.
   *
   * @throws {FilesystemError} `filesystem-locked` while another owner has the lease.
   * @throws what the journal throws when it cannot be used.
   */
  static async acquire(journal: RunJournal, place: LeasedPlace): Promise<FolderLease> {
    const { realPath, folder, stateFolder } = place;
    try {
      const lease = await journal.acquire(`folder:${realPath}`, endedLease(stateFolder));
      rememberLease(stateFolder, lease);
      return new FolderLease(place, lease);
    } catch (error) {
      if (!SessionBusyError.isInstance(error)) throw error;
      throw new FilesystemError(
        'filesystem-locked',
        `The folder ${quoteText(folder)} is in use by another owner of a lease in the same journal. Wait until it has released the lease, or the lease has run out.`,
        { cause: error, details: { path: folder } },
      );
    }
  }

  /** False when another owner may write to the folder at this moment. */
  get isHeld(): boolean {
    return this.#lease.isHeld();
  }

  /** @throws {FilesystemError} `filesystem-locked` when the lease is known to be lost, with the reason of the journal as its cause. */
  assertNotLost(): void {
    if (!this.#lease.signal.aborted) return;
    throw this.#lost('was lost, so another process may write to it. Nothing was written.');
  }

  /** @throws {FilesystemError} `filesystem-locked` when another owner may write to the folder at this moment. */
  assertHeld(): void {
    if (this.isHeld) return;
    throw this.#lost(
      'was lost or has run out, so another process may write to it. Nothing more was written; what was begun is undone when the folder is opened again.',
    );
  }

  #lost(what: string): FilesystemError {
    const { reason, aborted } = this.#lease.signal;
    const path = this.place.folder;
    return new FilesystemError(
      'filesystem-locked',
      `The lease of the folder ${quoteText(path)} ${what} Open the folder again.`,
      { ...present({ cause: aborted ? reason : undefined }), details: { path } },
    );
  }

  /** Gives the lease back. Never rejects. */
  async release(): Promise<void> {
    // Before the next owner can write its own.
    forgetLease(this.place.stateFolder, this.#lease);
    await this.#lease.release();
  }
}

/** A lease, and the process that holds it. */
interface LeaseOwner {
  readonly lease: RunLeaseIdentity;
  readonly process: ProcessIdentity;
}

// Beside the lock of the folder, but not in it: a process without a journal takes that one over.
const ownerFileName = 'lease';

/**
 * Writes down that this process holds the lease of a folder, so that the next one sees when it has ended. Does nothing when that cannot be written: the
 * next process waits for the time-out of the lease then.
 *
 * @param stateFolder the folder of lock and journal.
 */
function rememberLease(stateFolder: string, { owner, epoch }: RunLeaseIdentity): void {
  const record: LeaseOwner = { lease: { owner, epoch }, process: presentProcess() };
  // Nothing depends on it.
  attempt(() => writeFileSync(join(stateFolder, ownerFileName), JSON.stringify(record), { mode: 0o600 }));
}

/** Removes what {@link rememberLease} has written of this lease. */
function forgetLease(stateFolder: string, { owner }: RunLeaseIdentity): void {
  if (readOwner(stateFolder)?.lease.owner !== owner) return;
  // When that fails, it says that the lease has an owner, which the journal denies.
  attempt(() => unlinkSync(join(stateFolder, ownerFileName)));
}

/** The lease of the process that had the folder last, when that process has certainly ended; undefined otherwise. */
function endedLease(stateFolder: string): RunLeaseIdentity | undefined {
  const owner = readOwner(stateFolder);
  return owner === undefined || isAlive(owner.process) ? undefined : owner.lease;
}

/** Undefined when there is none, and when it was cut off while it was written. */
function readOwner(stateFolder: string): LeaseOwner | undefined {
  try {
    const { lease, process } = Object(JSON.parse(readFileSync(join(stateFolder, ownerFileName), 'utf8')));
    const { owner, epoch } = Object(lease);
    const identity = readIdentity(process);
    if (identity === undefined || typeof owner !== 'string' || typeof epoch !== 'number') return undefined;
    return { lease: { owner, epoch }, process: identity };
  } catch {
    return undefined;
  }
}
