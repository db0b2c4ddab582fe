import { none, type Writable } from '../../internal/index.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import { compilePattern } from './pattern.ts';
import { createReferenceResolver, type ReferenceResolver } from './reference.ts';

/** A `patternProperties` entry. */
export interface PatternNode {
  readonly pattern: RegExp;
  readonly node: SchemaNode;
}

/** An `if` with what follows from it. */
export interface ConditionNode {
  readonly test: SchemaNode;
  readonly whenTrue: SchemaNode | undefined;
  readonly whenFalse: SchemaNode | undefined;
}

/** One subschema of a JSON Schema, read once, with its references resolved. Recursive schemas are cyclic graphs. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  /** The schema `false`: nothing fits. */
  readonly isNever: boolean;
  /** Nothing in it speaks about what lies below a value: no keys, no items, no members. */
  readonly isInert: boolean;
  /** Speaks only by its own keywords: no `$ref`, `allOf`, `anyOf`, `oneOf`, conditions. */
  readonly isPlain: boolean;
  /** Has `properties`, `patternProperties`, `additionalProperties` or `unevaluatedProperties`. */
  readonly declaresKeys: boolean;
  /** `type` is `object`. */
  readonly isObject: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly PatternNode[];
  /** The explicit schema of further keys; undefined when there is none. */
  readonly additional: SchemaNode | undefined;
  readonly prefixItems: readonly SchemaNode[];
  readonly items: SchemaNode | undefined;
  /** Schemas that hold as well: the target of `$ref`, the members of `allOf`. */
  readonly parts: readonly SchemaNode[];
  /** Each a list of alternatives: `anyOf`, `oneOf`. */
  readonly unions: readonly (readonly SchemaNode[])[];
  readonly conditions: readonly ConditionNode[];
  /** Schemas that hold when a key is there. */
  readonly dependents: ReadonlyMap<string, SchemaNode>;
}

type MutableNode = Writable<SchemaNode>;

const applicators = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentSchemas'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'dependencies'],
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if'],
];
const noMap: ReadonlyMap<string, SchemaNode> = new Map();

/** Reads a JSON Schema into a graph of nodes, one per subschema. A `$ref` to nothing counts as "anything goes". */
export function createSchemaGraph(root: JsonSchema): SchemaNode {
  return new GraphReader(createReferenceResolver(root)).read(root);
}

class GraphReader {
  readonly #resolve: ReferenceResolver;
  readonly #nodes = new Map<JsonSchema | boolean, SchemaNode>();

  constructor(resolve: ReferenceResolver) {
    this.#resolve = resolve;
  }

  read(source: unknown): SchemaNode {
    const schema = isSchemaObject(source) || source === false ? source : true;
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node = emptyNode(schema);
    // Registered before its children are read, so a schema that refers to itself ends here.
    this.#nodes.set(schema, node);
    if (isSchemaObject(schema) && !node.isInert) this.#readChildren(node, schema);
    return node;
  }

  #readChildren(node: MutableNode, schema: JsonSchema): void {
    node.properties = this.#readMap(schema['properties']);
    node.patterns = Object.entries(record(schema['patternProperties'])).flatMap(([source, child]) => {
      const pattern = compilePattern(source);
      return pattern === undefined ? [] : [{ pattern, node: this.read(child) }];
    });
    const additional = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    node.additional = additional === undefined ? undefined : this.read(additional);
    // Before draft 2020-12 a list under `items` was what `prefixItems` is now, and `additionalItems` its `items`.
    const items = schema['items'];
    node.prefixItems = this.#readList(schema['prefixItems'] ?? (Array.isArray(items) ? items : undefined));
    const rest = (Array.isArray(items) ? schema['additionalItems'] : items) ?? schema['unevaluatedItems'];
    node.items = rest === undefined ? undefined : this.read(rest);
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    const target = typeof reference === 'string' ? [this.read(this.#resolve(reference) ?? true)] : none;
    node.parts = [...target, ...this.#readList(schema['allOf'])];
    node.unions = [this.#readList(schema['anyOf']), this.#readList(schema['oneOf'])].filter(
      (it) => it.length > 0,
    );
    node.conditions = schema['if'] === undefined ? none : [this.#readCondition(schema)];
    node.dependents = this.#readMap({
      ...record(schema['dependencies']),
      ...record(schema['dependentSchemas']),
    });
    node.isPlain =
      node.parts.length + node.unions.length + node.conditions.length + node.dependents.size === 0;
  }

  #readCondition(schema: JsonSchema): ConditionNode {
    const branch = (source: unknown): SchemaNode | undefined =>
      source === undefined ? undefined : this.read(source);
    return {
      test: this.read(schema['if']),
      whenTrue: branch(schema['then']),
      whenFalse: branch(schema['else']),
    };
  }

  #readList(source: unknown): readonly SchemaNode[] {
    return Array.isArray(source) ? source.map((child) => this.read(child)) : none;
  }

  #readMap(source: unknown): ReadonlyMap<string, SchemaNode> {
    const entries = Object.entries(record(source)).filter(([, child]) => !Array.isArray(child));
    return entries.length === 0 ? noMap : new Map(entries.map(([key, child]) => [key, this.read(child)]));
  }
}

function emptyNode(source: JsonSchema | boolean): MutableNode {
  const schema = isSchemaObject(source) ? source : {};
  const { type } = schema;
  return {
    schema,
    isNever: source === false,
    isInert: source !== false && !applicators.some((keyword) => schema[keyword] !== undefined),
    isPlain: true,
    declaresKeys: ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'].some(
      (keyword) => schema[keyword] !== undefined,
    ),
    isObject: type === 'object' || (Array.isArray(type) && type.length === 1 && type[0] === 'object'),
    properties: noMap,
    patterns: none,
    additional: undefined,
    prefixItems: none,
    items: undefined,
    parts: none,
    unions: none,
    conditions: none,
    dependents: noMap,
  };
}

function record(source: unknown): JsonSchema {
  return isSchemaObject(source) ? source : {};
}
