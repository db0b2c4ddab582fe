import { shorten } from '../../internal/index.ts';
import { Judge } from './fits.ts';
import {
  type ChildShape,
  collectShape,
  furtherItems,
  itemShape,
  type KeyShape,
  keyShape,
  shortestTuple,
} from './key-shape.ts';
import type { SchemaNode } from './schema-node.ts';
import type { StepMeter } from './step-meter.ts';

/** A place in a value that its schema does not know: a key, or by an index an item. */
export interface KeyFinding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What {@link findUnknownKeys} found. */
export interface KeyFindings {
  readonly unknown: readonly KeyFinding[];
  /** Where the value is nested too deep to check; nothing below was checked. */
  readonly tooDeepAt: readonly (string | number)[] | undefined;
  /** Lists that are known whole, and longer than a tuple which they also fit: a library may take them for the tuple and cut them. */
  readonly overlong: readonly (readonly (string | number)[])[];
}

/** A value may be nested this deep; deeper ones are refused before a schema library recurses into them. */
export const maxDepth = 256;
const maxAllowedLength = 400;
const forbiddenKey = 'this key is not allowed anywhere';

/**
 * Finds the keys (and items after the end of tuples) of `value` that the schema does not know, at every depth.
 *
 * @param limit the search ends after this many findings.
 * @returns undefined when everything is known and fits in one way.
 */
export function findUnknownKeys(root: SchemaNode, value: unknown, limit: number): KeyFindings | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // The common case without any bookkeeping: a flat object whose keys are all there by name.
  if (root.isPlain && root.patterns.length === 0 && !Array.isArray(value) && isFlatAndKnown(root, value)) {
    return undefined;
  }
  const walk = new KeyWalk(limit, root.meter);
  walk.visit(value, root, true);
  const isKnown = walk.tooDeepAt === undefined && walk.unknown.length === 0 && walk.overlong.length === 0;
  return isKnown ? undefined : walk;
}

function isFlatAndKnown(root: SchemaNode, value: object): boolean {
  for (const key of Object.keys(value)) {
    if (!root.properties.has(key)) return false;
    const item: unknown = Reflect.get(value, key);
    if (typeof item === 'object' && item !== null) return false;
  }
  return true;
}

class KeyWalk implements KeyFindings {
  readonly unknown: KeyFinding[] = [];
  readonly overlong: (readonly (string | number)[])[] = [];
  tooDeepAt: readonly (string | number)[] | undefined;
  readonly #limit: number;
  readonly #meter: StepMeter | undefined;
  readonly #judge = new Judge('all');
  readonly #path: (string | number)[] = [];
  /** What is allowed at one place, written once however many keys are unknown there. */
  readonly #allowed = new WeakMap<KeyShape, string>();

  constructor(limit: number, meter: StepMeter | undefined) {
    this.#limit = limit;
    this.#meter = meter;
  }

