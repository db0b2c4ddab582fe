import { FilesystemError } from '../../../core/error/index.ts';
import type { StagedChanges } from '../../../core/filesystem/index.ts';
import type { FolderLease } from '../../lock/folder-lease.ts';

/** The place for the one set of changes to a folder that waits for the decision of its caller. */
export class StagedSlot {
  readonly #lease: FolderLease | undefined;
  #held: StagedChanges | undefined;

  /** @param lease what the folder may be written under. Default: its lock alone. */
  constructor(lease: FolderLease | undefined) {
    this.#lease = lease;
  }

  /** @throws {FilesystemError} `filesystem-busy`; `filesystem-locked` when the lease was lost. */
  assertFree(): void {
    this.#lease?.assertNotLost();
    if (this.#held === undefined) return;
    throw new FilesystemError(
      'filesystem-busy',
      'Other changes to the folder are staged. Land or discard them before anything else is written.',
    );
  }

  /** Holds changes until they are landed or discarded, which can be done once. The slot must be free. */
  hold(commit: StagedChanges): StagedChanges {
    const held: StagedChanges = {
      land: () => {
        if (this.#held !== held) throw endedError();
        this.#held = undefined;
        commit.land();
      },
      discard: (options) => {
        if (this.#held !== held) return;
        this.#held = undefined;
        commit.discard(options);
      },
    };
    this.#held = held;
    return held;
  }

  /** Discards what is held; whether it was decided is not known. */
  dispose(): void {
    this.#held?.discard({ isUndecided: true });
  }
}

function endedError(): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    'The staged changes were landed or discarded already. Stage them again.',
  );
}
