import { present } from '../../internal/index.ts';
import type { StepsLeft } from '../json/canonical-json.ts';
import { isList, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import type { ReferenceResolver } from '../json-schema/reference.ts';
import { documentSteps, flattenSchema, saysOnlyText } from './flatten-schema.ts';
import type { RestorePlan } from './restore.ts';
import { typesOf } from './schema-types.ts';
import { allowsNull, fitsMember } from './union-members.ts';

/**
 * How values that a model wrote become values of a schema: a null for a property that may be left out, and takes no null, means "not given". Strict
 * schemas of some providers ask for it, and models write it elsewhere, too.
 *
 * @returns undefined when no value has to change.
 */
export function planRestore(schema: JsonSchema, resolve: ReferenceResolver): RestorePlan | undefined {
  return new RestorePlanner(resolve).planOf(schema);
}

class RestorePlanner {
  readonly #resolve: ReferenceResolver;
  readonly #steps: StepsLeft = documentSteps();
  readonly #plans = new Map<JsonSchema, RestorePlan | undefined>();
  /** The schemas being visited, each inside the one before. */
  readonly #open = new Set<JsonSchema>();

  constructor(resolve: ReferenceResolver) {
    this.#resolve = resolve;
  }

  planOf(source: JsonValue | undefined): RestorePlan | undefined {
    if (!isSchemaObject(source)) return undefined;
    if (this.#open.has(source)) return { kind: 'reference', resolve: () => this.#plans.get(source) };
    if (this.#plans.has(source)) return this.#plans.get(source);
    this.#open.add(source);
    const plan = this.#make(source);
    this.#open.delete(source);
    this.#plans.set(source, plan);
    return plan;
  }

  #make(source: JsonSchema): RestorePlan | undefined {
    const { $ref, ...beside } = source;
    if (typeof $ref === 'string' && saysOnlyText(beside)) return this.planOf(this.#resolve($ref));
    const flat = flattenSchema(source, this.#resolve, this.#steps);
    if (flat === undefined) return undefined;
    const members = flat['anyOf'] ?? flat['oneOf'];
    if (isList(members) && flat['properties'] === undefined) return this.#union(members);
    const types = typesOf(flat);
    const parts = [
      types.includes('object') ? this.#object(flat) : undefined,
      types.includes('array') ? this.#array(flat) : undefined,
    ].filter((part) => part !== undefined);
    if (parts.length < 2) return parts[0];
    // A plan checks the kind of its value, so that of several plans at one place each finds its own values.
    return {
      kind: 'union',
      members: parts.map((plan) => ({
        plan,
        fits: (value) => Array.isArray(value) === (plan.kind === 'array'),
      })),
    };
  }

  #union(members: readonly JsonValue[]): RestorePlan | undefined {
    const plans = members.map((member) => this.planOf(member));
    if (plans.every((plan) => plan === undefined)) return undefined;
    return {
      kind: 'union',
      members: members.map((member, index) => ({
        fits: (value, isExact, steps) => fitsMember(value, member, this.#resolve, isExact, steps),
        plan: plans[index],
      })),
    };
  }

  #object({ properties = {}, required, additionalProperties }: JsonSchema): RestorePlan | undefined {
    if (!isSchemaObject(properties)) return undefined;
    const needed = new Set(isList(required) ? required : []);
    const names = Object.keys(properties);
    const omitted = new Set(
      names.filter((name) => !needed.has(name) && !allowsNull(properties[name], this.#resolve, this.#steps)),
    );
    const plans = new Map(
      names.flatMap((name): [string, RestorePlan][] => {
        const plan = this.planOf(properties[name]);
        return plan === undefined ? [] : [[name, plan]];
      }),
    );
    const others = this.planOf(additionalProperties);
    if (omitted.size + plans.size === 0 && others === undefined) return undefined;
    return {
      kind: 'object',
      omitted,
      properties: plans,
      ...present({ others: others === undefined ? undefined : { names: new Set(names), plan: others } }),
    };
  }

  #array({ items, prefixItems }: JsonSchema): RestorePlan | undefined {
    const plan = prefixItems === undefined ? this.planOf(items) : undefined;
    return plan === undefined ? undefined : { kind: 'array', items: plan };
  }
}
