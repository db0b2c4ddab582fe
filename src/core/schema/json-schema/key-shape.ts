import { isRecord } from '../../internal/index.ts';
import { childrenOf, type Judge } from './fits.ts';
import type { SchemaNode } from './schema-node.ts';

/** What holds for one object or list of a value: every subschema that applies to it, unions decided. */
export interface KeyShape {
  /** The subschemas; true for one that is only one of several alternatives that the value fits. */
  readonly nodes: ReadonlyMap<SchemaNode, boolean>;
  /** An alternative that the value fits says nothing about keys, so every key is known to it. */
  readonly isOpen: boolean;
  /** Some subschema says which keys there are, so all others are unknown. */
  readonly isClosed: boolean;
}

/** What is known about one key or item: its subschemas, or that anything goes, or that it is not known. */
export type ChildShape = readonly SchemaNode[] | 'anything' | 'unknown';

interface Collected {
  readonly nodes: Map<SchemaNode, boolean>;
  isOpen: boolean;
}

/**
 * Collects what applies to `value` at a place where all of `nodes` hold. A union counts with the alternatives that the
 * value fits, or with all of them where it fits none (validation then fails by itself).
 */
export function collectShape(
  value: object,
  nodes: readonly SchemaNode[],
  judge: Judge,
  isRoot: boolean,
): KeyShape {
  const collector = new Collector(value, judge);
  const collected: Collected = { nodes: new Map(), isOpen: false };
  for (const node of nodes) collector.collect(node, collected);
  return { ...collected, isClosed: declaresKeys(collected.nodes, isRoot) };
}

function declaresKeys(nodes: ReadonlyMap<SchemaNode, boolean>, isRoot: boolean): boolean {
  for (const node of nodes.keys()) if (node.declaresKeys || (isRoot && node.isObject)) return true;
  return false;
}

class Collector {
  readonly #value: object;
  readonly #judge: Judge;
  /** What applies through each member of a union: several unions may have it. */
  readonly #members = new Map<SchemaNode, Collected>();

  constructor(value: object, judge: Judge) {
    this.#value = value;
    this.#judge = judge;
  }

  collect(node: SchemaNode, into: Collected): void {
    node.meter?.spend(1);
    if (into.nodes.get(node) === false) return;
    into.nodes.set(node, false);
    for (const part of node.parts) this.collect(part, into);
    for (const { members } of node.unions) this.#collectUnion(members, into);
    for (const { test } of node.conditions) {
      if (this.#judge.fits(this.#value, test)) this.collect(test, into);
    }
    for (const branch of this.#judge.branchesOf(this.#value, node)) this.collect(branch, into);
  }

  #collectUnion(members: readonly SchemaNode[], into: Collected): void {
    const fitting = this.#judge.select(this.#value, members);
    const isChoice = fitting.length !== 1;
    for (const member of fitting.length === 0 ? members : fitting) {
      const inner = this.#collectMember(member);
      member.meter?.spend(inner.nodes.size);
      for (const [node, isAlternative] of inner.nodes) {
        into.nodes.set(node, (isChoice || isAlternative) && (into.nodes.get(node) ?? true));
      }
      const saysNothing = isRecord(this.#value) && !declaresKeys(inner.nodes, false);
      if (inner.isOpen || (fitting.length > 0 && saysNothing)) into.isOpen = true;
    }
  }

  #collectMember(member: SchemaNode): Collected {
    let collected = this.#members.get(member);
    if (collected === undefined) {
      collected = { nodes: new Map(), isOpen: false };
      // Known before it is visited, so that a union which contains itself ends here.
      this.#members.set(member, collected);
      this.collect(member, collected);
    }
    return collected;
  }
}

/** What is known about one key of an object. */
export function keyShape(shape: KeyShape, key: string): ChildShape {
  if (!shape.isClosed) return 'anything';
  return merge(shape, (node) => childrenAt(node, key), shape.isOpen ? 'anything' : 'unknown');
}

/** What is said of further items, whether or not it is also said of those that no other part knows. */
export function furtherItems({ items, unevaluatedItems }: SchemaNode): SchemaNode | undefined {
  return items ?? unevaluatedItems;
}

function childrenAt(node: SchemaNode, key: string): readonly SchemaNode[] {
  const children = childrenOf(node, key);
  return children.length === 0 && node.unevaluatedKeys !== undefined ? [node.unevaluatedKeys] : children;
}

/** What is known about one item of a list. After the items of a tuple nothing is known unless the schema says so. */
export function itemShape(shape: KeyShape, index: number): ChildShape {
  let isTuple = false;
  for (const node of shape.nodes.keys()) if (node.prefixItems.length > 0) isTuple = true;
  const childAt = (node: SchemaNode): readonly SchemaNode[] => {
    const child = node.prefixItems[index] ?? furtherItems(node);
    return child === undefined ? [] : [child];
  };
  return merge(shape, childAt, isTuple ? 'unknown' : 'anything');
}

/** Where the shortest of the tuples ends that say nothing about further items; infinite when there is none. */
export function shortestTuple(shape: KeyShape): number {
  let end = Number.POSITIVE_INFINITY;
  for (const node of shape.nodes.keys()) {
    const { length } = node.prefixItems;
    if (length > 0 && (furtherItems(node)?.isNever ?? true)) end = Math.min(end, length);
  }
  return end;
}

function merge(
  shape: KeyShape,
  childrenOfNode: (node: SchemaNode) => readonly SchemaNode[],
  otherwise: 'anything' | 'unknown',
): ChildShape {
  const children: SchemaNode[] = [];
  let isKnown = false;
  for (const [node, isAlternative] of shape.nodes) {
    for (const child of childrenOfNode(node)) {
      if (child.isNever) otherwise = isAlternative ? otherwise : 'unknown';
      else if (child.isInert && isAlternative) return 'anything';
      else {
        isKnown = true;
        child.meter?.spend(children.length);
        if (!child.isInert && !children.includes(child)) children.push(child);
      }
    }
  }
  if (!isKnown) return otherwise;
  return children.length === 0 ? 'anything' : children;
}
