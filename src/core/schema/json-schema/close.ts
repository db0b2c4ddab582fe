import { SchemaError } from '../../error/index.ts';
import { formatNumber } from '../../internal/index.ts';
import type { StepsLeft } from '../json/canonical-json.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema, refsStandAlone } from './json-schema.ts';
import { hasAnyKeyword, keyKeywords, keywords } from './keywords.ts';
import { mergeObjects } from './merge-objects.ts';
import { createReferenceResolver, type ReferenceResolver } from './reference.ts';

type WritableSchema = Record<string, JsonValue | undefined>;

/** Keywords that add to what is said of the value: then no part of the schema knows all keys. */
const parts = ['dependentSchemas', 'dependencies', 'allOf', 'if'];
/** References are written out in place this often at most; beyond it they stay, as in a schema that repeats itself without end. */
const maxInlined = 1_000;
/** The steps that a document may take. One whose references multiply it without end takes more. */
const maxSteps = 250_000;

/**
 * Writes into a JSON Schema what the runtime holds anyway: an object schema that does not say what further keys may be
 * is closed, and a tuple ends with its last item. Members of an intersection of plain objects become one object; where
 * that is not possible `unevaluatedProperties: false` closes the whole. The result is draft 2020-12 without `$schema`, also where the
 * given document is of an older draft. The given schema is not changed.
 *
 * @throws {SchemaError} `schema-unrepresentable` for a document that has too many places once its references are written out.
 */
export function closeJsonSchema(document: JsonSchema): JsonSchema {
  const { $schema, ...root } = document;
  const closed = new Closer(root, refsStandAlone($schema)).close(root, true);
  if (!isSchemaObject(closed)) return root;
  const isBareObject =
    closed['type'] === 'object' && !hasAnyKeyword(closed, [...keyKeywords, 'allOf', 'anyOf', 'oneOf']);
  return isBareObject ? { ...closed, properties: {}, additionalProperties: false } : closed;
}

class Closer {
  readonly #resolve: ReferenceResolver;
  /** References being written out in place, so that a schema which refers to itself there ends. */
  readonly #inlined = new Set<string>();
  #inlinedCount = 0;

  readonly #refsStandAlone: boolean;
  readonly #steps: StepsLeft = { left: maxSteps };

  constructor(root: JsonSchema, refsAlone: boolean) {
    this.#resolve = createReferenceResolver(root);
    this.#refsStandAlone = refsAlone;
  }

  /** @param isWhole false for a part of a larger schema at the same place, which closes for all its parts. */
  close(source: JsonValue | undefined, isWhole: boolean): JsonValue | undefined {
    if (!isSchemaObject(source)) return source;
    this.#spend(Object.keys(source).length);
    const read = this.#refsStandAlone ? withoutIgnored(source) : source;
    const apart = isWhole ? this.#moveReference(read) : read;
    const schema = mergeObjects(apart, this.#resolve, this.#steps) ?? apart;
    if (!isWhole && typeof schema['$ref'] === 'string') return this.#inline(schema, schema['$ref']);
    const hasParts = hasAnyKeyword(schema, parts) || this.#isMixed(schema);
    const closed: WritableSchema = { ...schema };
    for (const [name, operand] of Object.entries(schema)) {
      const keyword = keywords.get(name);
      if (keyword?.closes === undefined || operand === undefined) continue;
      const childIsWhole = keyword.closes === 'whole' || (isWhole && !hasParts);
      closed[name] = this.#closeChildren(operand, keyword.holds === 'map', childIsWhole);
    }
    if (isWhole) endKeys(closed, hasParts);
    if (closed['prefixItems'] !== undefined && !hasAnyKeyword(closed, ['items', 'unevaluatedItems']))
      closed['items'] = false;
    return closed;
  }

  #spend(steps: number): void {
    this.#steps.left -= 1 + steps;
    if (this.#steps.left >= 0) return;
    throw new SchemaError(
      'schema-unrepresentable',
      `This JSON Schema cannot be used: with its references written out it takes more than ${formatNumber(maxSteps)} steps.`,
    );
  }

  /**
   * A reference beside keys of its own, or beside other parts, becomes one more part: the definition that it leads to is closed by
   * itself and would refuse the keys beside it.
   */
  #moveReference(schema: JsonSchema): JsonSchema {
    const { $ref: reference, ...beside } = schema;
    if (typeof reference !== 'string') return schema;
    if (!hasAnyKeyword(schema, parts) && !this.#isMixed(schema)) return schema;
    const { allOf } = beside;
    return { ...beside, allOf: [{ $ref: reference }, ...(isList(allOf) ? allOf : [])] };
  }

  /** Alternatives or a reference beside keys of its own: no part knows all keys. */
  #isMixed(schema: JsonSchema): boolean {
    const places = ['anyOf', 'oneOf', '$ref'].filter((keyword) => schema[keyword] !== undefined).length;
    return places > 1 || (places === 1 && hasAnyKeyword(schema, keyKeywords));
  }

  #inline(schema: JsonSchema, reference: string): JsonValue | undefined {
    const target = this.#resolve(reference);
    this.#inlinedCount += 1;
    if (!isSchemaObject(target) || this.#inlined.has(reference) || this.#inlinedCount > maxInlined)
      return schema;
    this.#inlined.add(reference);
    const { $ref: _reference, $defs: _definitions, ...beside } = schema;
    const { $defs: _inner, ...written } = target;
    const inlined = this.close(
      Object.keys(beside).length === 0 ? written : { allOf: [written, beside] },
      false,
    );
    this.#inlined.delete(reference);
    return inlined;
  }

  #closeChildren(operand: JsonValue, isMap: boolean, isWhole: boolean): JsonValue | undefined {
    if (isList(operand)) return operand.map((child) => this.close(child, isWhole) ?? true);
    if (!isMap || !isSchemaObject(operand)) return this.close(operand, isWhole);
    return Object.fromEntries(
      Object.entries(operand).map(([key, child]) => [key, this.close(child, isWhole)]),
    );
  }
}

/** A schema of a draft in which a `$ref` overrides its siblings, without the siblings: newer drafts would apply them. */
function withoutIgnored(schema: JsonSchema): JsonSchema {
  if (typeof schema['$ref'] !== 'string') return schema;
  const kept = Object.entries(schema).filter(([name]) => {
    const role = keywords.get(name)?.role;
    return name === '$ref' || role === 'annotation' || role === 'document';
  });
  return Object.fromEntries(kept);
}

function endKeys(closed: WritableSchema, hasParts: boolean): void {
  if (hasAnyKeyword(closed, ['additionalProperties', 'unevaluatedProperties'])) return;
  if (hasParts) {
    if (mentionsKeys(closed, 0)) closed['unevaluatedProperties'] = false;
  } else if (hasAnyKeyword(closed, keyKeywords)) closed['additionalProperties'] = false;
}

/** True when the schema or a part of it at the same place names keys. */
function mentionsKeys(schema: JsonSchema, depth: number): boolean {
  if (hasAnyKeyword(schema, keyKeywords) || typeof schema['$ref'] === 'string') return true;
  if (depth > 32) return false;
  return Object.entries(schema).some(([name, operand]) => {
    const keyword = keywords.get(name);
    if (keyword?.closes !== 'part') return false;
    const isMap = keyword.holds === 'map' && isSchemaObject(operand);
    const children = isMap ? Object.values(operand) : isList(operand) ? operand : [operand];
    return children.some((child) => isSchemaObject(child) && mentionsKeys(child, depth + 1));
  });
}
