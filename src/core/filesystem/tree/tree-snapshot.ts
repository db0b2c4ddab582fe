import { SnapshotError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import type { DirectoryNode } from '../content/tree-node.ts';
import type { FilesystemSnapshot } from '../interface/filesystem.ts';

/** The content of a snapshot of a tree. */
export interface SnapshotContent {
  readonly root: DirectoryNode;
  /** The cell that it was taken from. */
  readonly owner: object;
  /** Records in the owner that the content was read. */
  readonly recordRead: () => void;
}

/** The content of a tree at one moment, not accessible to the holder of the snapshot. */
export class TreeSnapshot implements FilesystemSnapshot {
  readonly kind = 'filesystem-snapshot';
  // Declared only: a field would exist, as undefined, on a snapshot without a name.
  declare readonly tag?: string;
  /** Undefined once it is released. */
  #content: SnapshotContent | undefined;

  constructor(content: SnapshotContent, tag?: string) {
    this.#content = content;
    if (tag !== undefined) this.tag = tag;
    Object.freeze(this);
  }

  /**
   * The content of a snapshot.
   * @throws {SnapshotError} `snapshot-foreign` when another kind of file system made it, `snapshot-released`.
   */
  static open(snapshot: FilesystemSnapshot): SnapshotContent {
    // Not `instanceof`: a Proxy of a snapshot passes that, and has no private fields.
    if (!(#content in snapshot)) {
      throw new SnapshotError(
        'snapshot-foreign',
        'The snapshot was not taken from a memory file system. Use the file system that it was taken from.',
      );
    }
    if (snapshot.#content !== undefined) return snapshot.#content;
    const name = snapshot.tag === undefined ? '' : ` ${quoteText(snapshot.tag)}`;
    throw new SnapshotError(
      'snapshot-released',
      `The snapshot${name} was released, so its content is gone. Release it after its last use.`,
      snapshot.tag === undefined ? {} : { details: { tag: snapshot.tag } },
    );
  }

  /** Releases the content. Nodes that nothing else shares can then be collected. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#content = undefined;
  }
}
