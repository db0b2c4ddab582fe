import { assertOptions } from '../error/index.ts';
import type { ResourceRegistry } from '../resource/index.ts';
import { applyOverrides, type OverriddenPlan } from './override/apply-overrides.ts';
import { describePrompt } from './override/describe-prompt.ts';
import { defaultOverridesTag } from './override/overrides-store.ts';
import { seedOverrides } from './override/seed-overrides.ts';
import type { Prompt, PromptToolsOptions } from './prompt.ts';
import type { PromptPlan } from './prompt-plan.ts';
import { enabledTools, renderPrompt, sectionsOf } from './render-prompt.ts';
import type { DynamicParams } from './section-input.ts';
import { checkRawParams } from './shared-params.ts';

/**
 * A prompt of a planned template.
 *
 * @param params checked against the plan, frozen.
 * @param bound resources of `bind()`.
 */
export function createPrompt<Output, Params>(
  plan: PromptPlan<Output>,
  params: DynamicParams,
  bound: ResourceRegistry,
): Prompt<Output, Params> {
  let resources: ResourceRegistry | undefined;
  return Object.freeze({
    kind: 'prompt',
    ...plan.identity,
    params,
    ...(plan.output === undefined ? {} : { output: plan.output }),
    with: (changed) =>
      createPrompt<Output, Params>(
        plan,
        checkRawParams({ ...params, ...changed }, plan.params, plan.identity.name),
        bound,
      ),
    get descriptor() {
      return describePrompt(plan);
    },
    seedOverrides: (tag = defaultOverridesTag) => seedOverrides(plan, tag),
    checkOverrides: (overrides) => {
      assertOptions('checkOverrides(): overrides', overrides, { sections: 'object!', tools: 'object!' });
      return applyOverrides(plan, overrides).dropped;
    },
    tools: (options = {}) => {
      assertOptions('prompt.tools()', options);
      return enabledTools(overridden(plan, options).plan, params, options);
    },
    sections: (options = {}) => {
      assertOptions('prompt.sections()', options);
      return sectionsOf(overridden(plan, options).plan, params, options);
    },
    render: (options = {}) => {
      assertOptions('prompt.render()', options);
      return renderPrompt(overridden(plan, options), params, options);
    },
    slices: () => plan.slices,
    '~toolNames': plan.toolNames,
    resources: () => (resources ??= plan.resources.merge(bound, { strict: false })),
  } satisfies Prompt<Output, Params>);
}

function overridden<Output>(
  plan: PromptPlan<Output>,
  { overrides }: PromptToolsOptions,
): OverriddenPlan<Output> {
  return overrides === undefined ? { plan, dropped: [] } : applyOverrides(plan, overrides);
}
