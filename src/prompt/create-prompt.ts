import type { ResourceRegistry } from '../resource/index.ts';
import type { Prompt } from './prompt.ts';
import type { PromptPlan } from './prompt-plan.ts';
import { enabledTools, renderPrompt } from './render-prompt.ts';
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
    ...plan.descriptor,
    params,
    ...(plan.output === undefined ? {} : { output: plan.output }),
    with: (changed) =>
      createPrompt<Output, Params>(
        plan,
        checkRawParams({ ...params, ...changed }, plan.params, plan.descriptor.name),
        bound,
      ),
    tools: (options = {}) => enabledTools(plan, params, options),
    render: (options = {}) => renderPrompt(plan, params, options),
    slices: () => plan.slices,
    resources: () => (resources ??= plan.resources.merge(bound, { strict: false })),
  } satisfies Prompt<Output, Params>);
}
