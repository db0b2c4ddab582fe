const bitsPerLevel = 5;
const width = 32;
const levelMask = width - 1;

/** A node of the radix trie: branches on the upper levels, full blocks of 32 items on the lowest. */
type Block<T> =
  | { readonly kind: 'items'; readonly items: readonly T[] }
  | { readonly kind: 'blocks'; readonly blocks: readonly Block<T>[] };

const noBlocks: Block<never> = { kind: 'blocks', blocks: [] };

/** A chain of single-child branches down to `block`, for a part of the trie that does not exist yet. */
function chain<T>(block: Block<T>, shift: number): Block<T> {
  let node = block;
  for (let level = 0; level < shift; level += bitsPerLevel) node = { kind: 'blocks', blocks: [node] };
  return node;
}

function appendBlock<T>(node: Block<T>, block: Block<T>, position: number, shift: number): Block<T> {
  if (node.kind === 'items') return block;
  const index = (position >>> shift) & levelMask;
  const child = node.blocks[index];
  const blocks = node.blocks.slice();
  blocks[index] =
    child === undefined
      ? chain(block, shift - bitsPerLevel)
      : appendBlock(child, block, position, shift - bitsPerLevel);
  return { kind: 'blocks', blocks };
}

function* itemsOf<T>(node: Block<T>): Generator<T, void> {
  if (node.kind === 'items') yield* node.items;
  else for (const block of node.blocks) yield* itemsOf(block);
}

function collect<T>(node: Block<T>, target: T[]): void {
  if (node.kind === 'items') for (const item of node.items) target.push(item);
  else for (const block of node.blocks) collect(block, target);
}

function beginsWith<T>(node: Block<T>, prefix: Block<T>): boolean {
  if (node === prefix) return true;
  if (node.kind === 'items' || prefix.kind === 'items') {
    return (
      node.kind === 'items' &&
      prefix.kind === 'items' &&
      prefix.items.every((item, index) => node.items[index] === item)
    );
  }
  return prefix.blocks.every((block, index) => {
    const own = node.blocks[index];
    return own !== undefined && beginsWith(own, block);
  });
}

/**
 * An immutable list that grows at its end and shares structure with the lists it was made from. `push` and `at` cost
 * O(log32 n); a copy costs nothing.
 */
export class PersistentVector<T> implements Iterable<T> {
  // Created on first use: in a static initializer the compiler refers to the class by an alias that is not set yet.
  static #empty: PersistentVector<never> | undefined;
  readonly #root: Block<T>;
  readonly #shift: number;
  /**
   * Starts with the last 1 to 32 items of this list, which are not in the trie yet. The items after them belong to the list that
   * was pushed to first: lists that extend one another share one array, so nothing is copied.
   */
  readonly #tail: T[];
  /** How many items of the tail belong to this list. */
  readonly #tailLength: number;
  #array: readonly T[] | undefined;
  /** The number of items. */
  readonly length: number;

  private constructor(root: Block<T>, shift: number, tail: T[], tailLength: number, length: number) {
    this.#root = root;
    this.#shift = shift;
    this.#tail = tail;
    this.#tailLength = tailLength;
    this.length = length;
  }

  /** The empty list; always the same instance. */
  static empty<T>(): PersistentVector<T> {
    PersistentVector.#empty ??= new PersistentVector<never>(noBlocks, bitsPerLevel, [], 0, 0);
    return PersistentVector.#empty;
  }

  /** The list of the given items, in order. */
  static from<T>(items: Iterable<T>): PersistentVector<T> {
    let vector = PersistentVector.empty<T>();
    let tail: T[] = [];
    for (const item of items) {
      tail.push(item);
      if (tail.length === width) {
        vector = vector.#withTail(tail);
        tail = [];
      }
    }
    return tail.length === 0 ? vector : vector.#withTail(tail);
  }

  /** The item at `index`; a negative index counts from the end. Undefined when the index is out of range. */
  at(index: number): T | undefined {
    const whole = Math.trunc(index) || 0;
    const position = whole < 0 ? this.length + whole : whole;
    if (position < 0 || position >= this.length) return undefined;
    const tailStart = this.length - this.#tailLength;
    if (position >= tailStart) return this.#tail[position - tailStart];
    let node: Block<T> | undefined = this.#root;
    for (let shift = this.#shift; node?.kind === 'blocks'; shift -= bitsPerLevel) {
      node = node.blocks[(position >>> shift) & levelMask];
    }
    return node?.items[position & levelMask];
  }

  /** The list with `item` at its end. */
  push(item: T): PersistentVector<T> {
    const tailLength = this.#tailLength;
    if (tailLength === 0 || tailLength === width) return this.#withTail([item]);
    let tail = this.#tail;
    // Another list may already extend this one.
    if (tail.length > tailLength) tail = tail.slice(0, tailLength);
    tail.push(item);
    return new PersistentVector(this.#root, this.#shift, tail, tailLength + 1, this.length + 1);
  }

  /** Whether this list begins with the items of `prefix`, by identity. What the two share is not compared item by item. */
  startsWith(prefix: PersistentVector<T>): boolean {
    if (prefix.length > this.length) return false;
    let root = this.#root;
    for (let shift = this.#shift; shift > prefix.#shift; shift -= bitsPerLevel) {
      root = (root.kind === 'blocks' ? root.blocks[0] : undefined) ?? noBlocks;
    }
    const tailStart = prefix.length - prefix.#tailLength;
    if (!beginsWith(root, prefix.#root)) return false;
    return prefix.#ownTail().every((item, index) => this.at(tailStart + index) === item);
  }

  /** The items as an array: frozen, created once per list. */
  toArray(): readonly T[] {
    if (this.#array === undefined) {
      const items: T[] = [];
      collect(this.#root, items);
      for (const item of this.#ownTail()) items.push(item);
      this.#array = Object.freeze(items);
    }
    return this.#array;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    yield* itemsOf(this.#root);
    yield* this.#ownTail();
  }

  #ownTail(): readonly T[] {
    return this.#tail.slice(0, this.#tailLength);
  }

  /** This list with `tail` after its items. The present tail is full or empty and moves into the trie. */
  #withTail(tail: T[]): PersistentVector<T> {
    const { length: added } = tail;
    const length = this.length + added;
    if (this.#tailLength === 0) return new PersistentVector(this.#root, this.#shift, tail, added, length);
    const block: Block<T> = { kind: 'items', items: this.#tail };
    const position = this.length - this.#tailLength;
    if (position >>> (this.#shift + bitsPerLevel) === 0) {
      const root = appendBlock(this.#root, block, position, this.#shift);
      return new PersistentVector(root, this.#shift, tail, added, length);
    }
    const root: Block<T> = { kind: 'blocks', blocks: [this.#root, chain(block, this.#shift)] };
    return new PersistentVector(root, this.#shift + bitsPerLevel, tail, added, length);
  }
}
