import { maxIssues, type SchemaIssue } from './json/issue.ts';
import { describeReceived } from './json-schema/describe.ts';
import { explain, samePath, startsWith } from './json-schema/explain.ts';
import type { SchemaNode } from './json-schema/schema-node.ts';

type Path = readonly (string | number)[];

/** An issue as a schema library reports it; further properties differ by library. */
export interface LibraryIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * One list of issues, from the unknown keys that were found and the issues of the user's library. Where the JSON Schema
 * explains the issue, its message is used, the same for every library; otherwise the library's message with what was received.
 */
export function mergeIssues(
  root: SchemaNode,
  value: unknown,
  unknown: readonly SchemaIssue[],
  reported: readonly LibraryIssue[],
): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  const add = (issue: SchemaIssue): void => {
    if (!issues.some((other) => samePath(other.path, issue.path) && other.message === issue.message)) {
      issues.push(issue);
    }
  };
  const explained = reported.length === 0 ? [] : explain(root, value);
  for (const issue of reported.slice(0, maxIssues)) {
    const path = pathOf(issue, value);
    if (isAboutUnknownKeys(issue, path, unknown)) continue;
    const related = relatedTo(path, issue, explained);
    if (related.length > 0) related.forEach(add);
    else add({ path, message: libraryMessage(issue, valueAt(value, path)) });
  }
  for (const issue of unknown) {
    const isItemOfWrongList =
      typeof issue.path.at(-1) === 'number' &&
      issues.some(({ path }) => samePath(path, issue.path.slice(0, -1)));
    if (!isItemOfWrongList) add(issue);
  }
  if (issues.length === 0) add({ path: [], message: 'is not valid' });
  return issues;
}

/** What the JSON Schema says about the place of a library's issue: at it, below it for a union, else above it. */
function relatedTo(
  path: Path,
  issue: LibraryIssue,
  explained: readonly SchemaIssue[],
): readonly SchemaIssue[] {
  const here = explained.filter((other) => samePath(other.path, path));
  if (here.length > 0) return here;
  const isUnion = ['union', 'invalid_union'].includes(String(codeOf(issue)));
  const below = isUnion ? explained.filter((other) => startsWith(other.path, path)) : [];
  return below.length > 0 ? below : explained.filter((other) => startsWith(path, other.path));
}

/** The name by which a library distinguishes kinds of issues: `code` in Zod and ArkType, `type` in Valibot. */
function codeOf(issue: LibraryIssue): unknown {
  return Reflect.get(issue, 'code') ?? Reflect.get(issue, 'type');
}

function isAboutUnknownKeys(issue: LibraryIssue, path: Path, unknown: readonly SchemaIssue[]): boolean {
  const keys: unknown = codeOf(issue) === 'unrecognized_keys' ? Reflect.get(issue, 'keys') : undefined;
  if (Array.isArray(keys)) {
    return keys.every((key) => unknown.some((other) => samePath(other.path, [...path, String(key)])));
  }
  return unknown.some((other) => samePath(other.path, path));
}

function libraryMessage(issue: LibraryIssue, received: unknown): string {
  // ArkType repeats the path in `message`; its `problem` is the same without it.
  const problem: unknown = Reflect.get(issue, 'problem');
  if (typeof problem === 'string' && problem !== '') return problem;
  const isScalar = typeof received !== 'object' || received === null;
  const needsValue = isScalar && received !== undefined && !issue.message.includes('received');
  return needsValue ? `${issue.message}, received ${describeReceived(received)}` : issue.message;
}

/** The path as keys and indexes. Libraries write steps as keys or as objects with a key; indexes may be strings. */
function pathOf(issue: LibraryIssue, value: unknown): Path {
  const path: (string | number)[] = [];
  let place = value;
  for (const step of issue.path ?? []) {
    const key = typeof step === 'object' ? step.key : step;
    const isIndex = Array.isArray(place) && /^\d+$/.test(String(key));
    path.push(isIndex ? Number(key) : String(key));
    place = childAt(place, String(key));
  }
  return path;
}

/** The value at a path; undefined when there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let place = value;
  for (const step of path) place = childAt(place, String(step));
  return place;
}

function childAt(place: unknown, key: string): unknown {
  if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
  return Reflect.get(place, key);
}
