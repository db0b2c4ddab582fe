import { assertOptions } from '../error/index.ts';
import type { Schema } from '../schema/index.ts';
import { toRegistry } from './collect-resources.ts';
import { createPrompt } from './create-prompt.ts';
import { planPrompt } from './plan-prompt.ts';
import type { BindArguments, OutputOf, PromptTemplate, PromptTemplateOptions } from './prompt-template.ts';
import type { AnySection } from './section.ts';
import type { SectionsInput } from './section-input.ts';
import { checkRawParams } from './shared-params.ts';

/**
 * Makes a prompt template out of sections.
 *
 * @throws {PromptValidationError} naming section path, tool or placeholder: a bad namespace or key, two sections with one
 *   address, a section that contains itself, one param with two schemas, two tools or policies with one name, a policy
 *   that could never do what it says, two slices with one name, one resource bound differently by two sections, an
 *   output schema that is neither object nor array.
 * @see spec TOOLS "Registration Lifecycle"
 */
export function promptTemplate<
  const Sections extends readonly AnySection[],
  Output extends Schema | undefined = undefined,
>(
  options: PromptTemplateOptions<Sections, Output>,
): PromptTemplate<SectionsInput<Sections>, OutputOf<Output>, Sections> {
  assertOptions('promptTemplate()', options, { name: 'string', policies: 'array' });
  const plan = planPrompt<OutputOf<Output>>(options);
  return Object.freeze({
    kind: 'prompt-template',
    ...plan.identity,
    // A frozen copy of the very list.
    sections: Object.freeze([...options.sections]) as readonly AnySection[] as Sections,
    '~parts': Object.freeze({ slices: plan.slices, toolNames: plan.toolNames }),
    bind: (...[params, bound = {}]: BindArguments<SectionsInput<Sections>>) => {
      assertOptions('template.bind()', bound);
      return createPrompt<OutputOf<Output>, SectionsInput<Sections>>(
        plan,
        checkRawParams(params === undefined ? {} : params, plan.params, plan.identity.name),
        toRegistry(bound.resources),
      );
    },
  });
}
