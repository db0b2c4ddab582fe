import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { modeOf, stampOf } from '../../disk/stamp.ts';

/** A file of the folder as it was when it was staged or last collected. */
export interface StagedFile {
  readonly kind: 'file';
  /** Identity, size and times; undefined for a file in the lower layer, whose changes only its content reveals. */
  readonly stamp: string | undefined;
  /** False when a later write might not change the stamp, so that the content must be compared. */
  readonly isSettled: boolean;
  readonly bytes: number;
  /** Permissions; undefined when the source file system has none. */
  readonly mode: number | undefined;
  /** The hash of the content. May read it, and throw what that throws. */
  readonly hash: () => string;
  /** Returns true when the file system certainly still has this content. Undefined: its content must be read. */
  readonly isPresent: (() => boolean) | undefined;
}

/** The staged entry at one path. `left-out`: the file system has an entry there that the folder lacks. */
export type Staged =
  | StagedFile
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'left-out' };

/** The content of the folder as last synchronized with the file system, by path. */
export type Baseline = Map<string, Staged>;

/** File system clocks tick every few milliseconds, some every two seconds. */
const settlingNs = 2_000_000_000n;

/** Describes a file of the folder. */
export function stagedFile(
  found: BigIntStats,
  source: Pick<StagedFile, 'hash' | 'mode' | 'isPresent'>,
): StagedFile {
  return {
    kind: 'file',
    stamp: stampOf(found),
    // A write that resets the modification time still changes the change time, if the clock of the disk has ticked.
    // A write from now on sets a present time. A modification time well before the last change, as it is set
    // when the folder is written, cannot be the outcome of such a write.
    isSettled: found.mtimeNs < found.ctimeNs - settlingNs,
    bytes: Number(found.size),
    ...source,
  };
}

/** Whether a process has set permissions that the file system will not keep. */
export function isModeLost(found: BigIntStats, staged: StagedFile | undefined): boolean {
  const mode = modeOf(found);
  return staged?.mode === undefined ? (mode & 0o111) !== 0 : mode !== staged.mode;
}

/** The hash of a content. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}

/** The hash of a content that is read on first use, once. */
export function hashLater(read: () => Uint8Array): () => string {
  let hash: string | undefined;
  return () => (hash ??= hashOf(read()));
}
