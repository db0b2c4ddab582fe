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

/** One stored pair. `hash` is stored so that a split does not hash again. */
interface TrieLeaf<V> {
  readonly kind: 'leaf';
  readonly hash: number;
  readonly key: string;
  readonly value: V;
}

/** Up to 32 children; bit `n` of `bitmap` is set when the child for slice `n` of the hash exists. */
interface TrieBranch<V> {
  readonly kind: 'branch';
  readonly bitmap: number;
  readonly children: readonly TrieNode<V>[];
}

/** Two or more pairs whose keys have the same 32-bit hash. */
interface TrieCollision<V> {
  readonly kind: 'collision';
  readonly hash: number;
  readonly leaves: readonly TrieLeaf<V>[];
}

/** A node of the hash array mapped trie under `PersistentMap`. Immutable. */
type TrieNode<V> = TrieLeaf<V> | TrieBranch<V> | TrieCollision<V>;

const bitsPerLevel = 5;
const levelMask = 31;

function bitFor(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & levelMask);
}

function countBits(bitmap: number): number {
  let bits = bitmap - ((bitmap >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function childIndex(bitmap: number, bit: number): number {
  return countBits(bitmap & (bit - 1));
}

function branch<V>(bitmap: number, children: readonly TrieNode<V>[]): TrieBranch<V> {
  return { kind: 'branch', bitmap, children };
}

/** The leaf stored for `key`, or undefined. */
function findLeaf<V>(root: TrieNode<V> | undefined, hash: number, key: string): TrieLeaf<V> | undefined {
  let node = root;
  for (let shift = 0; node !== undefined; shift += bitsPerLevel) {
    if (node.kind === 'leaf') return node.key === key ? node : undefined;
    if (node.kind === 'collision') return node.leaves.find((leaf) => leaf.key === key);
    const bit = bitFor(hash, shift);
    if ((node.bitmap & bit) === 0) return undefined;
    node = node.children[childIndex(node.bitmap, bit)];
  }
  return undefined;
}

/** A branch over two nodes of different hashes. */
function join<V>(first: TrieLeaf<V> | TrieCollision<V>, second: TrieLeaf<V>, shift: number): TrieBranch<V> {
  const firstBit = bitFor(first.hash, shift);
  const secondBit = bitFor(second.hash, shift);
  if (firstBit === secondBit) return branch(firstBit, [join(first, second, shift + bitsPerLevel)]);
  const isFirstLower = firstBit >>> 0 < secondBit >>> 0;
  return branch(firstBit | secondBit, isFirstLower ? [first, second] : [second, first]);
}

/** The trie with `leaf` stored for its key. */
function insertLeaf<V>(node: TrieNode<V> | undefined, leaf: TrieLeaf<V>, shift = 0): TrieNode<V> {
  if (node === undefined) return leaf;
  switch (node.kind) {
    case 'leaf':
      if (node.key === leaf.key) return leaf;
      if (node.hash !== leaf.hash) return join(node, leaf, shift);
      return { kind: 'collision', hash: leaf.hash, leaves: [node, leaf] };
    case 'collision':
      if (node.hash !== leaf.hash) return join(node, leaf, shift);
      return { ...node, leaves: [...node.leaves.filter((other) => other.key !== leaf.key), leaf] };
    case 'branch': {
      const bit = bitFor(leaf.hash, shift);
      const index = childIndex(node.bitmap, bit);
      const children = node.children.slice();
      if ((node.bitmap & bit) === 0) {
        children.splice(index, 0, leaf);
        return branch(node.bitmap | bit, children);
      }
      children[index] = insertLeaf(children[index], leaf, shift + bitsPerLevel);
      return branch(node.bitmap, children);
    }
  }
}

/** The trie without `key`, which must be present. Its shape is the one that inserting the remaining keys would give. */
function removeLeaf<V>(node: TrieNode<V>, hash: number, key: string, shift = 0): TrieNode<V> | undefined {
  switch (node.kind) {
    case 'leaf':
      return undefined;
    case 'collision': {
      const leaves = node.leaves.filter((leaf) => leaf.key !== key);
      return leaves.length === 1 ? leaves[0] : { ...node, leaves };
    }
    case 'branch': {
      const bit = bitFor(hash, shift);
      const index = childIndex(node.bitmap, bit);
      const child = node.children[index];
      const rest = child === undefined ? undefined : removeLeaf(child, hash, key, shift + bitsPerLevel);
      const children = node.children.slice();
      if (rest === undefined) children.splice(index, 1);
      else children[index] = rest;
      const only = children.length === 1 ? children[0] : undefined;
      if (only !== undefined && only.kind !== 'branch') return only;
      return branch(rest === undefined ? node.bitmap & ~bit : node.bitmap, children);
    }
  }
}

/** Every leaf of the trie. */
function* leavesOf<V>(root: TrieNode<V> | undefined): Generator<TrieLeaf<V>, void> {
  const pending: TrieNode<V>[] = root === undefined ? [] : [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'leaf') yield node;
    else for (const child of node.kind === 'branch' ? node.children : node.leaves) pending.push(child);
  }
}

/** One key whose value differs in two tries; `undefined` where the key is absent. */
type LeafDifference<V> = readonly [before: TrieLeaf<V> | undefined, after: TrieLeaf<V> | undefined];

/** The keys whose values differ by identity. Nodes that both tries share are not entered. */
function* differingLeaves<V>(
  before: TrieNode<V> | undefined,
  after: TrieNode<V> | undefined,
): Generator<LeafDifference<V>, void> {
  if (before === after) return;
  if (before?.kind !== 'branch' || after?.kind !== 'branch') {
    yield* differingLists(before, after);
    return;
  }
  for (let bits = before.bitmap | after.bitmap; bits !== 0; bits &= bits - 1) {
    const bit = bits & -bits;
    const inBefore =
      (before.bitmap & bit) === 0 ? undefined : before.children[childIndex(before.bitmap, bit)];
    const inAfter = (after.bitmap & bit) === 0 ? undefined : after.children[childIndex(after.bitmap, bit)];
    yield* differingLeaves(inBefore, inAfter);
  }
}

function* differingLists<V>(
  before: TrieNode<V> | undefined,
  after: TrieNode<V> | undefined,
): Generator<LeafDifference<V>, void> {
  const remaining = new Map<string, TrieLeaf<V>>();
  for (const leaf of leavesOf(after)) remaining.set(leaf.key, leaf);
  for (const leaf of leavesOf(before)) {
    const other = remaining.get(leaf.key);
    remaining.delete(leaf.key);
    if (other === undefined || other.value !== leaf.value) yield [leaf, other];
  }
  for (const leaf of remaining.values()) yield [undefined, leaf];
}
