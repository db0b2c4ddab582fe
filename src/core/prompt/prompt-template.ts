import { assertOptions, matching } from '../error/index.ts';
import type { Schema } from '../schema/index.ts';
import type { AnySlice } from '../session/index.ts';
import { planWithOverrides } from './override/apply-overrides.ts';
import { toRegistry } from './plan/collect-parts.ts';
import { type PromptTemplateOptions, planPrompt } from './plan/plan-prompt.ts';
import { checkRawParams } from './plan/shared-params.ts';
import type { Prompt } from './prompt.ts';
import { createPrompt } from './prompt.ts';
import type { PromptIdentity } from './section/identity.ts';
import type { AnySection, ResourceBindings } from './section/section.ts';
import type { BindParams, DynamicParams, SectionsInput } from './section/section-input.ts';

/** What every prompt of a template has. @internal */
export interface TemplateParts {
  readonly slices: readonly AnySlice[];
  readonly toolNames: ReadonlySet<string>;
}

/** Options of `template.bind()`. */
export interface PromptBindOptions {
  /** Services of this prompt; they win over those of sections and template. */
  readonly resources?: ResourceBindings;
}

/** Arguments of `bind()`: the params may be left out when none is required. */
export type BindArguments<Params> =
  Record<never, never> extends BindParams<Params>
    ? [params?: BindParams<Params>, options?: PromptBindOptions]
    : [params: BindParams<Params>, options?: PromptBindOptions];

/** What an optional output schema yields; `undefined` without one. */
export type OutputOf<S> = S extends Schema<infer _Input, infer Output> ? Output : undefined;

/**
 * A prompt without its params: a constant that can be bound any number of times. Holds no session and no params.
 *
 * @see docs/spec/prompt.md §3
 */
export interface PromptTemplate<
  Params,
  out Output,
  out Sections extends readonly AnySection[] = readonly AnySection[],
> extends PromptIdentity {
  readonly kind: 'prompt-template';
  /** Its top-level sections, as they were given, to be used in other templates; a frozen list. */
  readonly sections: Sections;
  /** What checkers of completion ask for. @internal */
  readonly '~parts': TemplateParts;
  /**
   * The same template with further sections after its own, for a program that adds tools to an agent which it loaded.
   * @throws {PromptValidationError} as `promptTemplate()`.
   * @internal
   */
  '~withSections'(sections: readonly AnySection[]): PromptTemplate<DynamicParams, Output>;
  /**
   * Binds params to the template.
   * @throws {PromptValidationError} for a param that no section knows.
   */
  bind(...args: BindArguments<Params>): Prompt<Output, Params>;
}

/**
 * Makes a prompt template out of sections.
 *
 * ```ts
 * import { defineAgent, promptTemplate, runAgent, section } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { z } from 'zod';
 *
 * const template = promptTemplate({
 *   ns: 'docs',
 *   key: 'triage',
 *   sections: [section({ title: 'Task', key: 'task', template: 'Say which tickets are urgent.' })],
 *   output: z.object({ urgent: z.array(z.string()) }),
 * });
 * const adapter = scriptedAdapter([{ text: '{"urgent":["t-2"]}' }]);
 * const { output } = await runAgent(defineAgent({ template, adapter }));
 * console.log(output.urgent[0]); // t-2
 * ```
 *
 * @throws {PromptValidationError} naming section path, tool or placeholder: a bad namespace or key, two sections with one
 *   address, a section that contains itself, one param with two schemas, two tools or policies with one name, a policy
 *   that could never do what it says, two slices with one name, one resource bound differently by two sections, an
 *   output schema that is neither object nor array.
 * @see docs/spec/prompt.md §3
 */
export function promptTemplate<
  const Sections extends readonly AnySection[],
  Output extends Schema | undefined = undefined,
>(
  options: PromptTemplateOptions<Sections, Output>,
): PromptTemplate<SectionsInput<Sections>, OutputOf<Output>, Sections> {
  assertOptions('promptTemplate()', options, {
    ns: 'any',
    key: 'any',
    name: matching(/\S/, 'a text that is not blank'),
    sections: 'array!',
    policies: 'array',
    resources: 'any',
    output: 'any',
  });
  const plan = planPrompt<OutputOf<Output>>(options);
  const template = { plan, withOverrides: planWithOverrides(plan) };
  return Object.freeze({
    kind: 'prompt-template',
    ...plan.identity,
    // A frozen copy of the very list.
    sections: Object.freeze([...options.sections]) as readonly AnySection[] as Sections,
    '~parts': Object.freeze({ slices: plan.slices, toolNames: plan.toolNames }),
    '~withSections': (more: readonly AnySection[]) => {
      const sections: readonly AnySection[] = [...options.sections, ...more];
      return promptTemplate({ ...options, sections });
    },
    bind: (...[params, bound = {}]: BindArguments<SectionsInput<Sections>>) => {
      assertOptions('template.bind()', bound, { resources: 'any' });
      return createPrompt<OutputOf<Output>, SectionsInput<Sections>>(
        template,
        checkRawParams(params === undefined ? {} : params, plan.params, plan.identity.name),
        toRegistry(bound.resources),
      );
    },
  });
}
