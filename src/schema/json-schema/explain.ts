import { isRecord } from '../../internal/index.ts';
import { maxIssues, type SchemaIssue } from '../json/issue.ts';
import { fitsConstraints } from './constraint.ts';
import { describeExpected, describeReceived } from './describe.ts';
import type { SchemaNode } from './node.ts';
import { childrenOf, SchemaMatcher } from './schema-match.ts';

type Path = readonly (string | number)[];

/**
 * Says where and why `value` breaks a JSON Schema, in the same words whichever library validates. Finds at most 20
 * places. May find nothing although the value is invalid: keywords that it does not know are left to the validator.
 */
export function explain(root: SchemaNode, value: unknown): readonly SchemaIssue[] {
  const explainer = new Explainer();
  explainer.visit(value, root);
  return explainer.issues;
}

class Explainer {
  readonly issues: SchemaIssue[] = [];
  readonly #matcher = new SchemaMatcher();
  readonly #path: (string | number)[] = [];
  readonly #visiting = new Set<SchemaNode>();

  visit(value: unknown, node: SchemaNode): void {
    if (this.issues.length >= maxIssues || this.#matcher.matches(value, node)) return;
    if (node.isNever || !fitsConstraints(node.schema, value)) {
      this.#report(`expected ${describeExpected(node)}, received ${describeReceived(value)}`);
      return;
    }
    // A schema that refers to itself at the same place has been explained already.
    if (this.#visiting.has(node)) return;
    this.#visiting.add(node);
    for (const part of node.parts) this.visit(value, part);
    for (const members of node.unions) this.#visitUnion(value, members, node);
    for (const { test, whenTrue, whenFalse } of node.conditions) {
      const branch = this.#matcher.matches(value, test) ? whenTrue : whenFalse;
      if (branch !== undefined) this.visit(value, branch);
    }
    this.#visiting.delete(node);
    if (Array.isArray(value)) this.#visitItems(value, node);
    else if (isRecord(value)) this.#visitKeys(value, node);
  }

  #visitUnion(value: unknown, members: readonly SchemaNode[], node: SchemaNode): void {
    if (members.some((member) => this.#matcher.matches(value, member))) return;
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
    for (let index = 0; index < value.length && this.issues.length < maxIssues; index += 1) {
      const child = node.prefixItems[index] ?? node.items;
      if (child !== undefined && !child.isNever) this.#below(index, () => this.visit(value[index], child));
    }
  }

  #visitKeys(value: Record<string, unknown>, node: SchemaNode): void {
    const { required } = node.schema;
    for (const key of Array.isArray(required) ? required : []) {
      if (typeof key !== 'string' || (Object.hasOwn(value, key) && value[key] !== undefined)) continue;
      const child = node.properties.get(key);
      this.#below(key, () => this.#report(missingOr(undefined, child && describeExpected(child))));
    }
    if (!node.declaresKeys) return;
    for (const key of Object.keys(value)) {
      if (this.issues.length >= maxIssues) return;
      if (value[key] === undefined) continue;
      for (const child of childrenOf(node, key)) {
        if (!child.isNever) this.#below(key, () => this.visit(value[key], child));
      }
    }
  }

  #below(step: string | number, act: () => void): void {
    this.#path.push(step);
    act();
    this.#path.pop();
  }

  #report(message: string): void {
    const path = [...this.#path];
    if (this.issues.length < maxIssues && !this.issues.some((issue) => samePath(issue.path, path))) {
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
  const { type } = member.schema;
  if (member.isNever || !fitsConstraints(type === undefined ? member.schema : { type }, value)) return false;
  return member.parts.every((part) => !part.isPlain || fitsOwnKind(value, part));
}

/** True when no key of the value contradicts a constant of the member, and at least one confirms it. */
function tagsFit(value: unknown, member: SchemaNode): boolean {
  if (!isRecord(value)) return false;
  let isConfirmed = false;
  for (const [key, child] of member.properties) {
    if (!('const' in child.schema)) continue;
    if (!Object.hasOwn(value, key) || !fitsConstraints(child.schema, value[key])) return false;
    isConfirmed = true;
  }
  return isConfirmed;
}

/** A key that is a constant in every member. */
function sharedTag(members: readonly SchemaNode[]): string | undefined {
  const [first] = members;
  if (first === undefined) return undefined;
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
