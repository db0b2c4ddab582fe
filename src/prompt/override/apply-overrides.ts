import { OverridesError } from '../../error/index.ts';
import type { BoundTool } from '../plan/bind-tools.ts';
import { describePrompt } from '../plan/describe-prompt.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import type { Drop, DroppedOverride } from './dropped-override.ts';
import { overrideBoundTool } from './override-bound-tool.ts';
import { overrideSection } from './override-section.ts';
import type { PromptOverrides } from './prompt-overrides.ts';
import { isEditedSection, isEditedTool } from './prompt-overrides.ts';

/** A prompt with other texts, and what was left out of them. */
export interface OverriddenPlan<out Output> {
  readonly plan: PromptPlan<Output>;
  readonly dropped: readonly DroppedOverride[];
}

/** One per template and overrides, so that rendering again costs nothing more and tools keep their identity. */
const known = new WeakMap<PromptPlan<unknown>, WeakMap<PromptOverrides, OverriddenPlan<unknown>>>();

/**
 * Puts overrides in the place of the texts of a prompt's code, each that fits.
 * @throws {OverridesError} `overrides-mismatch` when they are another prompt's.
 */
export function applyOverrides<Output>(
  plan: PromptPlan<Output>,
  overrides: PromptOverrides,
): OverriddenPlan<Output> {
  let ofPlan = known.get(plan);
  if (ofPlan === undefined) known.set(plan, (ofPlan = new WeakMap()));
  let made = ofPlan.get(overrides);
  if (made === undefined) ofPlan.set(overrides, (made = overridePlan(plan, overrides)));
  // The maps tie each result to the plan it was made from, so the output is of that plan's type.
  return made as OverriddenPlan<Output>;
}

function overridePlan<Output>(plan: PromptPlan<Output>, overrides: PromptOverrides): OverriddenPlan<Output> {
  const { ns, key } = plan.identity;
  if (overrides.ns !== ns || overrides.key !== key) {
    throw new OverridesError(
      'overrides-mismatch',
      `These overrides are for the prompt "${overrides.ns}/${overrides.key}", not for "${ns}/${key}".`,
      { details: { expected: `${ns}/${key}`, got: `${overrides.ns}/${overrides.key}` } },
    );
  }
  const dropped: DroppedOverride[] = [];
  const drop: Drop = (target, reason, message) => {
    dropped.push(Object.freeze({ target, reason, message }));
  };
  dropUnknown(plan, overrides, drop);
  const descriptor = describePrompt(plan);
  const tools = plan.tools.map((bound) =>
    bound.map((each) => overrideBoundTool(each, descriptor, overrides, drop)),
  );
  const nodes = plan.nodes.map((node, index) =>
    withTools(
      overrideSection(node, descriptor, overrides, drop),
      tools[index] ?? [],
      plan.tools[index] ?? [],
    ),
  );
  return Object.freeze({
    plan: Object.freeze({ ...plan, nodes, tools }),
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

/** The section of a node also lists its tools, whose examples may stand in its text. */
function withTools(
  node: SectionNode,
  tools: readonly BoundTool[],
  before: readonly BoundTool[],
): SectionNode {
  if (tools.every((bound, index) => bound === before[index])) return node;
  return { ...node, section: { ...node.section, tools: tools.map(({ tool }) => tool) } };
}