  get #isDone(): boolean {
    return this.tooDeepAt !== undefined || this.unknown.length >= this.#limit;
  }

  visit(value: object, node: SchemaNode, isRoot: boolean): void {
    if (node.isInert && !isRoot) this.#visitAnything(value);
    else if (Array.isArray(value)) {
      // Some libraries take a list for an object; its indexes are keys that the schema does not know.
      if (node.isObject) this.#refuseItems(value);
      else if (node.isPlain && node.prefixItems.length === 0) this.#visitList(value, furtherItems(node));
      else this.#visitItems(value, this.#shapeOf(value, [node], isRoot));
    } else if (node.isPlain && node.patterns.length === 0) this.#visitPlainObject(value, node, isRoot);
    else this.#visitKeys(value, this.#shapeOf(value, [node], isRoot));
  }

  /** The common case: keys that are there by name need no shape. */
  #visitPlainObject(value: object, node: SchemaNode, isRoot: boolean): void {
    let shape: KeyShape | undefined;
    for (const key of Object.keys(value)) {
      if (this.#isDone) return;
      const child = node.properties.get(key);
      if (child !== undefined && !child.isNever) {
        const item: unknown = Reflect.get(value, key);
        if (typeof item === 'object' && item !== null) this.#enter(key, item, child);
      } else this.#visitKey(value, key, (shape ??= this.#shapeOf(value, [node], isRoot)));
    }
  }

  #visitKeys(value: object, shape: KeyShape): void {
    for (const key of Object.keys(value)) {
      if (this.#isDone) return;
      this.#visitKey(value, key, shape);
    }
  }

  #visitKey(value: object, key: string, shape: KeyShape): void {
    this.#meter?.spend(shape.nodes.size);
    const child = keyShape(shape, key);
    if (child === 'unknown') this.#report(key, this.#unknownKey(shape));
    else if (key === '__proto__' && !isNamed(shape, key)) this.#report(key, forbiddenKey);
    else this.#descend(key, Reflect.get(value, key), child);
  }

  #visitList(value: readonly unknown[], items: SchemaNode | undefined): void {
    for (let index = 0; index < value.length && !this.#isDone; index += 1) {
      const item = value[index];
      if (typeof item === 'object' && item !== null) this.#enter(index, item, items);
    }
  }

  #visitItems(value: readonly unknown[], shape: KeyShape): void {
    // Each item is compared with the tuples, and with what is said of it.
    this.#meter?.spend(2 * shape.nodes.size * (1 + value.length));
    if (value.length > shortestTuple(shape)) this.overlong.push([...this.#path]);
    for (let index = 0; index < value.length && !this.#isDone; index += 1) {
      const child = itemShape(shape, index);
      if (child === 'unknown') this.unknown.push(unknownItem(this.#path, index));
      else this.#descend(index, value[index], child);
    }
  }

  #refuseItems(value: readonly unknown[]): void {
    for (let index = 0; index < value.length && !this.#isDone; index += 1) {
      this.#report(index, 'unknown item; an object is expected here, not a list');
    }
  }

  #visitAnything(value: object): void {
    if (Array.isArray(value)) {
      this.#visitList(value, undefined);
      return;
    }
    for (const key of Object.keys(value)) {
      if (this.#isDone) return;
      if (key === '__proto__') this.#report(key, forbiddenKey);
      else this.#descend(key, Reflect.get(value, key), 'anything');
    }
  }

  #descend(step: string | number, value: unknown, child: Exclude<ChildShape, 'unknown'>): void {
    if (typeof value !== 'object' || value === null) return;
    if (child === 'anything') this.#enter(step, value, undefined);
    else if (child.length === 1) this.#enter(step, value, child[0]);
    else if (this.#push(step)) {
      const shape = this.#shapeOf(value, child, false);
      if (Array.isArray(value)) this.#visitItems(value, shape);
      else this.#visitKeys(value, shape);
      this.#path.pop();
    }
  }

  #enter(step: string | number, value: object, node: SchemaNode | undefined): void {
    if (!this.#push(step)) return;
    if (node === undefined || node.isNever) this.#visitAnything(value);
    else this.visit(value, node, false);
    this.#path.pop();
  }

  #push(step: string | number): boolean {
    if (this.#path.length >= maxDepth) {
      this.tooDeepAt = [...this.#path];
      return false;
    }
    this.#path.push(step);
    return true;
  }

  #shapeOf(value: object, nodes: readonly SchemaNode[], isRoot: boolean): KeyShape {
    return collectShape(value, nodes, this.#judge, isRoot);
  }

  #unknownKey(shape: KeyShape): string {
    const known = this.#allowed.get(shape);
    const text = known ?? describeAllowed(shape);
    if (known === undefined) this.#allowed.set(shape, text);
    return text;
  }

  #report(step: string | number, message: string): void {
    this.unknown.push({ path: [...this.#path, step], message });
  }
}

/** The finding for an item at or after the index where its list ends. */
export function unknownItem(list: readonly (string | number)[], index: number): KeyFinding {
  const end = index === 1 ? '1 item' : `${index} items`;
  return { path: [...list, index], message: `unknown item; the list ends after ${end}` };
}

function isNamed(shape: KeyShape, key: string): boolean {
  for (const node of shape.nodes.keys()) if (node.properties.has(key)) return true;
  return false;
}

function describeAllowed(shape: KeyShape): string {
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const node of shape.nodes.keys()) {
    for (const name of node.properties.keys()) names.add(name);
    node.meter?.spend(node.properties.size + node.patterns.length);
    for (const { shown } of node.patterns) patterns.add(`keys matching ${shown}`);
  }
  const allowed = [...names, ...patterns].join(', ');
  if (allowed === '') return 'unknown key; no keys are allowed here';
  return `unknown key; allowed: ${shorten(allowed, maxAllowedLength)}`;
}
