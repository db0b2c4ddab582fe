import { assertOptions, PromptValidationError } from '../../error/index.ts';
import type { Schema } from '../../schema/index.ts';
import { templateText } from '../template/template-text.ts';
import type { SectionOptions } from './build-section.ts';
import { compileSection, freezeSection, sectionChecks } from './compile-section.ts';
import type { AnySection, Section } from './section.ts';
import type { ChildrenInput, OwnParams, ParamsInput, ParamsOutput, SectionsInput } from './section-input.ts';

/** Shown by the compiler where another schema lacks params that what is kept of a section may use. Nothing has this type. */
export interface MissingParams<Names> {
  readonly missingParams: Names;
}

/** `unknown` when the new schema yields all that the old one does, so that the parts that are kept still work. */
type KeepsParams<Old, New> = New extends Old
  ? unknown
  : MissingParams<Exclude<keyof Old, keyof New> | 'types'>;

/** What `extendSection()` may change; each absent one stays as it is. */
export interface SectionChanges<
  Base extends AnySection,
  Params extends Schema | undefined,
  Children extends readonly AnySection[] | undefined,
  Text extends string,
  Summary extends string,
> extends Partial<
    Omit<
      SectionOptions<Params, readonly AnySection[], Text, Summary>,
      'params' | 'children' | 'template' | 'render' | 'summary' | 'enabled'
    >
  > {
  /**
   * Another schema of its own params. It yields at least what the old one does, since the text and functions that are
   * kept may use it.
   */
  readonly params?: Params & KeepsParams<ParamsOutput<OwnParams<Base>>, ParamsOutput<Params>>;
  /** Other subsections; an empty list for none. */
  readonly children?: Children;
  /** Another text, in place of a template or of a `render`; `undefined`: heading only. */
  readonly template?: SectionOptions<Params, readonly AnySection[], Text, Summary>['template'] | undefined;
  /** Free text, in place of a template or of another `render`; as for `section()`. */
  readonly render?: SectionOptions<Params, readonly AnySection[], Text, Summary>['render'] | undefined;
  /** Another summary; `undefined`: none. */
  readonly summary?: SectionOptions<Params, readonly AnySection[], Text, Summary>['summary'] | undefined;
  /** Another condition; `undefined`: none, always there. */
  readonly enabled?: SectionOptions<Params, readonly AnySection[], Text, Summary>['enabled'] | undefined;
}

/**
 * The type of an extended section: the params of its own schema and those that its children need. Not exported, so that
 * declaration files of users spell it out instead of naming a module that the package does not export.
 */
type SectionOf<Params extends Schema | undefined, Below> = Section<
  ParamsInput<Params> & Below,
  { readonly params: Params; readonly children: Below }
>;

/** What the children of an extended section need: those of the changes, else those that it had. */
type ExtendedChildrenInput<Base, Children> = Children extends readonly AnySection[]
  ? SectionsInput<Children>
  : ChildrenInput<Base>;

/**
 * A copy of a section with some changes. Its text is checked against its own params, as `section()`
 * does; nothing is shared with the other section that could be changed, and that one stays what it is. Of a section
 * made by `toolsSection()` the `template` is the description, and it still lists no examples.
 *
 * @throws {PromptValidationError} as `section()`, and when a text that is kept uses a name that is no longer a param.
 */
export function extendSection<
  const Base extends AnySection,
  Params extends Schema | undefined = OwnParams<Base>,
  const Children extends readonly AnySection[] | undefined = undefined,
  const Text extends string = string,
  const Summary extends string = string,
>(
  base: Base,
  changes: SectionChanges<Base, Params, Children, Text, Summary>,
): SectionOf<Params, ExtendedChildrenInput<Base, Children>> {
  assertOptions('extendSection()', changes, sectionChecks);
  if (typeof base !== 'object' || base === null) {
    throw new PromptValidationError(
      `A ${typeof base} cannot be extended; give an object made by section().`,
      { details: { placeholder: 'base' } },
    );
  }
  const kept = freezeSection(base);
  const hasNewText = Object.hasOwn(changes, 'template') || Object.hasOwn(changes, 'render');
  const { template, render } = hasNewText ? changes : kept;
  const { summary } = kept;
  // Params and children are those of the changes where there are any, else those of the section.
  return compileSection({
    ...kept,
    // In a section that is written out it is a plain text.
    summary: typeof summary === 'string' ? templateText([summary.trim()]) : summary,
    ...changes,
    template,
    render,
    examplesInText: kept.examplesInText,
  }) as SectionOf<Params, ExtendedChildrenInput<Base, Children>>;
}
