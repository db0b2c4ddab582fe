import { isRecord, none } from '../../internal/index.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Decides whether values fit subschemas, in a time that grows with the value times the schema: where several ways lead to a subschema it
 * remembers its answer for each value.
 */
export class Judge {
  readonly #remembersAll: boolean;
  #answers: Map<SchemaNode, Map<unknown, boolean>> | undefined;

  /** @param remembers `all` for those who ask about a value and then about what lies below it. */
  constructor(remembers: 'shared' | 'all') {
    this.#remembersAll = remembers === 'all';
  }

  /**
   * The alternatives of a union that `value` fits: first by type, tags and required keys; when that leaves more than
   * one, by everything below as well. Empty when it fits none.
   */
  select(value: object, alternatives: readonly SchemaNode[]): readonly SchemaNode[] {
    const likely = alternatives.filter((node) => looksLike(value, node));
    return likely.length <= 1 ? likely : likely.filter((node) => this.fits(value, node));
  }

  /** {@link fits} for one value of many: nothing is remembered of it afterwards. */
  fitsOnce(value: unknown, node: SchemaNode): boolean {
    try {
      return this.fits(value, node);
    } finally {
      this.#answers = undefined;
    }
  }

  /** True when `value` fits the schema. A member that is `undefined` counts as absent. */
  fits(value: unknown, node: SchemaNode): boolean {
    if (node.isLeaf) return node.holds(value);
    const isRemembered = node.isShared || (this.#remembersAll && typeof value === 'object');
    return isRemembered ? this.#recall(value, node) : this.#decide(value, node);
  }

  #recall(value: unknown, node: SchemaNode): boolean {
    this.#answers ??= new Map();
    let answers = this.#answers.get(node);
    if (answers === undefined) this.#answers.set(node, (answers = new Map()));
    const known = answers.get(value);
    if (known !== undefined) return known;
    // Taken as fitting while it is being decided, which is what a reference back to itself needs.
    answers.set(value, true);
    const answer = this.#decide(value, node);
    answers.set(value, answer);
    return answer;
  }

  #decide(value: unknown, node: SchemaNode): boolean {
    if (!node.holds(value)) return false;
    if (!node.isPlain && !this.#partsFit(value, node)) return false;
    if (node.not !== undefined && this.fits(value, node.not)) return false;
    if (Array.isArray(value)) return this.#itemsFit(value, node);
    return !isRecord(value) || this.#keysFit(value, node);
  }

