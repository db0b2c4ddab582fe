import { isRecord } from '../../internal/index.ts';
import { maxIssues, type SchemaIssue } from '../json/issue.ts';
import { typeConstraint } from './constraint.ts';
import { describeExpected, describeReceived } from './describe.ts';
import { childrenOf, isThere, Judge } from './fits.ts';
import { readOwnPattern } from './pattern.ts';
import type { SchemaNode } from './schema-node.ts';

type Path = readonly (string | number)[];

/**
 * Reports where and why `value` violates a JSON Schema, with the same wording whichever library validates. Finds at most 20
 * places. May find nothing although a library refuses the value: what a schema that is not exact does not judge is left to the library.
 *
 * @param reportsUnknown whether keys and items that the schema forbids by `false` are reported as well; otherwise they are found as unknown keys.
 */
export function explain(root: SchemaNode, value: unknown, reportsUnknown = false): readonly SchemaIssue[] {
  const explainer = new Explainer(reportsUnknown);
  explainer.visit(value, root);
  return explainer.issues;
}

/** One place of the value, with the subschemas that have been explained there: again they would say the same. */
class Place {
  readonly explained = new Set<SchemaNode>();
  readonly #below = new Map<string | number, Place>();

  below(step: string | number): Place {
    let place = this.#below.get(step);
    if (place === undefined) this.#below.set(step, (place = new Place()));
    return place;
  }
}

class Explainer {
  readonly issues: SchemaIssue[] = [];
  readonly #reportsUnknown: boolean;
  readonly #judge = new Judge('all');
  readonly #path: (string | number)[] = [];
  #place = new Place();

  constructor(reportsUnknown: boolean) {
    this.#reportsUnknown = reportsUnknown;
  }

  get #isFull(): boolean {
    return this.issues.length >= maxIssues;
  }

  visit(value: unknown, node: SchemaNode): void {
    const { explained } = this.#place;
    node.meter?.spend(1 + node.constraints.length + node.required.size);
    if (this.#isFull || explained.has(node) || this.#judge.fits(value, node)) return;
    explained.add(node);
    if (!this.#constraintsFit(value, node)) return;
    for (const part of node.parts) this.visit(value, part);
    for (const { members, isExclusive } of node.unions) this.#visitUnion(value, members, isExclusive, node);
    for (const branch of this.#judge.branchesOf(value, node)) this.visit(value, branch);
    if (Array.isArray(value)) this.#visitItems(value, node);
    else if (isRecord(value)) this.#visitKeys(value, node);
    if (node.not !== undefined && this.#judge.fits(value, node.not)) {
      this.#report('Instance matched "not" schema.');
    }
  }

  /** @returns false when the value is not even of the kind that is expected, so that no more need be said. */
  #constraintsFit(value: unknown, node: SchemaNode): boolean {
    const broken = node.constraints.filter((constraint) => !constraint.holds(value));
    const isOfKind = !node.isNever && broken.every(({ problem }) => problem !== undefined);
    if (!isOfKind) this.#report(`expected ${describeExpected(node)}, received ${describeReceived(value)}`);
    for (const { problem } of broken) if (problem !== undefined) this.#report(problem(value));
    return isOfKind;
  }

  #visitUnion(value: unknown, members: readonly SchemaNode[], isExclusive: boolean, node: SchemaNode): void {
    const count = this.#judge.countFitting(value, members, members.length);
    if (count > 1 && isExclusive) {
      this.#report(`Instance does not match exactly one subschema (${count} matches).`);
    }
    if (count > 0) return;
    const ofKind = members.filter((member) => fitsOwnKind(value, member));
    const tagged = ofKind.filter((member) => tagsFit(value, member));
    const [only, another] = tagged.length > 0 ? tagged : ofKind;
    if (only !== undefined && another === undefined) {
      this.visit(value, only);
      return;
    }
    const tag = tagged.length === 0 && isRecord(value) ? sharedTag(ofKind) : undefined;
    if (tag === undefined) {
      this.#report(`expected ${describeExpected(node)}, received ${describeReceived(value)}`);
      return;
    }
    const allowed = ofKind
      .map((member) => describeExpected(member.properties.get(tag) ?? member))
      .join(' | ');
    const received = isRecord(value) && Object.hasOwn(value, tag) ? value[tag] : undefined;
    this.#below(tag, () => this.#report(missingOr(received, allowed)));
  }

  #visitItems(value: readonly unknown[], node: SchemaNode): void {
    const { prefixItems, items, contains, unevaluatedItems } = node;
    const evaluated = unevaluatedItems === undefined ? undefined : this.#judge.evaluatedItems(value, node);
    for (let index = 0; index < value.length && !this.#isFull; index += 1) {
      const child =
        prefixItems[index] ?? items ?? (evaluated?.(index) === false ? unevaluatedItems : undefined);
      if (child !== undefined) this.#visitChild(index, value[index], child);
    }
    if (contains === undefined) return;
    const { node: contained, least, most } = contains;
    const count = this.#judge.countContained(value, contained);
    if (count === 0 && least === 1) this.#report('Array does not contain item matching schema.');
    else if (count < least) {
      this.#report(`Array must contain at least ${least} items matching schema. ${count} items were found.`);
    } else if (count > most) {
      this.#report(`Array may contain at most ${most} items matching schema. ${count} items were found.`);
    }
  }

  #visitKeys(value: Readonly<Record<string, unknown>>, node: SchemaNode): void {
    for (const key of node.required) {
      if (isThere(value, key)) continue;
      const child = node.properties.get(key);
      this.#below(key, () => this.#report(missingOr(undefined, child && describeExpected(child))));
    }
    for (const [key, needed] of node.dependentKeys) {
      const missing = isThere(value, key) ? needed.find((other) => !isThere(value, other)) : undefined;
      if (missing !== undefined) this.#report(`Instance has "${key}" but does not have "${missing}".`);
    }
    const { declaresKeys, keyNames, unevaluatedKeys } = node;
    if (!declaresKeys && keyNames === undefined) return;
    const evaluated = unevaluatedKeys === undefined ? undefined : this.#judge.evaluatedKeys(value, node);
    for (const key of Object.keys(value)) {
      if (this.#isFull) return;
      const item = value[key];
      if (item === undefined) continue;
      for (const child of childrenOf(node, key)) this.#visitChild(key, item, child);
      if (evaluated?.(key) === false && unevaluatedKeys !== undefined)
        this.#visitChild(key, item, unevaluatedKeys);
      if (keyNames !== undefined && !this.#judge.fits(key, keyNames)) {
        this.#below(key, () => this.#report(`Property name "${key}" does not match schema.`));
      }
    }
  }

  #visitChild(step: string | number, value: unknown, child: SchemaNode): void {
    if (!child.isNever || this.#reportsUnknown) this.#below(step, () => this.visit(value, child));
  }

  #below(step: string | number, act: () => void): void {
    const place = this.#place;
    this.#place = place.below(step);
    this.#path.push(step);
    act();
    this.#path.pop();
    this.#place = place;
  }

  #report(message: string): void {
    const path = [...this.#path];
    if (!this.#isFull && !this.issues.some((issue) => samePath(issue.path, path))) {
      this.issues.push({ path, message });
    }
  }
}

