import { assertArgument, assertMembers } from '../error/index.ts';
import { once, present } from '../internal/index.ts';
import type { ResourceRegistry } from '../resource/index.ts';
import type { AnySlice } from '../session/index.ts';
import type { AnyTool, SectionPort } from '../tool/index.ts';
import type { PlanWithOverrides } from './override/apply-overrides.ts';
import type { DroppedOverride } from './override/dropped-override.ts';
import { defaultOverridesTag } from './override/overrides-store.ts';
import type { PromptOverrides } from './override/prompt-overrides.ts';
import { seedOverrides } from './override/seed-overrides.ts';
import type { PromptDescriptor } from './plan/descriptors.ts';
import type { PromptOutput } from './plan/prompt-output.ts';
import type { PromptPlan } from './plan/prompt-plan.ts';
import { checkRawParams } from './plan/shared-params.ts';
import { type PrepareOptions, prepareSections } from './render/prepare-sections.ts';
import {
  enabledTools,
  type PromptToolsOptions,
  type RenderOptions,
  renderPrompt,
  sectionsOf,
} from './render/render-prompt.ts';
import type { RenderedPrompt } from './render/rendered-prompt.ts';
import type { PromptIdentity } from './section/identity.ts';
import type { BindParams, DynamicParams } from './section/section-input.ts';

/**
 * A template with its params: an immutable value that can be rendered and evaluated any number of times, in any session.
 *
 * `Output` is the type of the structured answer, `undefined` without one; `Params` is what `with()` takes part of.
 */
export interface Prompt<out Output = unknown, in Params = never> extends PromptIdentity {
  readonly kind: 'prompt';
  /** The raw params as they were bound. */
  readonly params: DynamicParams;
  /** The structured answer asked for; absent when the answer is text. */
  readonly output?: PromptOutput<Output>;
  /**
   * A new prompt with some params replaced.
   * @throws {PromptValidationError} for a param that no section knows.
   */
  with(params: Partial<BindParams<Params>>): Prompt<Output, Params>;
  /**
   * Tools of the enabled sections that are not summarised, in order of declaration; without those that open and read sections.
   * @throws {PromptRenderError} when an `enabled` or `visibility` function throws, or a section with a `visibility`
   *   function lacks params or validates them asynchronously (`render()` can wait for that).
   */
  tools(options?: PromptToolsOptions): readonly AnyTool[];
  /**
   * The sections in reading order, as they would be shown; those below others are their `children`. In a handler or a policy, `context.prompt.sections()`
   * says what the model of the evaluation has at present.
   * @throws {PromptRenderError} as `tools()`.
   */
  sections(options?: PromptToolsOptions): readonly SectionPort[];
  /**
   * Renders instructions and collects tools. Linear in the number of sections.
   * @throws {PromptRenderError} naming the section: params missing or wrong, or a section's function threw.
   */
  render(options?: RenderOptions): Promise<RenderedPrompt<Output>>;
  /** Hashes of the text of the code that may be overridden; made when it is first read, once per template. */
  readonly descriptor: PromptDescriptor;
  /**
   * All text of the code that may be overridden, as a starting point.
   * @param tag which set of overrides it is. Default: `'latest'`.
   */
  seedOverrides(tag?: string): PromptOverrides;
  /**
   * The overrides that would not be applied, and why; empty when all fit. A text that was not edited since it was
   * seeded is not among them.
   * @throws {OverridesError} `overrides-mismatched` when they are another prompt's.
   */
  checkOverrides(overrides: PromptOverrides): readonly DroppedOverride[];
  /** Slices that the prompt's sections and policies name, without duplicates, also those of disabled sections. */
  slices(): readonly AnySlice[];
  /** Names of the slices that no section names, only policies. @internal */
  readonly '~policySlices': ReadonlySet<string>;
  /** Calls the `prepare` functions of the enabled sections. @internal */
  '~prepare'(options: PrepareOptions): Promise<void>;
  /** Equal for prompts whose texts and tools are the same in their code; made once per template. @internal */
  readonly '~hash': () => string;
  /** Names of all tools, also those of disabled and summarized sections. @internal */
  readonly '~toolNames': ReadonlySet<string>;
  /** Name of the first of these tools with `once`; undefined: there is none. @internal */
  readonly '~onceTool': string | undefined;
  /** The same prompt with further resources, which win over its own. @internal */
  '~with'(resources: ResourceRegistry): Prompt<Output, Params>;
  /** Resources of the template, of its sections and of `bind()`; the later win. */
  resources(): ResourceRegistry;
}

/** What all prompts of a template share. */
export interface PlannedTemplate<out Output> {
  readonly plan: PromptPlan<Output>;
  readonly withOverrides: PlanWithOverrides<Output>;
}

/**
 * A prompt of a planned template.
 *
 * @param params checked against the plan, frozen.
 * @param bound resources of `bind()`.
 */
export function createPrompt<Output, Params>(
  template: PlannedTemplate<Output>,
  params: DynamicParams,
  bound: ResourceRegistry,
): Prompt<Output, Params> {
  const { plan, withOverrides } = template;
  const resources = once(() =>
    bound.bindings.length === 0 ? plan.resources : plan.resources.merge(bound, { strict: false }),
  );
  return Object.freeze({
    kind: 'prompt',
    ...plan.identity,
    params,
    ...present({ output: plan.output }),
    with: (changed) =>
      createPrompt<Output, Params>(
        template,
        checkRawParams({ ...params, ...changed }, plan.params, plan.identity.name),
        bound,
      ),
    get descriptor() {
      return plan.descriptor();
    },
    seedOverrides: (tag = defaultOverridesTag) => seedOverrides(plan, tag),
    checkOverrides: (overrides) => {
      assertMembers('checkOverrides(): overrides', overrides, { sections: 'object!', tools: 'object!' });
      return withOverrides(overrides).dropped;
    },
    tools: (options = {}) => {
      assertArgument('prompt.tools()', 'options', options, 'object');
      return enabledTools(withOverrides(options.overrides).plan, params, options);
    },
    sections: (options = {}) => {
      assertArgument('prompt.sections()', 'options', options, 'object');
      return sectionsOf(withOverrides(options.overrides).plan, params, options);
    },
    render: (options = {}) => {
      assertArgument('prompt.render()', 'options', options, 'object');
      return renderPrompt(withOverrides(options.overrides), params, options);
    },
    slices: () => plan.slices,
    '~policySlices': plan.policySlices,
    '~prepare': (options) => prepareSections(plan, params, options),
    '~hash': plan.hash,
    '~toolNames': plan.toolNames,
    '~onceTool': plan.onceTool,
    '~with': (more) => createPrompt<Output, Params>(template, params, bound.merge(more, { strict: false })),
    resources,
  } satisfies Prompt<Output, Params>);
}