  #partsFit(value: unknown, node: SchemaNode): boolean {
    for (const part of node.parts) if (!this.fits(value, part)) return false;
    for (const { members, isExclusive } of node.unions) {
      if (this.countFitting(value, members, isExclusive ? 2 : 1) !== 1) return false;
    }
    for (const branch of this.branchesOf(value, node)) if (!this.fits(value, branch)) return false;
    return true;
  }

  /** How many of the members fit; stops counting at `most`. */
  countFitting(value: unknown, members: readonly SchemaNode[], most: number): number {
    let count = 0;
    for (const member of members) {
      if (this.fits(value, member)) count += 1;
      if (count >= most) break;
    }
    return count;
  }

  /** The schemas that hold as well since a condition is met, or not, or since a key is there. */
  branchesOf(value: unknown, { conditions, dependents }: SchemaNode): readonly SchemaNode[] {
    if (conditions.length + dependents.size === 0) return none;
    const branches = conditions.map(({ test, whenTrue, whenFalse }) =>
      this.fits(value, test) ? whenTrue : whenFalse,
    );
    if (isRecord(value)) for (const [key, node] of dependents) if (isThere(value, key)) branches.push(node);
    return branches.filter((branch) => branch !== undefined);
  }

  #itemsFit(value: readonly unknown[], node: SchemaNode): boolean {
    const { prefixItems, items, contains, unevaluatedItems } = node;
    if (prefixItems.length > 0 || items !== undefined) {
      // By index, since holes in a list are not values.
      for (let index = 0; index < value.length; index += 1) {
        const child = prefixItems[index] ?? items;
        if (child !== undefined && !this.fits(value[index], child)) return false;
      }
    }
    if (contains !== undefined) {
      const count = this.countContained(value, contains.node);
      if (count < contains.least || count > contains.most) return false;
    }
    if (unevaluatedItems === undefined) return true;
    const evaluated = this.evaluatedItems(value, node);
    return value.every((item, index) => evaluated(index) || this.fits(item, unevaluatedItems));
  }

  countContained(value: readonly unknown[], node: SchemaNode): number {
    return value.filter((item) => this.fits(item, node)).length;
  }

  #keysFit(value: Readonly<Record<string, unknown>>, node: SchemaNode): boolean {
    const { required, properties, patterns, additional } = node;
    let missing = required.size;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      if (required.has(key)) missing -= 1;
      if (patterns.length === 0) {
        const child = properties.get(key) ?? additional;
        if (child !== undefined && !this.fits(item, child)) return false;
      } else if (!childrenOf(node, key).every((child) => this.fits(item, child))) return false;
    }
    return missing === 0 && (!node.hasKeyRules || this.#keyRulesFit(value, node));
  }

  #keyRulesFit(value: Readonly<Record<string, unknown>>, node: SchemaNode): boolean {
    const { dependentKeys, keyNames, unevaluatedKeys } = node;
    for (const [key, needed] of dependentKeys) {
      if (isThere(value, key) && !needed.every((other) => isThere(value, other))) return false;
    }
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    if (keyNames !== undefined && !keys.every((key) => this.fits(key, keyNames))) return false;
    if (unevaluatedKeys === undefined) return true;
    const evaluated = this.evaluatedKeys(value, node);
    return keys.every((key) => evaluated(key) || this.fits(value[key], unevaluatedKeys));
  }

  /** Tells of a key whether a part of the schema, or the schema itself but for `unevaluatedProperties`, knows it. */
  evaluatedKeys(value: object, node: SchemaNode): (key: string) => boolean {
    const applied = [...this.#applied(value, node)];
    return (key) => {
      node.meter?.spend(applied.length);
      return applied.some(
        (each) => childrenOf(each, key).length > 0 || (each !== node && each.unevaluatedKeys !== undefined),
      );
    };
  }

  /** Tells of an item whether a part of the schema, or the schema itself but for `unevaluatedItems`, knows it. */
  evaluatedItems(value: readonly unknown[], node: SchemaNode): (index: number) => boolean {
    const applied = [...this.#applied(value, node)];
    return (index) => {
      node.meter?.spend(applied.length);
      return applied.some(
        (each) =>
          index < each.prefixItems.length ||
          each.items !== undefined ||
          (each !== node && each.unevaluatedItems !== undefined) ||
          (each.contains !== undefined && this.fits(value[index], each.contains.node)),
      );
    };
  }

  /** The schema and all that hold for the same value because of it. */
  #applied(value: object, node: SchemaNode, into: Set<SchemaNode> = new Set()): ReadonlySet<SchemaNode> {
    if (into.has(node)) return into;
    into.add(node);
    const { parts, unions, conditions } = node;
    const members = [...unions.flatMap((union) => union.members), ...conditions.map(({ test }) => test)];
    node.meter?.spend(members.length + parts.length);
    const fitting = members.filter((member) => this.fits(value, member));
    for (const part of [...parts, ...fitting, ...this.branchesOf(value, node)])
      this.#applied(value, part, into);
    return into;
  }
}

/** The subschemas that hold for one key: its own, those of matching patterns, else the one of further keys. */
export function childrenOf(node: SchemaNode, key: string): readonly SchemaNode[] {
  const own = node.properties.get(key);
  const found = own === undefined ? [] : [own];
  for (const { pattern, node: child } of node.patterns) if (pattern.test(key)) found.push(child);
  if (found.length === 0 && node.additional !== undefined) found.push(node.additional);
  return found;
}

/** True when the key is there with a value. */
export function isThere(value: Readonly<Record<string, unknown>>, key: string): boolean {
  return value[key] !== undefined && Object.hasOwn(value, key);
}

function looksLike(value: object, node: SchemaNode): boolean {
  if (!node.holds(value)) return false;
  if (!node.parts.every((part) => !part.isPlain || looksLike(value, part))) return false;
  if (!isRecord(value)) return true;
  for (const key of node.required) if (!isThere(value, key)) return false;
  for (const [key, child] of node.properties) {
    if (!child.isNever && isThere(value, key) && !child.holds(value[key])) return false;
  }
  return true;
}
