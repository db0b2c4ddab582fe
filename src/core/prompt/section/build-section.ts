import { assertOptions, type OptionsOf } from '../../error/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ReadonlySessionView } from '../../session/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import type { TemplateSource } from '../template/placeholders.ts';
import type { VisibilitySelector } from '../visibility/visibility.ts';
import { commonChecks, compileSection, sectionChecks } from './compile-section.ts';
import type { AnySection, Section, SectionRenderContext } from './section.ts';
import type { ParamsInput, ParamsOutput, SectionsInput } from './section-input.ts';

/** What every section takes. */
export interface CommonSectionOptions<
  Params extends Schema | undefined,
  Children extends readonly AnySection[],
  Summary extends string,
> extends Pick<
    Section,
    | 'title'
    | 'key'
    | 'hostedTools'
    | 'providerTools'
    | 'policies'
    | 'prepare'
    | 'slices'
    | 'resources'
    | 'acceptsOverrides'
  > {
  /** Object schema of the params that this section itself uses. Default: none. */
  readonly params?: Params;
  /** Subsections, in order. */
  readonly children?: Children;
  /**
   * Whether the section and its descendants are there, decided at each rendering on the raw params of the prompt, before
   * any of them is required. The session can only be read, a write throws; may throw: the rendering fails. Default: enabled.
   */
  readonly enabled?: (rawParams: Partial<ParamsInput<Params>>, session: ReadonlySessionView) => boolean;
  /** How much of the section the model sees; `'summary'` needs a `summary`. Default: `'full'`. */
  readonly visibility?: VisibilitySelector<ParamsOutput<Params>>;
  /** Template of the text that replaces the section and its descendants while it is summarized. Default: none. */
  readonly summary?: TemplateSource<Summary, ParamsOutput<Params>>;
}

/** Options of `section()`. */
export interface SectionOptions<
  Params extends Schema | undefined,
  Children extends readonly AnySection[],
  Text extends string,
  Summary extends string,
> extends CommonSectionOptions<Params, Children, Summary> {
  /** The instructions. Default: none, heading only. */
  readonly template?: TemplateSource<Text, ParamsOutput<Params>>;
  /**
   * Free text in place of a template. The session can only be read, a write throws; may throw: the rendering fails with a
   * `PromptRenderError` that names the section.
   */
  readonly render?: (params: ParamsOutput<Params>, context: SectionRenderContext) => string | Promise<string>;
  /** Tools that the section explains. Default: none. */
  readonly tools?: readonly AnyTool[];
}

/** Options of `toolsSection()`. */
export interface ToolsSectionOptions<
  Params extends Schema | undefined,
  Children extends readonly AnySection[],
  Text extends string,
  Summary extends string,
> extends CommonSectionOptions<Params, Children, Summary> {
  /** The tools, none of which is listed in the text. */
  readonly tools: readonly AnyTool[];
  /** Template of a remark under the heading. Default: none. */
  readonly description?: TemplateSource<Text, ParamsOutput<Params>>;
}

const toolsSectionChecks: OptionsOf<
  ToolsSectionOptions<Schema | undefined, readonly AnySection[], string, string>
> = {
  ...commonChecks,
  tools: 'any',
  description: 'any',
};

/**
 * The type of a section made here: the params of its own schema and those that its children need. Not exported, so that
 * declaration files of users spell it out instead of naming a module that the package does not export.
 */
type SectionOf<Params extends Schema | undefined, Below> = Section<
  ParamsInput<Params> & Below,
  { readonly params: Params; readonly children: Below }
>;

/**
 * Makes a section: a title, instructions, and the tools and policies that belong to them.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { z } from 'zod';
 *
 * const tickets = section({
 *   title: 'Tickets',
 *   key: 'tickets',
 *   params: z.object({ ids: z.array(z.string()) }),
 *   // `template` only interpolates; a list needs `render`.
 *   render: ({ ids }) => ids.map((id) => `- ${id}`).join('\n'),
 * });
 * const prompt = promptTemplate({ ns: 'docs', key: 'tickets', sections: [tickets] }).bind({ ids: ['t-1', 't-2'] });
 * const { text } = await prompt.render();
 * console.log(text.split('\n').at(-1)); // - t-2
 * ```
 *
 * @throws {PromptValidationError} for a bad key or title, a params schema that describes no object, a template that names
 *   a name that is not a param or does more than interpolate, `template` and `render` together, visibility `'summary'`
 *   without a summary.
 * @see docs/spec/prompt.md §1
 */
export function section<
  Params extends Schema | undefined = undefined,
  const Children extends readonly AnySection[] = readonly [],
  const Text extends string = string,
  const Summary extends string = string,
>(options: SectionOptions<Params, Children, Text, Summary>): SectionOf<Params, SectionsInput<Children>> {
  assertOptions('section()', options, sectionChecks);
  // The schema and the children are those of the options.
  return compileSection({ ...options, examplesInText: undefined }) as SectionOf<
    Params,
    SectionsInput<Children>
  >;
}

/**
 * Makes a section of tools without instructions: heading, optional description, no examples.
 *
 * @throws {PromptValidationError} as {@link section}.
 * @see docs/spec/prompt.md §2
 */
export function toolsSection<
  Params extends Schema | undefined = undefined,
  const Children extends readonly AnySection[] = readonly [],
  const Text extends string = string,
  const Summary extends string = string,
>(options: ToolsSectionOptions<Params, Children, Text, Summary>): SectionOf<Params, SectionsInput<Children>> {
  assertOptions('toolsSection()', options, toolsSectionChecks);
  const { description: template, ...rest } = options;
  // As above.
  return compileSection({ ...rest, template, examplesInText: false }) as SectionOf<
    Params,
    SectionsInput<Children>
  >;
}
