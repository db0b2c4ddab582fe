import { isRecord, present } from '../../internal/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import type { ReadOnlyView } from '../../session/index.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import type { SectionRenderContext } from '../section/section.ts';
import type { DynamicParams } from '../section/section-input.ts';
import { fillTemplate } from '../template/template-text.ts';
import { sectionToolNames } from '../visibility/section-tools.ts';
import { SectionResources } from './section-resources.ts';
import { awaitSection, isEnabled, type SectionWithParams, sectionError } from './select-sections.ts';

/** What the text of a section is made from beside the section. */
export interface TextSources {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  readonly session: () => ReadOnlyView;
  readonly resources?: ResourceResolver | undefined;
  /** Whether the examples of its tools are written under a section. */
  readonly examples: boolean;
}

/**
 * The text of sections, joined by one blank line.
 *
 * @throws {PromptRenderError} naming the section.
 */
export async function sectionTexts(
  selection: readonly SectionWithParams[],
  sources: TextSources,
): Promise<string> {
  const resources = sources.resources === undefined ? undefined : new SectionResources(sources.resources);
  const parts: string[] = [];
  try {
    for (const selected of selection) {
      const body = bodyText(selected, sources, resources);
      // Awaiting each of many strings would cost more than making them.
      parts.push(sectionText(selected, typeof body === 'string' ? body : await body, sources));
    }
  } finally {
    resources?.close();
  }
  return parts.join('\n\n');
}

function sectionText(selected: SectionWithParams, body: string, sources: TextSources): string {
  const { node, isSummary } = selected;
  const parts = [node.heading, body];
  if (isSummary) parts.push(summaryNote(selected, sources));
  else if (sources.examples) parts.push(examplesText(selected, sources.plan));
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The examples of a section's tools; empty when there are none, or the section does not want them. */
function examplesText({ node, index }: SectionWithParams, { tools }: PromptPlan<unknown>): string {
  if (node.section.examplesInText === false) return '';
  const examples = (tools[index] ?? []).map((bound) => bound['~planned'].examplesText);
  return examples.every((text) => text === '')
    ? ''
    : ['Tools:', ...examples.filter((text) => text !== '')].join('\n');
}

/** A promise only where a function of the section's makes the text. */
function bodyText(
  selected: SectionWithParams,
  sources: TextSources,
  resources: ResourceResolver | undefined,
): string | Promise<string> {
  const { node, params, isSummary } = selected;
  const { render, template } = node.section;
  const text = isSummary ? node.summary : template;
  if (text !== undefined) return fillTemplate(text, isRecord(params) ? params : {});
  return render === undefined ? '' : renderedText(selected, render, sources, resources);
}

async function renderedText(
  { node, params }: SectionWithParams,
  render: NonNullable<SectionNode['section']['render']>,
  { plan, session }: TextSources,
  resources: ResourceResolver | undefined,
): Promise<string> {
  const context: SectionRenderContext = Object.freeze({
    session: session(),
    ...present({ resources }),
    path: node.path,
    number: node.number,
    prompt: plan.identity,
  });
  // `never` is the function's own type for what the section's schema yields.
  const body: unknown = await awaitSection(node, 'render', () => render(params as never, context));
  if (typeof body === 'string') return body.trim();
  throw sectionError(
    node,
    `The render function of section "${node.path}" must return a text, not a ${typeof body}.`,
  );
}

/** True when a section or one below it has tools, enabled or not. */
export function bringsTools({ nodes }: PromptPlan<unknown>, index: number): boolean {
  const end = nodes[index]?.end ?? index;
  for (let at = index; at < end; at += 1) {
    const { tools = [], hostedTools = [] } = nodes[at]?.section ?? {};
    if (tools.length > 0 || hostedTools.length > 0) return true;
  }
  return false;
}

/**
 * Tells the model how to get the content of a summarized section: which tool, the address, and the addresses of the sections
 * directly below that are enabled.
 *
 * @throws {PromptRenderError} when the `enabled` function of one of them throws.
 */
export function summaryNote(
  { index, node }: Pick<SectionWithParams, 'index' | 'node'>,
  { plan, raw, session }: Pick<TextSources, 'plan' | 'raw' | 'session'>,
): string {
  const below: string[] = [];
  for (let at = index + 1; at < node.end; at = plan.nodes[at]?.end ?? node.end) {
    const child = plan.nodes[at];
    if (child !== undefined && isEnabled(child, raw, session)) below.push(`"${child.path}"`);
  }
  const how = bringsTools(plan, index)
    ? `Call ${sectionToolNames.open} with section_keys ["${node.path}"] to read it in full and to get its tools.`
    : `Call ${sectionToolNames.read} with section_key "${node.path}" to read it in full.`;
  const sections = below.length === 0 ? '' : ` Sections below it: ${below.join(', ')}.`;
  return `[This is a summary. ${how}${sections}]`;
}
