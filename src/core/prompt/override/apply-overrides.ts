import { OverridesError } from '../../error/index.ts';
import { type PromptPlan, toPlan } from '../plan/prompt-plan.ts';
import type { Drop, DroppedOverride } from './dropped-override.ts';
import { overrideBoundTool } from './override-bound-tool.ts';
import { overrideSection } from './override-section.ts';
import type { PromptOverrides } from './prompt-overrides.ts';
import { isEditedSection, isEditedTool } from './prompt-overrides.ts';

/** A prompt with overridden text, and the overrides that were dropped. */
export interface OverriddenPlan<out Output> {
  readonly plan: PromptPlan<Output>;
  readonly dropped: readonly DroppedOverride[];
}

/** The plan of a prompt with overrides in place of the text of its code, each where it fits; without any, the plan itself. */
export type PlanWithOverrides<out Output> = (
  overrides: PromptOverrides | undefined,
) => OverriddenPlan<Output>;

/**
 * Ties a plan to what overrides make of it. The same overrides give the same plan, so that rendering again costs nothing more
 * and tools keep their identity.
 *
 * @returns throws an {@link OverridesError} `overrides-mismatched` for those of another prompt.
 */
export function planWithOverrides<Output>(plan: PromptPlan<Output>): PlanWithOverrides<Output> {
  const none: OverriddenPlan<Output> = { plan, dropped: [] };
  const made = new WeakMap<PromptOverrides, OverriddenPlan<Output>>();
  return (overrides) => {
    if (overrides === undefined) return none;
    const known = made.get(overrides);
    if (known !== undefined) return known;
    const overridden = overridePlan(plan, overrides);
    made.set(overrides, overridden);
    return overridden;
  };
}

function overridePlan<Output>(plan: PromptPlan<Output>, overrides: PromptOverrides): OverriddenPlan<Output> {
  const { ns, key } = plan.identity;
  if (overrides.ns !== ns || overrides.key !== key) {
    throw new OverridesError(
      'overrides-mismatched',
      `These overrides are for the prompt "${overrides.ns}/${overrides.key}", not for "${ns}/${key}".`,
      { details: { expected: `${ns}/${key}`, got: `${overrides.ns}/${overrides.key}` } },
    );
  }
  const dropped: DroppedOverride[] = [];
  const drop: Drop = (target, reason, message) => {
    dropped.push(Object.freeze({ target, reason, message }));
  };
  dropUnknown(plan, overrides, drop);
  const descriptor = plan.descriptor();
  const tools = plan.tools.map((bound) =>
    bound.map((each) => overrideBoundTool(each, descriptor, overrides, drop)),
  );
  const nodes = plan.nodes.map((node) => overrideSection(node, descriptor, overrides, drop));
  return Object.freeze({
    plan: toPlan({ ...plan, nodes, tools }),
    dropped: Object.freeze(dropped),
  });
}

/** Sections and tools that are not there, or want no overrides. */
function dropUnknown({ nodes, tools }: PromptPlan<unknown>, overrides: PromptOverrides, drop: Drop): void {
  const sections = new Map(nodes.map(({ path, section }) => [path, section.acceptsOverrides !== false]));
  for (const [path, override] of Object.entries(overrides.sections)) {
    if (isEditedSection(override)) reject(`section "${path}"`, sections.get(path), drop);
  }
  const accepting = new Map(
    tools
      .flat()
      .map(({ tool, sectionPath }) => [
        tool.name,
        tool.acceptsOverrides && sections.get(sectionPath) === true,
      ]),
  );
  for (const [name, override] of Object.entries(overrides.tools)) {
    if (isEditedTool(override)) reject(`tool "${name}"`, accepting.get(name), drop);
  }
}

function reject(target: string, isAccepting: boolean | undefined, drop: Drop): void {
  if (isAccepting === undefined) {
    drop(target, 'unknown', `The prompt has no ${target}; it was removed or renamed. Take the override out.`);
  } else if (!isAccepting) {
    drop(target, 'refused', `The ${target} accepts no overrides. Take the override out, or change the code.`);
  }
}
