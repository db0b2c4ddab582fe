import { none, type Writable } from '../../internal/index.ts';
import { anyJson, type Constraint } from './constraint.ts';
import { isSchemaObject, type JsonSchema, objectOf, refsStandAlone } from './json-schema.ts';
import { hasAnyKeyword, keyKeywords, keywords } from './keywords.ts';
import { type PatternReader, readOwnPattern, type SchemaPattern } from './pattern.ts';
import { createReferenceResolver, type ReferenceResolver, resolveDynamic } from './reference.ts';
import type { ConditionNode, SchemaNode } from './schema-node.ts';
import type { StrangerRules } from './stranger.ts';

export interface CompileOptions {
  /**
   * True when no schema library validates: every keyword is checked by the letter of the specification. False when a schema library judges
   * and its JSON Schema only describes the kind of values: keywords that libraries interpret differently are left to them.
   */
  readonly exact: boolean;
  /** Where a stranger wrote the schema: what bounds its cost. Default: nothing. */
  readonly stranger?: StrangerRules | undefined;
}

/** Compiles a JSON Schema into a graph of nodes, one per subschema. A reference to nothing counts as "anything goes". */
export function compileJsonSchema(root: JsonSchema, options: CompileOptions): SchemaNode {
  return new Compiler(root, options).compile();
}

class Compiler {
  readonly #root: JsonSchema;
  readonly #exact: boolean;
  /** Up to draft 7 a `$ref` replaces all of its schema. */
  readonly #refsStandAlone: boolean;
  readonly #resolve: ReferenceResolver;
  readonly #nodes = new Map<JsonSchema | boolean, Writable<SchemaNode>>();
  readonly #stranger: StrangerRules | undefined;
  readonly #readPattern: PatternReader;
  /** The nodes with a pattern of a stranger that cannot be read. */
  readonly #loose = new Set<SchemaNode>();
  #hasUnevaluated = false;

  constructor(root: JsonSchema, { exact, stranger }: CompileOptions) {
    this.#root = root;
    this.#exact = exact;
    this.#stranger = stranger;
    this.#readPattern = stranger?.readPattern ?? readOwnPattern;
    const { $schema } = root;
    this.#refsStandAlone = exact && refsStandAlone($schema);
    this.#resolve = createReferenceResolver(root);
  }

  compile(): SchemaNode {
    const node = this.#read(this.#root);
    // What was evaluated is found by asking again which parts fit.
    if (this.#hasUnevaluated) for (const each of this.#nodes.values()) each.isShared = true;
    if (this.#stranger !== undefined) {
      const anything = this.#read(true);
      this.#stranger.finish([...this.#nodes.values()], this.#loose, anything);
    }
    return node;
  }

  #read(source: unknown): SchemaNode {
    const given = isSchemaObject(source) || source === false ? source : true;
    const known = this.#nodes.get(given);
    if (known !== undefined) {
      known.isShared = true;
      return known;
    }
    const node = this.#createNode(given);
    // Registered before its children are read, so a schema that refers to itself ends here.
    this.#nodes.set(given, node);
    if (isSchemaObject(given) && !node.isLeaf) this.#readChildren(node, given);
    return node;
  }

  #createNode(given: JsonSchema | boolean): Writable<SchemaNode> {
    const schema = !isSchemaObject(given) ? {} : this.#standsAlone(given) ? { $ref: given['$ref'] } : given;
    const { type, required } = schema;
    const names = Object.keys(schema);
    const constraints = isSchemaObject(given) ? this.#constraintsOf(schema) : none;
    const node: Writable<SchemaNode> = {
      schema,
      isNever: given === false,
      isLeaf: !names.some((name) => isStructure(name)),
      isInert: given !== false && !hasAnyKeyword(schema, applicators),
      isPlain: true,
      isShared: false,
      declaresKeys: hasAnyKeyword(schema, keyKeywords),
      isObject: type === 'object' || (Array.isArray(type) && type.length === 1 && type[0] === 'object'),
      constraints,
      holds: given === false ? () => false : allHold(constraints),
      required: Array.isArray(required) ? new Set(textsOf(required)) : noNames,
      hasKeyRules: false,
      properties: noNodes,
      patterns: none,
      additional: undefined,
      unevaluatedKeys: undefined,
      keyNames: undefined,
      prefixItems: none,
      items: undefined,
      unevaluatedItems: undefined,
      contains: undefined,
      parts: none,
      unions: none,
      conditions: none,
      dependents: noNodes,
      dependentKeys: noKeys,
      not: undefined,
      meter: undefined,
    };
    const { pattern } = schema;
    if (typeof pattern === 'string' && this.#isLeftOut(pattern)) this.#loose.add(node);
    return node;
  }

