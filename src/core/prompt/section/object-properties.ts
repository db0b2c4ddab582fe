import { isRecord } from '../../internal/index.ts';
import {
  canonicalJson,
  createReferenceResolver,
  type JsonSchema,
  type JsonValue,
  type ReferenceResolver,
} from '../../schema/index.ts';

/** The properties that an object schema declares, including its references, parts and union members. */
export interface ObjectProperties {
  /** Every property name, with each subschema that some member gives it, references written out. */
  readonly all: ReadonlyMap<string, readonly JsonValue[]>;
  /** Names that every member of a union has. */
  readonly common: ReadonlySet<string>;
  /** True when some member allows keys it does not name. */
  readonly open: boolean;
}

const nothing: ObjectProperties = { all: new Map(), common: new Set(), open: false };
/** Reads the properties of an object schema. */
export function objectProperties(schema: JsonSchema): ObjectProperties {
  return readNode(schema, createReferenceResolver(schema), new Set());
}

/** A string that is equal for equal lists of subschemas, in any order. */
export function propertySignature(subschemas: readonly JsonValue[]): string {
  return [...new Set(subschemas.map(canonicalJson))].sort().join('\n');
}

function readNode(
  node: JsonValue | undefined,
  resolve: ReferenceResolver,
  visiting: Set<JsonSchema>,
): ObjectProperties {
  if (!isRecord(node) || visiting.has(node)) return nothing;
  visiting.add(node);
  const { $ref, allOf, anyOf, oneOf } = node;
  const parts = [ownProperties(node, resolve)];
  if (typeof $ref === 'string') parts.push(readNode(resolve($ref), resolve, visiting));
  for (const part of list(allOf)) parts.push(readNode(part, resolve, visiting));
  for (const members of [list(anyOf), list(oneOf)]) {
    if (members.length > 0)
      parts.push(eitherOf(members.map((member) => readNode(member, resolve, visiting))));
  }
  visiting.delete(node);
  return parts.length === 1 ? (parts[0] ?? nothing) : allOfThem(parts);
}

function ownProperties(node: JsonSchema, resolve: ReferenceResolver): ObjectProperties {
  const properties = isRecord(node['properties']) ? Object.entries(node['properties']) : [];
  const further = node['additionalProperties'] ?? node['unevaluatedProperties'];
  return {
    all: new Map(properties.map(([name, schema]) => [name, [writtenOut(schema, resolve, [])]])),
    common: new Set(properties.map(([name]) => name)),
    open: (further !== undefined && further !== false) || node['patternProperties'] !== undefined,
  };
}

function allOfThem(parts: readonly ObjectProperties[]): ObjectProperties {
  return {
    all: mergeAll(parts),
    common: new Set(parts.flatMap(({ common }) => [...common])),
    open: parts.some(({ open }) => open),
  };
}

function eitherOf(members: readonly ObjectProperties[]): ObjectProperties {
  const all = mergeAll(members);
  return {
    all,
    common: new Set([...all.keys()].filter((name) => members.every(({ common }) => common.has(name)))),
    open: members.some(({ open }) => open),
  };
}

function mergeAll(parts: readonly ObjectProperties[]): Map<string, readonly JsonValue[]> {
  const merged = new Map<string, readonly JsonValue[]>();
  for (const part of parts) {
    for (const [name, schemas] of part.all) merged.set(name, [...(merged.get(name) ?? []), ...schemas]);
  }
  return merged;
}

/** The schema with references replaced by what they point to; one that leads back into itself stays as it is. */
function writtenOut(
  node: JsonValue | undefined,
  resolve: ReferenceResolver,
  path: readonly string[],
): JsonValue {
  if (Array.isArray(node)) return node.map((item: JsonValue) => writtenOut(item, resolve, path));
  if (!isRecord(node)) return node ?? null;
  const { $ref, ...rest } = node;
  const entries = Object.entries(rest).map(
    ([key, value]) => [key, writtenOut(value, resolve, path)] as const,
  );
  if (typeof $ref !== 'string') return Object.fromEntries(entries);
  const target = path.includes($ref) ? undefined : resolve($ref);
  if (target === undefined) return Object.fromEntries([['$ref', $ref], ...entries]);
  const written = writtenOut(target, resolve, [...path, $ref]);
  return entries.length === 0 ? written : { ...Object.fromEntries(entries), allOf: [written] };
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
