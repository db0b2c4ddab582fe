import { isRecord } from '../../internal/index.ts';
import { canonicalJson, type JsonSchema, type JsonValue } from '../../schema/index.ts';

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
  return readNode(schema, schema, new Set());
}

/** A string that is equal for equal lists of subschemas, in any order. */
export function propertySignature(subschemas: readonly JsonValue[]): string {
  return [...new Set(subschemas.map(canonicalJson))].sort().join('\n');
}

function readNode(
  node: JsonValue | undefined,
  root: JsonSchema,
  visiting: Set<JsonSchema>,
): ObjectProperties {
  if (!isRecord(node) || visiting.has(node)) return nothing;
  visiting.add(node);
  const { $ref, allOf, anyOf, oneOf } = node;
  const parts = [ownProperties(node, root)];
  if (typeof $ref === 'string') parts.push(readNode(resolve($ref, root), root, visiting));
  for (const part of list(allOf)) parts.push(readNode(part, root, visiting));
  for (const members of [list(anyOf), list(oneOf)]) {
    if (members.length > 0) parts.push(eitherOf(members.map((member) => readNode(member, root, visiting))));
  }
  visiting.delete(node);
  return parts.length === 1 ? (parts[0] ?? nothing) : allOfThem(parts);
}

function ownProperties(node: JsonSchema, root: JsonSchema): ObjectProperties {
  const properties = isRecord(node['properties']) ? Object.entries(node['properties']) : [];
  const further = node['additionalProperties'] ?? node['unevaluatedProperties'];
  return {
    all: new Map(properties.map(([name, schema]) => [name, [writtenOut(schema, root, [])]])),
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
function writtenOut(node: JsonValue | undefined, root: JsonSchema, path: readonly string[]): JsonValue {
  if (Array.isArray(node)) return node.map((item: JsonValue) => writtenOut(item, root, path));
  if (!isRecord(node)) return node ?? null;
  const { $ref, ...rest } = node;
  const entries = Object.entries(rest).map(([key, value]) => [key, writtenOut(value, root, path)] as const);
  if (typeof $ref !== 'string') return Object.fromEntries(entries);
  const target = path.includes($ref) ? undefined : resolve($ref, root);
  if (target === undefined) return Object.fromEntries([['$ref', $ref], ...entries]);
  const written = writtenOut(target, root, [...path, $ref]);
  return entries.length === 0 ? written : { ...Object.fromEntries(entries), allOf: [written] };
}

/** What a reference within the document points to: `#` or a JSON pointer. */
function resolve(reference: string, root: JsonSchema): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let place: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(place)) place = place[Number(key)];
    else place = isRecord(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  return place;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
