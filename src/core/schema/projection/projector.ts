import type { StepsLeft } from '../json/canonical-json.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import type { ReferenceResolver } from '../json-schema/reference.ts';
import type { SchemaCounts, SchemaDialect, SchemaLoss } from './dialect.ts';
import { documentSteps, flattenSchema, saysOnlyText } from './flatten-schema.ts';
import { describeWith, shortJson, withHint } from './schema-text.ts';
import {
  constraintKeywords,
  isIdle,
  splitTypes,
  toNullable,
  typesOf,
  type WritableSchema,
  withoutToldType,
} from './schema-types.ts';
import { allowsNull, isDiscriminated } from './union-members.ts';

interface Projected {
  readonly schema: JsonSchema;
}

/** A projected schema with everything that was found on the way. What was refused makes the whole not strict. */
export interface ProjectedRoot extends Projected {
  readonly definitions: ReadonlyMap<string, JsonSchema>;
  readonly losses: readonly SchemaLoss[];
  readonly refusals: readonly SchemaLoss[];
  readonly counts: SchemaCounts;
}

const nothing: Projected = { schema: {} };

/** Keywords that may bring in keys of their own. */
const conditions = ['if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** After this many reasons to refuse a schema, it is not examined further. */
const maxRefusals = 20;
/** Written-out references may make many places of few. */
const maxPlaces = 20_000;

const countedWords: Readonly<Record<keyof SchemaCounts, string>> = {
  properties: 'properties',
  enumValues: 'fixed values',
  optionalProperties: 'properties that may be left out',
  unions: 'places with alternatives',
};

/**
 * Projects a whole schema.
 *
 * @param flat the root as one part.
 * @param root what `#` may continue to mean; undefined when the root is put into another object.
 */
export function projectStrictly(
  flat: JsonSchema,
  dialect: SchemaDialect,
  resolve: ReferenceResolver,
  root: JsonSchema | undefined,
): ProjectedRoot {
  return new Projector(dialect, resolve, root).projectRoot(flat);
}

class Projector {
  readonly #dialect: SchemaDialect;
  readonly #resolve: ReferenceResolver;
  readonly #root: JsonSchema | undefined;
  readonly #losses: SchemaLoss[] = [];
  readonly #refusals: SchemaLoss[] = [];
  /** By what a reference leads to. */
  readonly #names = new Map<JsonSchema | boolean, string>();
  readonly #definitions = new Map<string, JsonSchema>();
  /** The schemas being visited, each inside the one before. */
  readonly #open = new Set<JsonSchema>();
  #places = 0;
  readonly #steps: StepsLeft = documentSteps();
  readonly #counts: Record<keyof SchemaCounts, number> = {
    properties: 0,
    enumValues: 0,
    optionalProperties: 0,
    unions: 0,
  };

  constructor(dialect: SchemaDialect, resolve: ReferenceResolver, root: JsonSchema | undefined) {
    this.#dialect = dialect;
    this.#resolve = resolve;
    this.#root = root;
  }

  projectRoot(root: JsonSchema): ProjectedRoot {
    const projected = this.#project(root, '', 1);
    return {
      ...projected,
      definitions: this.#definitions,
      losses: this.#losses,
      refusals: this.#refusals,
      counts: this.#counts,
    };
  }

  #refuse(path: string, keyword: string, note: string): Projected {
    this.#refusals.push({ path, keyword, note });
    return nothing;
  }

  /** @returns false when there are too many now. */
  #count(what: keyof SchemaCounts, amount: number, path: string, keyword: string): boolean {
    this.#counts[what] += amount;
    const limit = this.#dialect.limits[what] ?? Number.POSITIVE_INFINITY;
    if (this.#counts[what] <= limit) return true;
    this.#refuse(path, keyword, `more than ${limit} ${countedWords[what]} in all`);
    return false;
  }

  #project(source: JsonValue | undefined, path: string, nesting: number): Projected {
    if (this.#refusals.length >= maxRefusals) return nothing;
    if (!isSchemaObject(source)) return this.#refuse(path, 'type', 'a value of any type');
    this.#places += 1;
    if (this.#places > maxPlaces) return this.#refuse(path, '$ref', `more than ${maxPlaces} places`);
    const { $ref: reference, ...beside } = source;
    if (typeof reference === 'string' && saysOnlyText(beside)) {
      const hints = defaultHints(beside);
      const description = describeWith(beside['description'], hints);
      if (description === undefined) return this.#reference(reference, path);
      // Where nothing contains itself the target can be written out with its description.
      if (this.#dialect.recursion) return this.#describedReference(reference, description, path);
    }
    // Written out again and again it would have no end.
    if (this.#open.has(source)) return this.#refuse(path, '$ref', 'a schema that contains itself, changed');
    this.#open.add(source);
    const projected = this.#projectFlat(source, path, nesting);
    this.#open.delete(source);
    return projected;
  }

  #projectFlat(source: JsonSchema, path: string, nesting: number): Projected {
    const flat = flattenSchema(source, this.#resolve, this.#steps);
    if (flat === undefined) {
      return this.#refuse(
        path,
        source['allOf'] === undefined ? '$ref' : 'allOf',
        'parts that cannot be made one',
      );
    }
    const target: WritableSchema = {};
    const hints: string[] = [];
    const types = this.#copy(flat, target, hints, path);
    const members = flat['anyOf'] ?? flat['oneOf'];
    if (isList(members)) this.#union(flat, members, target, path, nesting);
    else if (types.length === 0) return this.#refuse(path, 'type', 'a value of any type');
    else {
      target['type'] = types.length === 1 ? types[0] : types;
      if (types.includes('object')) this.#object(flat, target, path, nesting);
      if (types.includes('array')) this.#array(flat, target, path, nesting);
    }
    const schema = this.#writeTypes(target, path);
    const description = describeWith(flat['description'], hints);
    return { schema: description === undefined ? schema : { ...schema, description } };
  }

  /** Takes over what speaks about the value itself. @returns the types that the value may have. */
  #copy(source: JsonSchema, target: WritableSchema, hints: string[], path: string): readonly string[] {
    const { title, examples } = source;
    if (title !== undefined) target['title'] = title;
    if (examples !== undefined) {
      if (this.#keeps('examples', examples)) target['examples'] = examples;
      else hints.push(`Examples: ${shortJson(examples)}.`);
    }
    for (const keyword of constraintKeywords) {
      const value = source[keyword];
      if (value === undefined) continue;
      if (this.#keeps(keyword, value)) target[keyword] = value;
      else if (!isIdle(keyword, value)) this.#drop(keyword, value, path, hints);
    }
    const values = target['enum'];
    if (isList(values)) this.#count('enumValues', values.length, path, 'enum');
    hints.push(...defaultHints(source));
    return typesOf(source);
  }

  #keeps(keyword: string, value: JsonValue): boolean {
    const kept = this.#dialect.keywords[keyword];
    return typeof kept === 'function' ? kept(value) : kept === true;
  }

  /** The schema with its types as the dialect writes them. */
  #writeTypes(schema: JsonSchema, path: string): JsonSchema {
    const types = isList(schema['type']) ? typesOf(schema) : [];
    const isFixed = schema['enum'] !== undefined || schema['const'] !== undefined;
    if (isFixed && !this.#dialect.typeBesideFixedValues) return withoutToldType(schema);
    if (types.length < 2) return schema;
    this.#count('unions', 1, path, 'type');
    return this.#dialect.typeLists ? schema : splitTypes(schema, types);
  }

  #drop(keyword: string, value: JsonValue, path: string, hints: string[]): void {
    this.#lose(path, keyword, 'described in the text, checked here');
    hints.push(`Must satisfy ${keyword}: ${shortJson(value)}.`);
  }

  #lose(path: string, keyword: string, note: string): void {
    if (this.#dialect.otherConstraints === 'described') this.#losses.push({ path, keyword, note });
    else this.#refuse(path, keyword, 'a constraint that cannot be enforced');
  }

  #union(
    source: JsonSchema,
    members: readonly JsonValue[],
    target: WritableSchema,
    path: string,
    nesting: number,
  ): void {
    const keyword = source['anyOf'] === undefined ? 'oneOf' : 'anyOf';
    const mixed = ['properties', 'items', 'prefixItems'].some((other) => source[other] !== undefined);
    if (mixed || (source['anyOf'] !== undefined && source['oneOf'] !== undefined)) {
      this.#refuse(path, keyword, 'alternatives beside other parts of the value');
      return;
    }
    if (keyword === 'oneOf' && !isDiscriminated(members, this.#resolve, this.#steps)) {
      this.#lose(path, keyword, 'sent as anyOf; that only one may fit is checked here');
    }
    this.#count('unions', 1, path, keyword);
    target['anyOf'] = members.map(
      (member, index) => this.#project(member, `${path}/${keyword}/${index}`, nesting).schema,
    );
  }

  #object(source: JsonSchema, target: WritableSchema, path: string, nesting: number): void {
    const { properties = {}, required, patternProperties } = source;
    const further = source['additionalProperties'] ?? source['unevaluatedProperties'];
    const maxNesting = this.#dialect.limits.nesting ?? Number.POSITIVE_INFINITY;
    if (nesting > maxNesting) {
      this.#refuse(path, 'properties', `more than ${maxNesting} levels of objects`);
      return;
    }
    if (source['unevaluatedProperties'] !== undefined && conditions.some((it) => source[it] !== undefined)) {
      this.#refuse(path, 'unevaluatedProperties', 'keys that depend on others');
    }
    if (further !== false) this.#refuse(path, 'additionalProperties', 'an object with free keys');
    if (patternProperties !== undefined) this.#refuse(path, 'patternProperties', 'an object with free keys');
    if (!isSchemaObject(properties)) return;
    const names = Object.keys(properties);
    if (!this.#count('properties', names.length, path, 'properties')) return;
    const needed = new Set(isList(required) ? required : []);
    const { optionalProperties, typeLists } = this.#dialect;
    const projected = names.map((name): [string, JsonSchema] => {
      const place = `${path}/properties/${escape(name)}`;
      const child = this.#project(properties[name], place, nesting + 1);
      if (needed.has(name)) return [name, child.schema];
      if (optionalProperties === 'kept') {
        this.#count('optionalProperties', 1, place, 'required');
        return [name, child.schema];
      }
      if (allowsNull(properties[name], this.#resolve, this.#steps)) return [name, child.schema];
      if (optionalProperties === 'refused')
        this.#refuse(place, 'required', 'a property that may be left out');
      if (!isUnion(child.schema)) this.#count('unions', 1, place, 'required');
      return [name, withHint(toNullable(child.schema, typeLists), 'null: not given.')];
    });
    target['properties'] = Object.fromEntries(projected);
    target['required'] = optionalProperties === 'kept' ? names.filter((name) => needed.has(name)) : names;
    target['additionalProperties'] = false;
  }

  #array(source: JsonSchema, target: WritableSchema, path: string, nesting: number): void {
    if (source['prefixItems'] !== undefined || isList(source['items'])) {
      this.#refuse(path, 'prefixItems', 'a list with a place for each item');
      return;
    }
    target['items'] = this.#project(source['items'], `${path}/items`, nesting).schema;
  }

  /** A reference with a description goes into a union of one, since nothing may accompany a reference. */
  #describedReference(reference: string, description: string, path: string): Projected {
    this.#count('unions', 1, path, '$ref');
    return { schema: { description, anyOf: [this.#reference(reference, path).schema] } };
  }

  #reference(reference: string, path: string): Projected {
    const target = this.#resolve(reference);
    if (target === undefined) return this.#refuse(path, '$ref', `"${reference}" leads nowhere`);
    const known = this.#names.get(target);
    const isWithinItself = target === this.#root || (known !== undefined && !this.#definitions.has(known));
    if (isWithinItself && !this.#dialect.recursion)
      return this.#refuse(path, '$ref', 'a schema that contains itself');
    if (target === this.#root) return { schema: { $ref: '#' } };
    if (known !== undefined) return { schema: { $ref: `#/$defs/${known}` } };
    const name = this.#newName(reference);
    this.#names.set(target, name);
    // Named before it is visited, so that a schema which refers to itself ends here.
    const projected = this.#project(target, path, 1);
    this.#definitions.set(name, projected.schema);
    return { schema: { $ref: `#/$defs/${name}` } };
  }

  #newName(reference: string): string {
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9_-]/g, '');
    const taken = new Set(this.#names.values());
    let name = last === '' ? 'root' : last;
    while (taken.has(name)) name = `${name}_`;
    return name;
  }
}

function isUnion({ anyOf, type }: JsonSchema): boolean {
  return anyOf !== undefined || isList(type);
}

function defaultHints({ default: preset }: JsonSchema): readonly string[] {
  return preset === undefined || preset === null ? [] : [`Default: ${shortJson(preset)}.`];
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
