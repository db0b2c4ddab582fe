import { FilesystemError, SessionBusyError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import type { RunJournal, RunLease } from '../../runtime/index.ts';

/**
 * The right to write to one folder, as a lease of a journal: it ends when its owner hangs or is gone, on whatever machine that was. It does not replace
 * the lock of the folder, which also keeps out those without a journal.
 */
export class FolderLease {
  /** The folder, with links resolved. */
  readonly realPath: string;
  /** The folder as the caller named it, for messages. */
  readonly #folder: string;
  readonly #lease: RunLease;

  private constructor(realPath: string, folder: string, lease: RunLease) {
    this.realPath = realPath;
    this.#folder = folder;
    this.#lease = lease;
  }

  /**
   * @throws {FilesystemError} `filesystem-locked` while another owner has the lease.
   * @throws what the journal throws when it cannot be used.
   */
  static async acquire(journal: RunJournal, realPath: string, folder: string): Promise<FolderLease> {
    try {
      return new FolderLease(realPath, folder, await journal.acquire(`folder:${realPath}`));
    } catch (error) {
      if (!SessionBusyError.isInstance(error)) throw error;
      throw new FilesystemError(
        'filesystem-locked',
        `The folder ${quoteText(folder)} is in use by another owner of a lease in the same journal. Wait until it has released the lease, or the lease has run out.`,
        { cause: error, details: { path: folder } },
      );
    }
  }

  /** True when another owner may write to the folder. */
  get isLost(): boolean {
    return this.#lease.signal.aborted;
  }

  /** @throws {FilesystemError} `filesystem-locked`, with the reason of the journal as its cause. */
  assertHeld(): void {
    if (!this.isLost) return;
    throw new FilesystemError(
      'filesystem-locked',
      `The lease of the folder ${quoteText(this.#folder)} was lost, so another process may write to it. Nothing was written. Open the folder again.`,
      { cause: this.#lease.signal.reason, details: { path: this.#folder } },
    );
  }

  /** Gives the lease back. Never rejects. */
  async release(): Promise<void> {
    await this.#lease.release();
  }
}
