import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { stampOf } from '../host-filesystem/stamp.ts';

/** A file of the folder as it was when it was written or last collected. */
export interface StagedFile {
  /** Identity, size and times. */
  readonly stamp: string;
  /** False when a later write might leave the stamp as it is, so that only the content tells. */
  readonly isSettled: boolean;
  /** Of the content. */
  readonly hash: string;
}

/**
 * What the folder holds as far as the file system knows, by path. `left-out`: the file system has something there that
 * was not written to the folder.
 */
export type Baseline = Map<string, StagedFile | 'directory' | 'left-out'>;

/** Clocks of disks tick every few milliseconds, some every two seconds. */
const SETTLING_NS = 2_000_000_000n;

/** Describes a file whose content is known. */
export function stagedFile(found: BigIntStats, hash: string): StagedFile {
  // A write that puts the modification time back still leaves another time of change, if the disk's clock has ticked.
  // Whoever writes from now on leaves a time of now. A modification time well before the last change, as it is set when
  // the folder is written, cannot be the outcome of such a write.
  return { stamp: stampOf(found), isSettled: found.mtimeNs < found.ctimeNs - SETTLING_NS, hash };
}

/** A stamp of content. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
