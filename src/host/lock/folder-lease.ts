import { FilesystemError, SessionBusyError } from '../../core/error/index.ts';
import { present, quoteText } from '../../core/internal/index.ts';
import type { RunJournal, RunLease } from '../../core/runtime/index.ts';
import type { LockLease } from './folder-lock.ts';

/** The folder that a lease is of. */
interface LeasedPlace {
  /** The folder, with links resolved. */
  readonly realPath: string;
  /** The folder as the caller named it, for messages. */
  readonly folder: string;
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
   * Acquires the lease.
   *
   * @throws {FilesystemError} `filesystem-locked` while another owner has the lease.
   * @throws what the journal throws when it cannot be used.
   */
  static async acquire(journal: RunJournal, place: LeasedPlace): Promise<FolderLease> {
    const { realPath, folder } = place;
    try {
      return new FolderLease(place, await journal.acquire(`folder:${realPath}`));
    } catch (error) {
      if (!SessionBusyError.isInstance(error)) throw error;
      throw new FilesystemError(
        'filesystem-locked',
        `The folder ${quoteText(folder)} is in use by another owner of a lease in the same journal. Wait until it has released the lease, or the lease has run out.`,
        { cause: error, details: { path: folder } },
      );
    }
  }

  /** What the lock of the folder is acquired under. */
  get forLock(): LockLease {
    return this.#lease;
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
  release(): Promise<void> {
    return this.#lease.release();
  }
}
