import type { FileChange } from './file-change.ts';

/** The content of a file as a row knows it. */
export interface RecordedContentMark {
  /** SHA-256 of the bytes, in hexadecimal; empty when it is not known: such a content is never found. */
  readonly hash: string;
  readonly bytes: number;
}

/**
 * One change of a recorded commit, to be done again by content.
 * @internal
 */
export interface LandableChange extends Omit<FileChange, 'before' | 'after'> {
  readonly before?: RecordedContentMark;
  /** `data` returns the bytes; called only for a file that is written from them. What it throws is thrown, and nothing is written. */
  readonly after?: RecordedContentMark & { data(): Uint8Array };
}

/**
 * What became of the paths of a recorded commit, each list sorted.
 * @internal
 */
export interface LandingReport {
  /** Were as before the commit, and are now as after it. */
  readonly landed: readonly string[];
  /** Were as after the commit already. */
  readonly present: readonly string[];
  /** Were neither, or are in the way of the others: left as they are. */
  readonly outside: readonly string[];
}

/** What rows say of a path at one time. */
export type RecordedEntry =
  | { readonly kind: 'absent' }
  | { readonly kind: 'directory' }
  /** `from`: the former path of a link that was moved or copied, which leads where it led from there. */
  | { readonly kind: 'link'; readonly text: string; readonly from?: string }
  | ({ readonly kind: 'file'; readonly mode: number } & RecordedContentMark);

/**
 * A path that is to be as it was at an earlier time.
 * @internal
 */
export interface PutBackPath {
  readonly path: string;
  /** How it was left. Absent, with something below that is not: a directory. Undefined: whatever is there is replaced, but for a directory with something in it. */
  readonly found: RecordedEntry | undefined;
  /** How it is to be; the same holds here. Absent here and in `found`: it is left alone, and directories above it are known not to be someone else's. */
  readonly wanted: RecordedEntry;
  /** Which permissions of a file count. `executable`: whether its owner may execute it, since others depend on the machine that it was written on. Default: all. */
  readonly permissions?: 'executable';
  /** The content of a wanted file. Undefined: it is not known, so that the path cannot be put back. */
  readonly data?: () => Uint8Array;
}

/**
 * What became of paths that were put back, each list sorted.
 * @internal
 */
export interface PutBackReport {
  /** Are as they were left: they are written, or would be. */
  readonly fitting: readonly string[];
  /** Are as wanted already. */
  readonly present: readonly string[];
  /** Are neither. As long as there are some, nothing is written. */
  readonly outside: readonly string[];
  /** Directories that are not wanted and have something in them that is not one of the paths: they stay. */
  readonly left: readonly string[];
}
