import { isSchemaObject, type JsonSchema, type JsonValue, type ReferenceResolver } from '../schema/index.ts';
import { fitsShallowly } from './fits-shallowly.ts';
import { flattenSchema, saysOnlyText } from './flatten-schema.ts';
import { isDiscriminated } from './is-discriminated.ts';
import type { RestorePlan } from './restore.ts';
import type { SchemaLoss } from './schema-loss.ts';
import { describeWith, shorten, withHint } from './schema-text.ts';
import {
  droppedKeywords,
  isKnownFormat,
  isList,
  isPlainPattern,
  keptKeywords,
  strictLimits,
  toNullable,
  typesOf,
  type WritableSchema,
} from './strict-keywords.ts';

interface Projected {
  readonly schema: JsonSchema;
  readonly plan?: RestorePlan | undefined;
}

/** A projected schema with everything that was found on the way. What was refused makes the whole not strict. */
export interface ProjectedRoot extends Projected {
  readonly definitions: ReadonlyMap<string, JsonSchema>;
  readonly losses: readonly SchemaLoss[];
  readonly refusals: readonly SchemaLoss[];
}

const nothing: Projected = { schema: {} };

/** Keywords that may bring in keys of their own. */
const conditions = ['if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** A schema that is refused for so many reasons is not looked into any further. */
const maxRefusals = 20;

/**
 * Projects a whole schema.
 *
 * @param flat the root as one part.
 * @param root what `#` may go on to mean; undefined when the root is put into another object.
 */
export function projectStrictly(
  flat: JsonSchema,
  resolve: ReferenceResolver,
  root: JsonSchema | undefined,
): ProjectedRoot {
  return new Projector(resolve, root).projectRoot(flat);
}

class Projector {
  readonly #resolve: ReferenceResolver;
  readonly #root: JsonSchema | undefined;
  readonly #losses: SchemaLoss[] = [];
  readonly #refusals: SchemaLoss[] = [];
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #plans = new Map<string, RestorePlan | undefined>();
  #properties = 0;
  #enumValues = 0;

  constructor(resolve: ReferenceResolver, root: JsonSchema | undefined) {
    this.#resolve = resolve;
    this.#root = root;
  }

  projectRoot(root: JsonSchema): ProjectedRoot {
    const projected = this.#project(root, '', 1);
    this.#plans.set('#', projected.plan);
    return {
      ...projected,
      definitions: this.#definitions,
      losses: this.#losses,
      refusals: this.#refusals,
    };
  }

  #refuse(path: string, keyword: string, note: string): Projected {
    this.#refusals.push({ path, keyword, note });
    return nothing;
  }

  #project(source: JsonValue | undefined, path: string, nesting: number): Projected {
    if (this.#refusals.length >= maxRefusals) return nothing;
    if (!isSchemaObject(source)) return this.#refuse(path, 'type', 'a value of any type');
    const { $ref: reference, ...beside } = source;
    if (typeof reference === 'string' && saysOnlyText(beside))
      return this.#describedReference(reference, beside, path);
    const flat = flattenSchema(source, this.#resolve);
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
    let plan: RestorePlan | undefined;
    if (isList(members)) plan = this.#union(flat, members, target, path, nesting);
    else if (types.length === 0) return this.#refuse(path, 'type', 'a value of any type');
    else {
      target['type'] = types.length === 1 ? types[0] : types;
      const parts = [
        ...(types.includes('object') ? [this.#object(flat, target, path, nesting)] : []),
        ...(types.includes('array') ? [this.#array(flat, target, path, nesting)] : []),
      ].filter((part) => part !== undefined);
      // A plan looks at the kind of its value, so of several at one place each finds its own values.
      plan = parts.length < 2 ? parts[0] : { kind: 'union', members: parts.map(toMember) };
    }
    const description = describeWith(flat['description'], hints);
    return { schema: description === undefined ? target : { ...target, description }, plan };
  }

  /** Takes over what speaks about the value itself. @returns the types that the value may have. */
  #copy(source: JsonSchema, target: WritableSchema, hints: string[], path: string): readonly string[] {
    for (const keyword of keptKeywords) copy(source, target, keyword);
    for (const keyword of ['enum', 'const']) copy(source, target, keyword);
    if (isList(source['enum'])) this.#enumValues += source['enum'].length;
    if (this.#enumValues > strictLimits.enumValues) {
      this.#refuse(path, 'enum', `more than ${strictLimits.enumValues} fixed values in all`);
    }
    const { format, pattern } = source;
    if (format !== undefined) {
      if (isKnownFormat(format)) target['format'] = format;
      else this.#drop('format', format, path, hints);
    }
    if (pattern !== undefined) {
      if (isPlainPattern(pattern)) target['pattern'] = pattern;
      else this.#drop('pattern', pattern, path, hints);
    }
    for (const keyword of droppedKeywords) {
      const value = source[keyword];
      if (value !== undefined && !(keyword === 'uniqueItems' && value === false))
        this.#drop(keyword, value, path, hints);
    }
    const preset = source['default'];
    if (preset !== undefined && preset !== null) hints.push(`Default: ${shorten(preset)}.`);
    return typesOf(source);
  }

  #drop(keyword: string, value: JsonValue, path: string, hints: string[]): void {
    this.#losses.push({ path, keyword, note: 'told in the description, checked here' });
    hints.push(`Must satisfy ${keyword}: ${shorten(value)}.`);
  }

  #union(
    source: JsonSchema,
    members: readonly JsonValue[],
    target: WritableSchema,
    path: string,
    nesting: number,
  ): RestorePlan | undefined {
    const keyword = source['anyOf'] === undefined ? 'oneOf' : 'anyOf';
    const mixed = ['properties', 'items', 'prefixItems'].some((other) => source[other] !== undefined);
    if (mixed || (source['anyOf'] !== undefined && source['oneOf'] !== undefined)) {
      this.#refuse(path, keyword, 'alternatives beside other parts of the value');
      return undefined;
    }
    if (keyword === 'oneOf' && !isDiscriminated(members, this.#resolve)) {
      this.#losses.push({ path, keyword, note: 'sent as anyOf; that only one may fit is checked here' });
    }
    const projected = members.map((member, index) =>
      this.#project(member, `${path}/${keyword}/${index}`, nesting),
    );
    target['anyOf'] = projected.map(({ schema }) => schema);
    if (projected.every(({ plan }) => plan === undefined)) return undefined;
    const resolve = (name: string): JsonSchema | undefined => this.#definitions.get(name);
    return {
      kind: 'union',
      members: projected.map(({ schema, plan }) => ({
        fits: (value) => fitsShallowly(value, schema, resolve),
        plan,
      })),
    };
  }

  #object(
    source: JsonSchema,
    target: WritableSchema,
    path: string,
    nesting: number,
  ): RestorePlan | undefined {
    const { properties = {}, required, patternProperties } = source;
    const further = source['additionalProperties'] ?? source['unevaluatedProperties'];
    if (nesting > strictLimits.nesting) {
      this.#refuse(path, 'properties', `more than ${strictLimits.nesting} levels of objects`);
      return undefined;
    }
    if (source['unevaluatedProperties'] !== undefined && conditions.some((it) => source[it] !== undefined)) {
      this.#refuse(path, 'unevaluatedProperties', 'keys that depend on others');
    }
    if (further !== false) this.#refuse(path, 'additionalProperties', 'an object with free keys');
    if (patternProperties !== undefined) this.#refuse(path, 'patternProperties', 'an object with free keys');
    if (!isSchemaObject(properties)) return undefined;
    const names = Object.keys(properties);
    this.#properties += names.length;
    if (this.#properties > strictLimits.properties) {
      this.#refuse(path, 'properties', `more than ${strictLimits.properties} properties in all`);
      return undefined;
    }
    const needed = new Set(isList(required) ? required : []);
    const omitted = new Set<string>();
    const plans = new Map<string, RestorePlan>();
    const projected = names.map((name): [string, JsonSchema] => {
      const child = this.#project(properties[name], `${path}/properties/${escape(name)}`, nesting + 1);
      if (child.plan !== undefined) plans.set(name, child.plan);
      if (needed.has(name) || this.#allowsNull(properties[name], new Set())) return [name, child.schema];
      omitted.add(name);
      return [name, withHint(toNullable(child.schema), 'null: not given.')];
    });
    target['properties'] = Object.fromEntries(projected);
    target['required'] = names;
    target['additionalProperties'] = false;
    return omitted.size + plans.size === 0 ? undefined : { kind: 'object', omitted, properties: plans };
  }

  #array(source: JsonSchema, target: WritableSchema, path: string, nesting: number): RestorePlan | undefined {
    if (source['prefixItems'] !== undefined || isList(source['items'])) {
      this.#refuse(path, 'prefixItems', 'a list with a place for each item');
      return undefined;
    }
    const items = this.#project(source['items'], `${path}/items`, nesting);
    target['items'] = items.schema;
    return items.plan === undefined ? undefined : { kind: 'array', items: items.plan };
  }

  /** A reference with a description goes into a union of one, since nothing may stand beside a reference. */
  #describedReference(reference: string, beside: JsonSchema, path: string): Projected {
    const referred = this.#reference(reference, path);
    const preset = beside['default'];
    const hints = preset === undefined || preset === null ? [] : [`Default: ${shorten(preset)}.`];
    const description = describeWith(beside['description'], hints);
    return description === undefined
      ? referred
      : { ...referred, schema: { description, anyOf: [referred.schema] } };
  }

  #reference(reference: string, path: string): Projected {
    const target = this.#resolve(reference);
    if (target === undefined) return this.#refuse(path, '$ref', `"${reference}" leads nowhere`);
    const plan: RestorePlan = {
      kind: 'reference',
      resolve: () => this.#plans.get(this.#names.get(reference) ?? '#'),
    };
    if (target === this.#root) return { schema: { $ref: '#' }, plan };
    const known = this.#names.get(reference);
    if (known !== undefined) return { schema: { $ref: `#/$defs/${known}` }, plan };
    const name = this.#newName(reference);
    this.#names.set(reference, name);
    // Named before it is looked into, so that a schema which refers to itself ends here.
    const projected = this.#project(target, path, 1);
    this.#definitions.set(name, projected.schema);
    this.#plans.set(name, projected.plan);
    return { schema: { $ref: `#/$defs/${name}` }, plan };
  }

  #newName(reference: string): string {
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9_-]/g, '');
    const taken = new Set(this.#names.values());
    let name = last === '' ? 'root' : last;
    while (taken.has(name)) name = `${name}_`;
    return name;
  }

  /** True when the original schema takes a null anyway, which then must be kept. */
  #allowsNull(source: JsonValue | undefined, seen: Set<JsonSchema>): boolean {
    if (!isSchemaObject(source) || seen.has(source)) return false;
    seen.add(source);
    const { $ref, enum: values } = source;
    if (typeof $ref === 'string') return this.#allowsNull(this.#resolve($ref), seen);
    if (isList(values) && !values.includes(null)) return false;
    const members = source['anyOf'] ?? source['oneOf'];
    if (isList(members)) return members.some((member) => this.#allowsNull(member, seen));
    return typesOf(source).includes('null');
  }
}

function toMember(plan: RestorePlan): { fits(value: JsonValue): boolean; plan: RestorePlan } {
  return { plan, fits: (value) => Array.isArray(value) === (plan.kind === 'array') };
}

function copy(source: JsonSchema, target: WritableSchema, keyword: string): void {
  if (source[keyword] !== undefined) target[keyword] = source[keyword];
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