  /** A stranger's pattern that cannot be read. Those of others are refused, or are left to their library. */
  #isLeftOut(pattern: string): boolean {
    return this.#stranger !== undefined && this.#readPattern(pattern) === undefined;
  }

  #standsAlone(schema: JsonSchema): boolean {
    return this.#refsStandAlone && typeof schema['$ref'] === 'string';
  }

  #constraintsOf(schema: JsonSchema): readonly Constraint[] {
    const made = Object.entries(schema).flatMap(([name, operand]) => {
      const make = operand === undefined ? undefined : keywords.get(name)?.constraint;
      if (operand === undefined) return [];
      const constraint = make?.(operand, this.#exact, this.#readPattern);
      if (constraint === undefined) return [];
      return [this.#stranger === undefined ? constraint : this.#stranger.price(name, operand, constraint)];
    });
    return this.#exact && schema['type'] === undefined ? [anyJson, ...made] : made;
  }

  #readChildren(node: Writable<SchemaNode>, given: JsonSchema): void {
    const { schema } = node;
    node.parts = [...this.#readReferences(schema, given), ...this.#readList(schema['allOf'])];
    node.unions = (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
      const members = this.#readList(schema[keyword]);
      return members.length === 0 ? [] : [{ members, isExclusive: this.#exact && keyword === 'oneOf' }];
    });
    if (schema['if'] !== undefined) node.conditions = [this.#readCondition(schema)];
    node.dependents = this.#readMap({
      ...objectOf(schema['dependencies']),
      ...objectOf(schema['dependentSchemas']),
    });
    node.isPlain =
      node.parts.length + node.unions.length + node.conditions.length + node.dependents.size === 0;
    this.#readKeys(node, schema);
    this.#readItems(node, schema);
    if (this.#exact) this.#readTests(node, schema);
    node.hasKeyRules =
      node.keyNames !== undefined || node.unevaluatedKeys !== undefined || node.dependentKeys.size > 0;
  }

  #readReferences(schema: JsonSchema, given: JsonSchema): readonly SchemaNode[] {
    const { $ref, $dynamicRef, $recursiveRef } = schema;
    const targets = [
      typeof $ref === 'string' ? [this.#resolve($ref, given)] : none,
      ...[$dynamicRef, $recursiveRef].map((reference) =>
        typeof reference === 'string' ? [resolveDynamic(this.#resolve, reference, given)] : none,
      ),
    ];
    return targets.flat().map((target) => this.#read(target ?? true));
  }

  #readKeys(node: Writable<SchemaNode>, schema: JsonSchema): void {
    node.properties = this.#readMap(schema['properties']);
    node.patterns = Object.entries(objectOf(schema['patternProperties'])).flatMap(([source, child]) => {
      const pattern = this.#readPattern(source);
      if (pattern !== undefined) {
        return [{ pattern, shown: `/${source}/`, node: this.#read(child) }];
      }
      if (this.#stranger === undefined) return [];
      // Each key may be one that the pattern allows, with any value.
      this.#loose.add(node);
      return [{ pattern: everyText, shown: `/${source}/`, node: this.#read(true) }];
    });
    node.additional = this.#readOne(schema['additionalProperties']);
    node.unevaluatedKeys = this.#readOne(schema['unevaluatedProperties']);
    if (node.unevaluatedKeys !== undefined) this.#hasUnevaluated = true;
  }

  /** Before draft 2020-12 a list under `items` was what `prefixItems` is now, and `additionalItems` its `items`. */
  #readItems(node: Writable<SchemaNode>, schema: JsonSchema): void {
    const items = schema['items'];
    node.prefixItems = this.#readList(schema['prefixItems'] ?? (Array.isArray(items) ? items : undefined));
    node.items = this.#readOne(Array.isArray(items) ? schema['additionalItems'] : items);
    node.unevaluatedItems = this.#readOne(schema['unevaluatedItems']);
    if (node.unevaluatedItems !== undefined) this.#hasUnevaluated = true;
  }

  #readTests(node: Writable<SchemaNode>, schema: JsonSchema): void {
    const { minContains, maxContains } = schema;
    node.not = this.#readOne(schema['not']);
    node.keyNames = this.#readOne(schema['propertyNames']);
    const contained = this.#readOne(schema['contains']);
    node.contains = contained && {
      node: contained,
      least: typeof minContains === 'number' ? minContains : 1,
      most: typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY,
    };
    const needs = { ...objectOf(schema['dependencies']), ...objectOf(schema['dependentRequired']) };
    const lists = Object.entries(needs).filter(([, keys]) => Array.isArray(keys));
    if (lists.length > 0) node.dependentKeys = new Map(lists.map(([key, keys]) => [key, textsOf(keys)]));
  }

  #readCondition(schema: JsonSchema): ConditionNode {
    return {
      test: this.#read(schema['if']),
      whenTrue: this.#readOne(schema['then']),
      whenFalse: this.#readOne(schema['else']),
    };
  }

  #readOne(source: unknown): SchemaNode | undefined {
    return source === undefined ? undefined : this.#read(source);
  }

  #readList(source: unknown): readonly SchemaNode[] {
    return Array.isArray(source) ? source.map((child) => this.#read(child)) : none;
  }

  #readMap(source: unknown): ReadonlyMap<string, SchemaNode> {
    const entries = Object.entries(objectOf(source)).filter(([, child]) => !Array.isArray(child));
    return entries.length === 0 ? noNodes : new Map(entries.map(([key, child]) => [key, this.#read(child)]));
  }
}

function allHold(constraints: readonly Constraint[]): (value: unknown) => boolean {
  const [only, another] = constraints;
  if (only === undefined) return () => true;
  if (another === undefined) return only.holds;
  return (value) => constraints.every(({ holds }) => holds(value));
}

const everyText: SchemaPattern = { test: () => true };
const noNodes: ReadonlyMap<string, SchemaNode> = new Map();
const noNames: ReadonlySet<string> = new Set();
const noKeys: ReadonlyMap<string, readonly string[]> = new Map();

/** Keywords that bring further schemas to the value, or to what lies below it; tests of it do not. */
const applicators: readonly string[] = [...keywords]
  .filter(([, { role, closes }]) => role === 'parts' || (closes !== undefined && role !== 'document'))
  .map(([name]) => name)
  .concat('if');

/** True for a keyword that asks more than a constraint on the value by itself. */
function isStructure(name: string): boolean {
  const keyword = keywords.get(name);
  if (keyword === undefined || keyword.constraint !== undefined) return false;
  return keyword.role === 'parts' || keyword.role === 'shape' || keyword.role === 'constraint';
}

function textsOf(source: unknown): readonly string[] {
  return Array.isArray(source) ? source.filter((item) => typeof item === 'string') : none;
}
