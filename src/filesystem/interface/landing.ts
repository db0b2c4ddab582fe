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
