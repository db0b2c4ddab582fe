import { PromptValidationError } from '../../error/index.ts';
import { once, type Writable } from '../../internal/index.ts';
import { freezeSection } from '../section/compile-section.ts';
import { normalizeKey, normalizeTitle } from '../section/identity.ts';
import type { AnySection } from '../section/section.ts';
import { type SectionParams, sectionParams } from '../section/section-params.ts';
import { type TemplateText, templateText } from '../template/template-text.ts';
import { describeSection, type SectionDescriptor } from './descriptors.ts';

/** One section at its place in a prompt. */
export interface SectionNode {
  readonly section: AnySection;
  /** Dotted path, the section's address. */
  readonly path: string;
  /** Number from the tree, such as `2.1`; disabled sections keep theirs. */
  readonly number: string;
  /** The line above its text: `### 2.1. Title (parent.child)`. */
  readonly heading: string;
  readonly parent: SectionNode | undefined;
  /** Index in the list of the first node after this one's descendants. */
  readonly end: number;
  readonly params: SectionParams | undefined;
  readonly summary: TemplateText | undefined;
  /** Hashes of its text; made when first read. */
  readonly descriptor: () => SectionDescriptor;
}

/** True when some section may be summarised. */
export function canSummarise(nodes: readonly SectionNode[]): boolean {
  return nodes.some(({ summary }) => summary !== undefined);
}

type OpenNode = Writable<SectionNode>;

/**
 * Lists the sections of a prompt in reading order, each with its address, number and heading.
 *
 * @throws {PromptValidationError} for a value that is not a section, a bad key or title, two sections with one address, a
 *   section that contains itself, a params schema that describes no object, a wrong text or summary.
 */
export function buildSectionTree(sections: readonly AnySection[]): readonly SectionNode[] {
  const nodes: SectionNode[] = [];
  const numbers = new Map<string, string>();
  const open = new Set<AnySection>();

  const visit = (section: AnySection, parent: SectionNode | undefined, number: string): void => {
    const place = parent === undefined ? `section ${number}` : `section ${number} in "${parent.path}"`;
    if (typeof section !== 'object' || section === null) {
      throw invalid(
        `The ${place} is a ${typeof section}; give an object made by section().`,
        parent?.path ?? '',
      );
    }
    const key = normalizeKey(section.key, place);
    const path = parent === undefined ? key : `${parent.path}.${key}`;
    if (open.has(section)) {
      throw invalid(`The section "${path}" contains itself; take it out of its own children.`, path);
    }
    const taken = numbers.get(path);
    if (taken !== undefined) {
      throw invalid(
        `Sections ${taken} and ${number} have the same address "${path}"; give one of them another key.`,
        path,
      );
    }
    const node = openNode(freezeSection(section), { path, number, parent }, open.size);
    numbers.set(path, number);
    nodes.push(node);
    open.add(section);
    node.section.children?.forEach((child, index) => visit(child, node, `${number}.${index + 1}`));
    open.delete(section);
    node.end = nodes.length;
  };
  sections.forEach((section, index) => visit(section, undefined, String(index + 1)));
  return nodes;
}

function openNode(
  section: AnySection,
  place: Pick<SectionNode, 'path' | 'number' | 'parent'>,
  depth: number,
): OpenNode {
  const { path, number } = place;
  const what = `section "${path}"`;
  const title = normalizeTitle(section.title, what);
  const { template, render, summary, visibility, params } = section;
  if (template !== undefined && (render !== undefined || template.kind !== 'template-text')) {
    throw invalid(
      `The ${what} needs one text: a template, which section() compiles, or a render function.`,
      path,
    );
  }
  if (visibility === 'summary' && summary === undefined) {
    throw invalid(`The ${what} has visibility "summary" and no summary; give it one.`, path);
  }
  const summaryText = typeof summary === 'string' ? templateText([summary.trim()]) : summary;
  return {
    ...place,
    section,
    heading: `${'#'.repeat(depth + 2)} ${number}. ${title} (${path})`,
    end: 0,
    params: params === undefined ? undefined : sectionParams(params, what),
    summary: summaryText,
    descriptor: once(() => describeSection({ path, number, template, summary: summaryText })),
  };
}

function invalid(message: string, section: string): PromptValidationError {
  return new PromptValidationError(message, { details: { section } });
}
