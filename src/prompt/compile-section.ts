import { PromptValidationError } from '../error/index.ts';
import { compileTemplate } from './compile-template.ts';
import { freezeSection, type SectionDraft } from './freeze-section.ts';
import { normalizeKey, normalizeTitle } from './identifier.ts';
import type { AnySection } from './section.ts';
import { placeholderNames } from './section-params.ts';
import type { TemplateText } from './template-text.ts';
import type { TemplateFunction } from './trace-template.ts';

/** A section whose texts are not compiled yet: texts, functions of placeholders, or what was compiled for another section. */
export interface SectionSource extends Omit<SectionDraft, 'template' | 'summary'> {
  readonly template?: unknown;
  readonly summary?: unknown;
}

/**
 * Checks a section, compiles its texts and freezes it.
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
  const names = placeholderNames(params, what);
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
