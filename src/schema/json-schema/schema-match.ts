import { isRecord } from '../../internal/index.ts';
import { fitsConstraints } from './constraint.ts';
import type { SchemaNode } from './node.ts';

/** Decides whether values fit subschemas. Remembers what it decided, so a value is looked at once per subschema. */
export class SchemaMatcher {
  readonly #decided = new Map<SchemaNode, Map<object, boolean>>();

  /**
   * The alternatives of a union that `value` fits: first by type, tags and required keys; when that leaves more than
   * one, by everything below as well. Empty when it fits none.
   */
  select(value: unknown, alternatives: readonly SchemaNode[]): readonly SchemaNode[] {
    const likely = alternatives.filter((node) => looksLike(value, node));
    if (likely.length <= 1 || typeof value !== 'object') return likely;
    return likely.filter((node) => this.matches(value, node));
  }

  /** True when `value` fits the subschema with everything below it. Keywords that it does not know never fail. */
  matches(value: unknown, node: SchemaNode): boolean {
    if (node.isNever) return false;
    if (typeof value !== 'object' || value === null) return this.#decide(value, node);
    let decisions = this.#decided.get(node);
    if (decisions === undefined) this.#decided.set(node, (decisions = new Map()));
    const known = decisions.get(value);
    if (known !== undefined) return known;
    // Taken as fitting while it is being decided, which is what a reference back to itself needs.
    decisions.set(value, true);
    const decision = this.#decide(value, node);
    decisions.set(value, decision);
    return decision;
  }

  #decide(value: unknown, node: SchemaNode): boolean {
    if (!fitsConstraints(node.schema, value)) return false;
    if (!node.parts.every((part) => this.matches(value, part))) return false;
    if (!node.unions.every((members) => members.some((member) => this.matches(value, member)))) return false;
    for (const { test, whenTrue, whenFalse } of node.conditions) {
      const branch = this.matches(value, test) ? whenTrue : whenFalse;
      if (branch !== undefined && !this.matches(value, branch)) return false;
    }
    if (Array.isArray(value)) return this.#itemsMatch(value, node);
    return !isRecord(value) || this.#keysMatch(value, node);
  }

  #itemsMatch(value: readonly unknown[], node: SchemaNode): boolean {
    return value.every((item, index) => {
      const child = node.prefixItems[index] ?? node.items;
      return child === undefined || this.matches(item, child);
    });
  }

  #keysMatch(value: Record<string, unknown>, node: SchemaNode): boolean {
    if (!hasRequired(value, node)) return false;
    for (const [key, dependent] of node.dependents) {
      if (Object.hasOwn(value, key) && !this.matches(value, dependent)) return false;
    }
    if (!node.declaresKeys) return true;
    return Object.keys(value).every(
      (key) =>
        value[key] === undefined || childrenOf(node, key).every((child) => this.matches(value[key], child)),
    );
  }
}

/** The subschemas that hold for one key: its own, those of matching patterns, else the one of further keys. */
export function childrenOf(node: SchemaNode, key: string): readonly SchemaNode[] {
  const own = node.properties.get(key);
  if (node.patterns.length === 0) {
    if (own !== undefined) return [own];
    return node.additional === undefined ? [] : [node.additional];
  }
  const found = node.patterns.filter(({ pattern }) => pattern.test(key)).map((entry) => entry.node);
  if (own !== undefined) found.unshift(own);
  if (found.length === 0 && node.additional !== undefined) found.push(node.additional);
  return found;
}

/** True when every key that the subschema requires is there with a value. */
function hasRequired(value: Record<string, unknown>, node: SchemaNode): boolean {
  const { required } = node.schema;
  if (!Array.isArray(required)) return true;
  return required.every(
    (key) => typeof key !== 'string' || (Object.hasOwn(value, key) && value[key] !== undefined),
  );
}

function looksLike(value: unknown, node: SchemaNode): boolean {
  if (node.isNever || !fitsConstraints(node.schema, value)) return false;
  if (!node.parts.every((part) => !part.isPlain || looksLike(value, part))) return false;
  if (!isRecord(value)) return true;
  if (!hasRequired(value, node)) return false;
  for (const [key, child] of node.properties) {
    const item = Object.hasOwn(value, key) ? value[key] : undefined;
    if (item !== undefined && !fitsConstraints(child.schema, item)) return false;
  }
  return true;
}
