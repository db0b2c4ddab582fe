import { isRecord } from '../../internal/index.ts';
import type { StepsLeft } from '../json/canonical-json.ts';
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
  /** @param steps what is left for the whole value; once they are spent it fits nothing. */
  fits(value: JsonValue, isExact: boolean, steps: StepsLeft): boolean;
  readonly plan: RestorePlan | undefined;
}

/**
 * The value in the shape of the original schema; the very same value when nothing has to change.
 *
 * @param steps what it may cost; once they are spent, unions of the plan change nothing more.
 */
export function restore(value: JsonValue, plan: RestorePlan | undefined, steps: StepsLeft): JsonValue {
  switch (plan?.kind) {
    case undefined:
      return value;
    case 'object':
      return isRecord(value) ? restoreObject(value, plan, steps) : value;
    case 'array':
      return isList(value) ? restoreList(value, plan.items, steps) : value;
    case 'union':
      return restore(value, memberFor(value, plan.members, steps)?.plan, steps);
    case 'reference':
      return restore(value, plan.resolve(), steps);
  }
}

function memberFor(
  value: JsonValue,
  members: readonly RestoreMember[],
  steps: StepsLeft,
): RestoreMember | undefined {
  return (
    members.find((member) => member.fits(value, true, steps)) ??
    members.find((member) => member.fits(value, false, steps))
  );
}

function restoreObject(
  value: JsonObject,
  { omitted, properties, others }: Extract<RestorePlan, { kind: 'object' }>,
  steps: StepsLeft,
): JsonValue {
  let hasChanged = false;
  const entries = Object.entries(value).flatMap(([key, child]): [string, JsonValue | undefined][] => {
    if (child === null && omitted.has(key)) {
      hasChanged = true;
      return [];
    }
    const plan = properties.get(key) ?? (others?.names.has(key) === false ? others.plan : undefined);
    if (plan === undefined || child === undefined) return [[key, child]];
    const restored = restore(child, plan, steps);
    hasChanged ||= restored !== child;
    return [[key, restored]];
  });
  return hasChanged ? Object.fromEntries(entries) : value;
}

function restoreList(value: readonly JsonValue[], plan: RestorePlan, steps: StepsLeft): JsonValue {
  const restored = value.map((item) => restore(item, plan, steps));
  return restored.some((item, index) => item !== value[index]) ? restored : value;
}
