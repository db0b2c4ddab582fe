import { assertOptions } from '../error/index.ts';
import type { Schema } from '../schema/index.ts';
import { compileSection } from './compile-section.ts';
import type { AnySection } from './section.ts';
import type { SectionOf, SectionsInput } from './section-input.ts';
import type { SectionOptions, ToolsSectionOptions } from './section-options.ts';

/**
 * Makes a section: a title, instructions, and the tools and policies that belong to them.
 *
 * @throws {PromptValidationError} for a bad key or title, a params schema that describes no object, a template that names
 *   something that is no param or does more than interpolate, `template` and `render` together, visibility `'summary'`
 *   without a summary.
 * @see spec TOOLS "Section Integration"
 */
export function section<
  Params extends Schema | undefined = undefined,
  const Children extends readonly AnySection[] = readonly [],
  const Text extends string = string,
  const Summary extends string = string,
>(options: SectionOptions<Params, Children, Text, Summary>): SectionOf<Params, SectionsInput<Children>> {
  assertOptions('section()', options);
  // The schema and the children are those of the options.
  return compileSection({ ...options, examplesInText: undefined }) as SectionOf<
    Params,
    SectionsInput<Children>
  >;
}

/**
 * Makes a section that brings tools and says nothing about them: heading, optional description, no examples.
 *
 * @throws {PromptValidationError} as {@link section}.
 * @see spec TOOLS "ToolsSection"
 */
export function toolsSection<
  Params extends Schema | undefined = undefined,
  const Children extends readonly AnySection[] = readonly [],
  const Text extends string = string,
  const Summary extends string = string,
>(options: ToolsSectionOptions<Params, Children, Text, Summary>): SectionOf<Params, SectionsInput<Children>> {
  assertOptions('toolsSection()', options);
  const { description: template, ...rest } = options;
  // As above.
  return compileSection({ ...rest, template, examplesInText: false }) as SectionOf<
    Params,
    SectionsInput<Children>
  >;
}
