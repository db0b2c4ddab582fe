/**
 * Keeps contents outside of a database, by keys: a folder, or a bucket. Contents are as secret as the journal whose rows they are.
 *
 * A key has 1 to 1,024 characters: parts of a-z, 0-9, `-` and `_` with `/` between them. What is put under a key is never changed: who puts a key again puts the same bytes. Each method may reject:
 * the journal takes that for a store that has failed.
 *
 * @see docs/spec/durable-runs.md §14
 */
export interface BlobStore {
  /** Keeps bytes under a key; resolves when they are durable. What was there is replaced, whole or not at all. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes under a key; undefined where the store has none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes keys, of which some may be unknown. */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * All keys that begin with `prefix`, which ends in `/`. Absent: when a run is removed, contents stay that a process has put and was killed before it wrote the row.
   */
  list?(prefix: string): Promise<readonly string[]>;
}

/** Whether a text can be the key of a content: no part of it leads out of a folder. */
export function isBlobKey(key: string): boolean {
  return key.length <= 1_024 && /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/.test(key);
}
