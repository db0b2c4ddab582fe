import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { modeOf, stampOf } from '../../disk/stamp.ts';

/** A file of the folder as it was when it was staged or last collected. */
export interface StagedFile {
  readonly kind: 'file';
  /** Identity, size and times; undefined for a file that stands in a lower layer, which only another content tells. */
  readonly stamp: string | undefined;
  /** False when a later write might leave the stamp as it is, so that only the content tells. */
  readonly isSettled: boolean;
  readonly bytes: number;
  /** Permissions; undefined when the file system it comes from has none. */
  readonly mode: number | undefined;
  /** Of the content. May read it, and throw what that throws. */
  readonly hash: () => string;
  /** True when the file system certainly holds this content still. Undefined: ask for its content. */
  readonly isPresent: (() => boolean) | undefined;
}

/** What stands at one path. `left-out`: the file system has something there that the folder has not. */
export type Staged =
  | StagedFile
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'left-out' };

/** What the folder holds as far as the file system knows, by path. */
export type Baseline = Map<string, Staged>;

/** Clocks of disks tick every few milliseconds, some every two seconds. */
const SETTLING_NS = 2_000_000_000n;

/** Describes a file of the folder. */
export function stagedFile(
  found: BigIntStats,
  source: Pick<StagedFile, 'hash' | 'mode' | 'isPresent'>,
): StagedFile {
  return {
    kind: 'file',
    stamp: stampOf(found),
    // A write that puts the modification time back still leaves another time of change, if the disk's clock has ticked.
    // Whoever writes from now on leaves a time of now. A modification time well before the last change, as it is set
    // when the folder is written, cannot be the outcome of such a write.
    isSettled: found.mtimeNs < found.ctimeNs - SETTLING_NS,
    bytes: Number(found.size),
    ...source,
  };
}

/** Whether a process has set permissions that the file system will not keep. */
export function isModeLost(found: BigIntStats, staged: StagedFile | undefined): boolean {
  const mode = modeOf(found);
  return staged?.mode === undefined ? (mode & 0o111) !== 0 : mode !== staged.mode;
}

/** A stamp of content. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}

/** The stamp of content that is read when somebody asks, once. */
export function hashLater(read: () => Uint8Array): () => string {
  let hash: string | undefined;
  return () => (hash ??= hashOf(read()));
}
