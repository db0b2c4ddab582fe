import type { ReadOnlyView } from '../session/index.ts';
import type { PromptPlan } from './prompt-plan.ts';
import type { DynamicParams } from './section-input.ts';
import { openSections, readSection } from './section-tools.ts';
import { isEnabled, type SelectedSection } from './select-sections.ts';

/** What the note is made from beside the section. */
interface NoteSources {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  readonly session: () => ReadOnlyView;
}

/** True when a section or one below it brings tools, enabled or not. */
export function bringsTools({ nodes }: PromptPlan<unknown>, index: number): boolean {
  const end = nodes[index]?.end ?? index;
  for (let at = index; at < end; at += 1) {
    const { tools = [], hostedTools = [] } = nodes[at]?.section ?? {};
    if (tools.length > 0 || hostedTools.length > 0) return true;
  }
  return false;
}

/**
 * Tells the model how to get at what stands behind a summary: which tool, the address, and the addresses of the sections
 * directly below that are enabled.
 *
 * @throws {PromptRenderError} when the `enabled` function of one of them throws.
 */
export function summaryNote(
  { index, node }: Pick<SelectedSection, 'index' | 'node'>,
  { plan, raw, session }: NoteSources,
): string {
  const below: string[] = [];
  for (let at = index + 1; at < node.end; at = plan.nodes[at]?.end ?? node.end) {
    const child = plan.nodes[at];
    if (child !== undefined && isEnabled(child, raw, session)) below.push(`"${child.path}"`);
  }
  const how = bringsTools(plan, index)
    ? `Call ${openSections.name} with section_keys ["${node.path}"] to read it in full and to get its tools.`
    : `Call ${readSection.name} with section_key "${node.path}" to read it in full.`;
  const sections = below.length === 0 ? '' : ` Sections below it: ${below.join(', ')}.`;
  return `[This is a summary. ${how}${sections}]`;
}