function missingOr(value: unknown, expected: string | undefined): string {
  const allowed = expected === undefined || expected === 'value' ? 'a value' : expected;
  return value === undefined
    ? `missing; expected ${allowed}`
    : `expected ${allowed}, received ${describeReceived(value)}`;
}

/** True when the value is of the member's kind (its type, also through references), whatever lies below. */
function fitsOwnKind(value: unknown, member: SchemaNode): boolean {
  member.meter?.spend(1 + member.parts.length);
  if (member.isNever || !fitsKind(value, member)) return false;
  return member.parts.every((part) => !part.isPlain || fitsOwnKind(value, part));
}

/** By the type alone where there is one: bounds are described by what they require. */
function fitsKind(value: unknown, member: SchemaNode): boolean {
  const { type } = member.schema;
  return type === undefined
    ? member.holds(value)
    : typeConstraint(type, false, readOwnPattern)?.holds(value) === true;
}

/** True when no key of the value contradicts a constant of the member, and at least one confirms it. */
function tagsFit(value: unknown, member: SchemaNode): boolean {
  if (!isRecord(value)) return false;
  member.meter?.spend(member.properties.size);
  let isConfirmed = false;
  for (const [key, child] of member.properties) {
    if (!('const' in child.schema)) continue;
    if (!Object.hasOwn(value, key) || !child.holds(value[key])) return false;
    isConfirmed = true;
  }
  return isConfirmed;
}

/** A key that is a constant in every member. */
function sharedTag(members: readonly SchemaNode[]): string | undefined {
  const [first] = members;
  if (first === undefined) return undefined;
  first.meter?.spend(first.properties.size * members.length);
  return [...first.properties.keys()].find((key) =>
    members.every((member) => 'const' in (member.properties.get(key)?.schema ?? {})),
  );
}

/** True when two paths lead to the same place. */
export function samePath(left: Path, right: Path): boolean {
  return left.length === right.length && startsWith(left, right);
}

/** True when `path` is `prefix` or leads below it. */
export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((step, index) => step === path[index]);
}
