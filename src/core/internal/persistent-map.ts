import { differingLeaves, findLeaf, insertLeaf, leavesOf, removeLeaf, type TrieNode } from './trie.ts';

/** One key with different values in two maps. A map without the key has `undefined` and `has…: false`. */
export interface MapDifference<V> {
  readonly key: string;
  readonly hasBefore: boolean;
  readonly before: V | undefined;
  readonly hasAfter: boolean;
  readonly after: V | undefined;
}

/**
 * An immutable map with string keys that shares structure with the maps it was made from. Lookup and change cost
 * O(log32 n); a copy costs nothing. The iteration order is unspecified.
 */
export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  static readonly #empty = new PersistentMap<never>(undefined, 0);
  readonly #root: TrieNode<V> | undefined;
  /** The number of keys. */
  readonly size: number;

  private constructor(root: TrieNode<V> | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  /** The empty map; always the same instance. */
  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  /** The keys whose values differ by identity, in time proportional to the nodes that the two maps do not share. */
  static *differences<V>(
    before: PersistentMap<V>,
    after: PersistentMap<V>,
  ): Generator<MapDifference<V>, void> {
    for (const [left, right] of differingLeaves(before.#root, after.#root)) {
      yield {
        key: left?.key ?? right?.key ?? '',
        hasBefore: left !== undefined,
        before: left?.value,
        hasAfter: right !== undefined,
        after: right?.value,
      };
    }
  }

  /** The value of `key`, or undefined. */
  get(key: string): V | undefined {
    return findLeaf(this.#root, hashText(key), key)?.value;
  }

  /** True when `key` has a value, even if that value is undefined. */
  has(key: string): boolean {
    return findLeaf(this.#root, hashText(key), key) !== undefined;
  }

  /** The map with `value` for `key`; this map when it already holds that same value. */
  set(key: string, value: V): PersistentMap<V> {
    const hash = hashText(key);
    const existing = findLeaf(this.#root, hash, key);
    if (existing !== undefined && existing.value === value) return this;
    const root = insertLeaf(this.#root, { kind: 'leaf', hash, key, value });
    return new PersistentMap(root, existing === undefined ? this.size + 1 : this.size);
  }

  /** The map without `key`; this map when it has no such key. */
  delete(key: string): PersistentMap<V> {
    const hash = hashText(key);
    if (this.#root === undefined || findLeaf(this.#root, hash, key) === undefined) return this;
    const root = removeLeaf(this.#root, hash, key);
    return root === undefined ? PersistentMap.empty() : new PersistentMap(root, this.size - 1);
  }

  /** Every key with its value. */
  *entries(): IterableIterator<[string, V]> {
    for (const leaf of leavesOf(this.#root)) yield [leaf.key, leaf.value];
  }

  /** Every key. */
  *keys(): IterableIterator<string> {
    for (const leaf of leavesOf(this.#root)) yield leaf.key;
  }

  /** Every value. */
  *values(): IterableIterator<V> {
    for (const leaf of leavesOf(this.#root)) yield leaf.value;
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.entries();
  }
}

/** A 32-bit hash of a string over its UTF-16 units (FNV-1a with a final mix). Not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) | 0;
}
