import { isRecord } from '../../internal/index.ts';
import type { SchemaNode } from './node.ts';
import { childrenOf, type SchemaMatcher } from './schema-match.ts';

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
  matcher: SchemaMatcher,
  isRoot: boolean,
): KeyShape {
  const collected: Collected = { nodes: new Map(), isOpen: false };
  for (const node of nodes) collect(value, node, matcher, collected, false);
  return { ...collected, isClosed: declaresKeys(collected.nodes, isRoot) };
}

function declaresKeys(nodes: ReadonlyMap<SchemaNode, boolean>, isRoot: boolean): boolean {
  for (const node of nodes.keys()) if (node.declaresKeys || (isRoot && node.isObject)) return true;
  return false;
}

function collect(
  value: object,
  node: SchemaNode,
  matcher: SchemaMatcher,
  into: Collected,
  isAlternative: boolean,
): void {
  if (into.nodes.has(node)) return;
  into.nodes.set(node, isAlternative);
  for (const part of node.parts) collect(value, part, matcher, into, isAlternative);
  for (const members of node.unions) collectUnion(value, members, matcher, into, isAlternative);
  for (const { test, whenTrue, whenFalse } of node.conditions) {
    const holds = matcher.matches(value, test);
    const branch = holds ? whenTrue : whenFalse;
    if (holds) collect(value, test, matcher, into, isAlternative);
    if (branch !== undefined) collect(value, branch, matcher, into, isAlternative);
  }
  for (const [key, dependent] of node.dependents) {
    if (Object.hasOwn(value, key)) collect(value, dependent, matcher, into, isAlternative);
  }
}

function collectUnion(
  value: object,
  members: readonly SchemaNode[],
  matcher: SchemaMatcher,
  into: Collected,
  isAlternative: boolean,
): void {
  const fitting = matcher.select(value, members);
  const several = isAlternative || fitting.length > 1;
  for (const member of fitting.length === 0 ? members : fitting) {
    const inner: Collected = { nodes: new Map(), isOpen: false };
    collect(value, member, matcher, inner, several || fitting.length === 0);
    for (const [node, alternative] of inner.nodes) {
      into.nodes.set(node, alternative && (into.nodes.get(node) ?? true));
    }
    const saysNothing = isRecord(value) && !declaresKeys(inner.nodes, false);
    if (inner.isOpen || (fitting.length > 0 && saysNothing)) into.isOpen = true;
  }
}

/** What is known about one key of an object. */
export function keyShape(shape: KeyShape, key: string): ChildShape {
  if (!shape.isClosed) return 'anything';
  return merge(shape, (node) => childrenOf(node, key), shape.isOpen ? 'anything' : 'unknown');
}

/** What is known about one item of a list. Behind the items of a tuple nothing is known unless the schema says so. */
export function itemShape(shape: KeyShape, index: number): ChildShape {
  let isTuple = false;
  for (const node of shape.nodes.keys()) if (node.prefixItems.length > 0) isTuple = true;
  const childrenAt = (node: SchemaNode): readonly SchemaNode[] => {
    const child = node.prefixItems[index] ?? node.items;
    return child === undefined ? [] : [child];
  };
  return merge(shape, childrenAt, isTuple ? 'unknown' : 'anything');
}

/** Where the shortest of the tuples ends that say nothing about further items; infinite when there is none. */
export function shortestTuple(shape: KeyShape): number {
  let end = Number.POSITIVE_INFINITY;
  for (const { prefixItems, items } of shape.nodes.keys()) {
    const isTuple = prefixItems.length > 0 && (items === undefined || items.isNever);
    if (isTuple) end = Math.min(end, prefixItems.length);
  }
  return end;
}

function merge(
  shape: KeyShape,
  childrenAt: (node: SchemaNode) => readonly SchemaNode[],
  otherwise: 'anything' | 'unknown',
): ChildShape {
  const children: SchemaNode[] = [];
  let isKnown = false;
  for (const [node, isAlternative] of shape.nodes) {
    for (const child of childrenAt(node)) {
      if (child.isNever) otherwise = isAlternative ? otherwise : 'unknown';
      else if (child.isInert && isAlternative) return 'anything';
      else {
        isKnown = true;
        if (!child.isInert && !children.includes(child)) children.push(child);
      }
    }
  }
  if (!isKnown) return otherwise;
  return children.length === 0 ? 'anything' : children;
}
