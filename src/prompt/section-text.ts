import { describeError } from '../error/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { ReadonlySessionView } from '../session/index.ts';
import type { PromptPlan } from './prompt-plan.ts';
import type { SectionRenderContext } from './section.ts';
import type { DynamicParams } from './section-input.ts';
import { type SelectedSection, sectionError } from './select-sections.ts';
import { summaryNote } from './summary-note.ts';
import { fillTemplate } from './template-text.ts';
import { toolExamplesText } from './tool-examples.ts';

/** What the text of a section is made from beside the section. */
export interface TextSources {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  readonly session: () => ReadonlySessionView;
  readonly resources?: ResourceResolver | undefined;
  /** Whether the examples of its tools are written under a section. */
  readonly examples: boolean;
}

/**
 * The texts of sections, joined by one blank line.
 *
 * @throws {PromptRenderError} naming the section.
 */
export async function sectionTexts(
  selection: readonly SelectedSection[],
  sources: TextSources,
): Promise<string> {
  const texts: string[] = [];
  for (const selected of selection) texts.push(await sectionText(selected, sources));
  return texts.join('\n\n');
}

async function sectionText(selected: SelectedSection, sources: TextSources): Promise<string> {
  const { node, isSummary } = selected;
  const parts = [node.heading, await bodyText(selected, sources)];
  if (isSummary) parts.push(summaryNote(selected, sources));
  else if (sources.examples) parts.push(toolExamplesText(node));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function bodyText(
  { node, params, isSummary }: SelectedSection,
  { plan, session, resources }: TextSources,
): Promise<string> {
  const { render, template } = node.section;
  const text = isSummary ? node.summary : template;
  if (text !== undefined) return fillTemplate(text, isParams(params) ? params : {});
  if (render === undefined) return '';
  const context: SectionRenderContext = Object.freeze({
    session: session(),
    ...(resources === undefined ? {} : { resources }),
    path: node.path,
    number: node.number,
    prompt: plan.identity,
  });
  let body: unknown;
  try {
    // `never` is the function's own type for what the section's schema yields.
    body = await render(params as never, context);
  } catch (cause) {
    throw sectionError(
      node,
      `The render function of section "${node.path}" threw: ${describeError(cause)}`,
      cause,
    );
  }
  if (typeof body === 'string') return body.trim();
  throw sectionError(
    node,
    `The render function of section "${node.path}" must return a text, not a ${typeof body}.`,
  );
}

function isParams(value: unknown): value is DynamicParams {
  return typeof value === 'object' && value !== null;
}
