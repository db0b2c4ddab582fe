import { PromptValidationError } from '../../error/index.ts';
import { compileTemplate } from '../template/compile-template.ts';
import type { TemplateText } from '../template/template-text.ts';
import type { TemplateFunction } from '../template/trace-template.ts';
import { normalizeKey, normalizeTitle } from './identity.ts';
import type { AnySection, Section } from './section.ts';
import { placeholderNames, sectionParams } from './section-params.ts';

/** A section whose text is not compiled yet: strings, functions of placeholders, or templates compiled for another section. */
export interface SectionSource extends Omit<SectionDraft, 'template' | 'summary'> {
  readonly template?: unknown;
  readonly summary?: unknown;
}

/**
 * Checks a section, compiles its text and freezes it.
 *
 * @throws {PromptValidationError} see `section()`.
 */
export function compileSection(source: SectionSource): AnySection {
  const key = normalizeKey(source.key, `section ${JSON.stringify(source.title)}`);
  const what = `section "${key}"`;
  const title = normalizeTitle(source.title, what);
  const { params, template, render, summary, visibility } = source;
  if (template !== undefined && render !== undefined) {
    throw new PromptValidationError(
      `The ${what} has both a template and a render function; keep one of them.`,
      { details: { section: key, placeholder: 'render' } },
    );
  }
  if (visibility === 'summary' && summary === undefined) {
    throw new PromptValidationError(
      `The ${what} has visibility "summary" and no summary; give it one, or leave it in full.`,
      { details: { section: key, placeholder: 'summary' } },
    );
  }
  const names = placeholderNames(params === undefined ? undefined : sectionParams(params, what));
  const compile = (text: unknown, name: string): TemplateText | undefined =>
    text === undefined
      ? undefined
      : // compileTemplate refuses anything else.
        compileTemplate(text as string | TemplateFunction | TemplateText, names, `${name} of ${what}`, {
          section: key,
        });
  return freezeSection({
    ...source,
    title,
    key,
    template: compile(template, 'template'),
    summary: compile(summary, 'summary'),
  });
}

/** A section before it is made: members that it lacks may also be `undefined`. */
export type SectionDraft = { readonly [Key in SectionKey]?: Section[Key] | undefined };

type SectionKey = Exclude<keyof Section, symbol>;
type TextKey = 'template' | 'render' | 'tools';

/** What makers of sections take, each in addition to what it makes a section of. */
export const commonChecks: Readonly<Record<Exclude<SectionKey, TextKey | 'examplesInText'>, 'any'>> = {
  title: 'any',
  key: 'any',
  params: 'any',
  hostedTools: 'any',
  providerTools: 'any',
  policies: 'any',
  children: 'any',
  enabled: 'any',
  visibility: 'any',
  summary: 'any',
  prepare: 'any',
  slices: 'any',
  resources: 'any',
  acceptsOverrides: 'any',
};

/** What is given is checked where a section is compiled, as it is for one that is written out. */
export const sectionChecks: Readonly<Record<Exclude<SectionKey, 'examplesInText'>, 'any'>> = {
  ...commonChecks,
  template: 'any',
  render: 'any',
  tools: 'any',
};

const sectionKeys = Object.keys({ ...sectionChecks, examplesInText: 'any' }) as readonly SectionKey[];

/**
 * The section as a frozen plain object with lists of its own, so that its author can no longer change what was
 * made of it.
 */
export function freezeSection(section: SectionDraft): AnySection {
  const given = sectionKeys.map((key) => [key, section[key]] as const);
  // The entries are those of a section; absent ones are left out.
  return Object.freeze(
    Object.fromEntries(
      given.flatMap(([key, value]) =>
        value === undefined ? [] : [[key, Array.isArray(value) ? Object.freeze([...value]) : value]],
      ),
    ),
  ) as unknown as AnySection;
}
