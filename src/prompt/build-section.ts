import { PromptValidationError } from '../error/index.ts';
import type { Schema } from '../schema/index.ts';
import { compileTemplate } from './compile-template.ts';
import { normalizeKey, normalizeTitle } from './identifier.ts';
import type { AnySection, Section } from './section.ts';
import type { ParamsInput, SectionsInput } from './section-input.ts';
import type { CommonSectionOptions, SectionOptions, ToolsSectionOptions } from './section-options.ts';
import { placeholderNames } from './section-params.ts';
import type { TemplateText } from './template-text.ts';
import type { TemplateFunction } from './trace-template.ts';

/** What a section is for the compiler: the params of its own schema and of its children. */
type SectionOf<Params, Children extends readonly AnySection[]> = Section<
  ParamsInput<Params> & SectionsInput<Children>
>;

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
>(options: SectionOptions<Params, Children, Text, Summary>): SectionOf<Params, Children> {
  if (options.template !== undefined && options.render !== undefined) {
    throw new PromptValidationError(
      `Section "${options.key}" has both a template and a render function; keep one of them.`,
      { details: { section: options.key, placeholder: 'render' } },
    );
  }
  const { render, tools } = options;
  return buildSection(options, options.template, {
    ...(render === undefined ? {} : { render }),
    ...(tools === undefined ? {} : { tools: Object.freeze([...tools]) }),
  });
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
>(options: ToolsSectionOptions<Params, Children, Text, Summary>): SectionOf<Params, Children> {
  return buildSection(options, options.description, {
    tools: Object.freeze([...options.tools]),
    examplesInText: false,
  });
}

function buildSection<
  Params extends Schema | undefined,
  Children extends readonly AnySection[],
  Summary extends string,
>(
  options: CommonSectionOptions<Params, Children, Summary>,
  template: unknown,
  rest: Pick<Section, 'render' | 'tools' | 'examplesInText'>,
): SectionOf<Params, Children> {
  const key = normalizeKey(options.key, `section ${JSON.stringify(options.title)}`);
  const what = `section "${key}"`;
  const title = normalizeTitle(options.title, what);
  const { params, summary, children, enabled, visibility } = options;
  const { hostedTools, policies, slices, resources, acceptsOverrides } = options;
  if (visibility === 'summary' && summary === undefined) {
    throw new PromptValidationError(
      `The ${what} has visibility "summary" and no summary; give it one, or leave it in full.`,
      { details: { section: key, placeholder: 'summary' } },
    );
  }
  const names = placeholderNames(params, what);
  const compile = (source: unknown, name: string): TemplateText => {
    // The option's type is a text or a function of this section's placeholders; compileTemplate refuses anything else.
    const form = source as string | TemplateFunction;
    return compileTemplate(form, names, `${name} of ${what}`, { section: key });
  };
  return Object.freeze({
    title,
    key,
    ...(params === undefined ? {} : { params }),
    ...(template === undefined ? {} : { template: compile(template, 'template') }),
    ...(summary === undefined ? {} : { summary: compile(summary, 'summary') }),
    ...(children === undefined ? {} : { children: Object.freeze([...children]) }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(visibility === undefined ? {} : { visibility }),
    ...(hostedTools === undefined ? {} : { hostedTools: Object.freeze([...hostedTools]) }),
    ...(policies === undefined ? {} : { policies: Object.freeze([...policies]) }),
    ...(slices === undefined ? {} : { slices: Object.freeze([...slices]) }),
    ...(resources === undefined ? {} : { resources }),
    ...(acceptsOverrides === undefined ? {} : { acceptsOverrides }),
    ...rest,
  });
}
