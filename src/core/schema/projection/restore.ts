import { isRecord } from '../../internal/index.ts';
import { isList, type JsonObject, type JsonValue } from '../json/json.ts';

/**
 * How a value in the provider's shape becomes one in the shape of the original schema. Only what has to change is in
 * it; a plan for a recursive schema refers to itself by `reference`.
 */
export type RestorePlan =
  | {
      readonly kind: 'object';
      /** Keys where null means "not given". */
      readonly omitted: ReadonlySet<string>;
      readonly properties: ReadonlyMap<string, RestorePlan>;
      /** For the values of keys other than these names. */
      readonly others?: { readonly names: ReadonlySet<string>; readonly plan: RestorePlan };
    }
  | { readonly kind: 'array'; readonly items: RestorePlan }
  /** The first member that the value fits exactly decides, else the first that it fits. */
  | { readonly kind: 'union'; readonly members: readonly RestoreMember[] }
  | { readonly kind: 'reference'; readonly resolve: () => RestorePlan | undefined };

/** One alternative of a union. */
export interface RestoreMember {
  fits(value: JsonValue, isExact: boolean): boolean;
  readonly plan: RestorePlan | undefined;
}

/** The value in the shape of the original schema; the very same value when nothing has to change. */
export function restore(value: JsonValue, plan: RestorePlan | undefined): JsonValue {
  switch (plan?.kind) {
    case undefined:
      return value;
    case 'object':
      return isRecord(value) ? restoreObject(value, plan) : value;
    case 'array':
      return isList(value) ? restoreList(value, plan.items) : value;
    case 'union':
      return restore(value, memberFor(value, plan.members)?.plan);
    case 'reference':
      return restore(value, plan.resolve());
  }
}

function memberFor(value: JsonValue, members: readonly RestoreMember[]): RestoreMember | undefined {
  return (
    members.find((member) => member.fits(value, true)) ?? members.find((member) => member.fits(value, false))
  );
}

function restoreObject(
  value: JsonObject,
  { omitted, properties, others }: Extract<RestorePlan, { kind: 'object' }>,
): JsonValue {
  let hasChanged = false;
  const entries = Object.entries(value).flatMap(([key, child]): [string, JsonValue | undefined][] => {
    if (child === null && omitted.has(key)) {
      hasChanged = true;
      return [];
    }
    const plan = properties.get(key) ?? (others?.names.has(key) === false ? others.plan : undefined);
    if (plan === undefined || child === undefined) return [[key, child]];
    const restored = restore(child, plan);
    hasChanged ||= restored !== child;
    return [[key, restored]];
  });
  return hasChanged ? Object.fromEntries(entries) : value;
}

function restoreList(value: readonly JsonValue[], plan: RestorePlan): JsonValue {
  const restored = value.map((item) => restore(item, plan));
  return restored.some((item, index) => item !== value[index]) ? restored : value;
}
