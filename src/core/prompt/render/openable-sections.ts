import { nearestNames, quotedList } from '../../internal/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import { type ReadonlySessionView, readOnlyView } from '../../session/index.ts';
import {
  type SectionPort,
  type ShownSection,
  type ToolContext,
  type ToolFailure,
  ToolResult,
} from '../../tool/index.ts';
import type { BoundTool } from '../plan/bound-tool.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import type { DynamicParams } from '../section/section-input.ts';
import {
  type OpenedSection,
  type SectionReadValue,
  type SectionsOpenedPayload,
  sectionToolNames,
} from '../visibility/section-tools.ts';
import {
  findVisibilityOverride,
  promptAddress,
  visibilityOverridesOf,
} from '../visibility/visibility-overrides.ts';
import { listSections } from './list-sections.ts';
import { bringsTools, sectionTexts } from './section-text.ts';
import { completeSelection, isEnabled, type SectionWithParams } from './select-sections.ts';

/** So many sections are named to one who asks for another. */
const maxNamed = 20;

/** What the text of a section is made from, beside what is fixed. */
export interface SectionTextContext {
  readonly session: ReadonlySessionView;
  readonly resources: ResourceResolver;
}

/** What is fixed when a prompt has been rendered. */
interface RenderedOnce {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  /** Whether the text holds examples of tools. */
  readonly examples: boolean;
  /** Paths of the sections that were shown in full. */
  readonly inFull: readonly string[];
  /** Paths of the sections whose summary was shown. */
  readonly summarized: readonly string[];
  readonly evaluationId: string;
}

/**
 * The sections of a rendered prompt, for those that come in later. What has been opened since is kept in the session
 * alone, so that calls which open and read sections are transactions like all others.
 */
export class OpenableSections {
  readonly plan: PromptPlan<unknown>;
  readonly #rendered: RenderedOnce;
  readonly #prompt: string;
  #inFull: ReadonlySet<string> | undefined;
  #mayReadAgain = false;

  constructor(rendered: RenderedOnce) {
    this.#rendered = rendered;
    this.plan = rendered.plan;
    this.#prompt = promptAddress(rendered.plan.identity);
  }

  /** The index in the plan of the section with this address. */
  indexOf(path: string): number | undefined {
    return this.plan.indexes.get(path);
  }

  /** Opens sections, with the summarized ones around them. All of them, or none; those already open are skipped. */
  async open(keys: readonly string[], context: ToolContext): Promise<ToolResult<unknown>> {
    const found = this.#find(keys);
    if (!Array.isArray(found)) return found;
    const { session } = context;
    const hidden = found.map((node) => this.#hiddenChain(node, session));
    const alreadyOpen = found.filter((_node, index) => hidden[index]?.length === 0);
    if (alreadyOpen.length === found.length) return areOpen(alreadyOpen);
    const disabled = this.#findDisabled(hidden, session);
    if (disabled !== undefined) return disabled;

    const inFull = new Set(hidden.flat().map(({ path }) => path));
    const roots = new Set(
      hidden.flatMap(([root]) => (root === undefined ? [] : [this.indexOf(root.path) ?? 0])),
    );
    const opened: OpenedSection[] = [];
    const shown: ShownSection[] = [];
    const parts: string[] = [];
    for (const root of [...roots].sort((left, right) => left - right)) {
      const selection = await this.#select(root, inFull, context);
      opened.push(...openedOf(selection, inFull));
      shown.push(...selection.map(toShown));
      parts.push(await this.#textOf(selection, context, this.#rendered.examples));
    }
    const value: SectionsOpenedPayload = {
      prompt: this.#prompt,
      evaluationId: this.#rendered.evaluationId,
      opened,
      shown,
      text: parts.join('\n\n'),
    };
    const skipped = alreadyOpen.length === 0 ? '' : ` Open before: ${listed(alreadyOpen)}.`;
    const asked = found.filter((node) => !alreadyOpen.includes(node));
    return ToolResult.ok(value, `Opened ${listed(asked)}.${skipped}${this.#toolsNote(shown)}`);
  }

  /** The text of a section in full, with the sections below it as they are shown. Opens nothing. */
  async read(key: string, context: ToolContext): Promise<ToolResult<unknown>> {
    const found = this.#find([key]);
    if (!Array.isArray(found)) return found;
    const { session } = context;
    const hidden = found.map((node) => this.#hiddenChain(node, session));
    if (!this.#mayReadAgain && hidden.every((chain) => chain.length === 0)) return areOpen(found);
    const disabled = this.#findDisabled(hidden, session);
    if (disabled !== undefined) return disabled;
    const [node] = found;
    const index = this.indexOf(node?.path ?? '') ?? 0;
    const selection = await this.#select(index, new Set([node?.path ?? '']), context);
    // The examples are those of tools that cannot be called.
    const text = await this.#textOf(selection, context, false);
    const value: SectionReadValue = { section: node?.path ?? '', text };
    const note =
      hidden.flat().length > 0 && bringsTools(this.plan, index)
        ? ` Its tools can be called once it is opened with ${sectionToolNames.open}.`
        : '';
    return ToolResult.ok(value, `Section ${listed(found)} in full.${note}`);
  }

  /** The text of what a call has shown, rendered again. */
  async textOf(shown: readonly ShownSection[], context: SectionTextContext): Promise<string> {
    const [root] = shown;
    const inFull = shown.flatMap(({ section, visibility }) => (visibility === 'full' ? [section] : []));
    const selection = await this.#select(this.indexOf(root?.section ?? '') ?? 0, new Set(inFull), context);
    return this.#textOf(selection, context, this.#rendered.examples);
  }

  /** Tools of the sections that are not shown in full from the start and can be opened: what is shown is their summary, or that of a section around them. */
  openable(): readonly BoundTool[] {
    const { inFull, summarized } = this.#rendered;
    const canBeOpened = (node: SectionNode | undefined): boolean =>
      node !== undefined && (summarized.includes(node.path) || canBeOpened(node.parent));
    return this.plan.nodes.flatMap((node, index) =>
      inFull.includes(node.path) || !canBeOpened(node) ? [] : (this.plan.tools[index] ?? []),
    );
  }

  /** Names of the tools of sections that were shown in full. */
  toolNamesOf(shown: readonly ShownSection[]): readonly string[] {
    return shown
      .filter(({ visibility }) => visibility === 'full')
      .flatMap(({ section }) => this.plan.tools[this.indexOf(section) ?? -1] ?? [])
      .map(({ tool }) => tool.name);
  }

  /** From here on sections that are open can be read again. */
  allowReadingAgain(): void {
    this.#mayReadAgain = true;
  }

  /** Whether the model has the section in full; undefined when there is no such section. */
  isOpen(key: string, session: ReadonlySessionView): boolean | undefined {
    const found = this.#find([key]);
    return Array.isArray(found)
      ? found.every((node) => this.#hiddenChain(node, session).length === 0)
      : undefined;
  }

  /** All sections, as the model has them at present. */
  list(session: ReadonlySessionView): readonly SectionPort[] {
    const { raw, summarized } = this.#rendered;
    const view = readOnlyView(session);
    return listSections(this.plan, (node, parent) => {
      if (this.#hiddenChain(node, session).length === 0) return { isEnabled: true, visibility: 'full' };
      if (summarized.includes(node.path)) return { isEnabled: true, visibility: 'summary' };
      const isInEnabled = parent?.isEnabled !== false;
      const isShown = isInEnabled && isEnabled(node, raw, () => view);
      // The content of a section that was opened since was shown with it, in full or summarized.
      const isBelowOpened = parent?.visibility === 'full' && !this.#wasRendered(node.parent);
      const visibility = isShown && isBelowOpened && node.summary !== undefined ? 'summary' : 'hidden';
      return { isEnabled: isShown, visibility };
    });
  }

  /** Whether the section was shown in full from the start. */
  #wasRendered(node: SectionNode | undefined): boolean {
    return node === undefined || this.#rendered.inFull.includes(node.path);
  }

  /** Paths of sections that the session shows or hides without effect: without a summary, or not in the prompt. */
  idleOverrides(session: ReadonlySessionView): readonly string[] {
    const overrides = visibilityOverridesOf(session, this.#prompt).filter(
      ({ opened }) => opened === undefined,
    );
    return overrides
      .map(({ section }) => section)
      .filter((path) => this.plan.nodes[this.indexOf(path) ?? -1]?.summary === undefined);
  }

  /** The sections with these addresses, each once, or why there are none. */
  #find(keys: readonly string[]): SectionNode[] | ToolFailure {
    const { nodes } = this.plan;
    const found: SectionNode[] = [];
    const unknown: string[] = [];
    for (const path of new Set(keys.map((key) => key.trim().toLowerCase()))) {
      const index = this.indexOf(path);
      const node = index === undefined ? undefined : nodes[index];
      if (node === undefined) unknown.push(path);
      else found.push(node);
    }
    if (unknown.length > 0) return this.#unknownSections(unknown);
    return found.length > 0 ? found : ToolResult.error('Name at least one section.');
  }

  #unknownSections(unknown: readonly string[]): ToolFailure {
    const paths = this.plan.nodes.map(({ path }) => path);
    const sentences = unknown.map((path) => {
      const ending = paths.filter((each) => each.endsWith(`.${path}`));
      const near = ending.length > 0 ? ending.slice(0, maxNamed) : nearestNames(path, paths);
      if (near.length > 0) return `There is no section "${path}". Nearest: ${quotedList(near)}.`;
      const more = paths.length > maxNamed ? `, and ${paths.length - maxNamed} more` : '';
      return `There is no section "${path}". There are ${quotedList(paths.slice(0, maxNamed))}${more}.`;
    });
    return ToolResult.error(`${sentences.join(' ')} Use the addresses in brackets after headings.`);
  }

  /**
   * The section with those around it, from the first one that the model has not been shown; empty when all were shown. A
   * section counts as shown when it was rendered in full, or opened in this evaluation and not closed since.
   */
  #hiddenChain(node: SectionNode, session: ReadonlySessionView): readonly SectionNode[] {
    this.#inFull ??= new Set(this.#rendered.inFull);
    const chain: SectionNode[] = [];
    for (let each: SectionNode | undefined = node; each !== undefined; each = each.parent)
      chain.unshift(each);
    const seen = new Set<string>();
    for (const [index, { path }] of chain.entries()) {
      if (this.#inFull.has(path)) continue;
      const { opened } = findVisibilityOverride(session, this.#prompt, path) ?? {};
      if (opened?.evaluationId === this.#rendered.evaluationId)
        for (const each of opened.shown) seen.add(each);
      if (!seen.has(path)) return chain.slice(index);
    }
    return [];
  }

  #findDisabled(
    chains: readonly (readonly SectionNode[])[],
    session: ReadonlySessionView,
  ): ToolFailure | undefined {
    const { raw } = this.#rendered;
    const view = readOnlyView(session);
    for (const chain of chains) {
      const disabled = chain.find((node) => !isEnabled(node, raw, () => view));
      const target = chain.at(-1);
      if (disabled === undefined || target === undefined) continue;
      const where = disabled === target ? '' : `, because "${disabled.path}" is not`;
      return ToolResult.error(`The section "${target.path}" is not enabled now${where}.`);
    }
    return undefined;
  }

  #select(
    at: number,
    inFull: ReadonlySet<string>,
    { session }: SectionTextContext,
  ): Promise<readonly SectionWithParams[]> {
    const { plan, raw } = this.#rendered;
    const view = readOnlyView(session);
    return completeSelection({
      plan,
      raw,
      session: () => view,
      override: ({ path }) => findVisibilityOverride(session, this.#prompt, path)?.visibility,
      at,
      inFull,
    });
  }

  #textOf(
    selection: readonly SectionWithParams[],
    { session, resources }: SectionTextContext,
    examples: boolean,
  ): Promise<string> {
    const { plan, raw } = this.#rendered;
    const view = readOnlyView(session);
    return sectionTexts(selection, { plan, raw, session: () => view, resources, examples });
  }

  #toolsNote(shown: readonly ShownSection[]): string {
    const names = this.toolNamesOf(shown);
    return names.length === 0 ? '' : ` Tools from the next turn on: ${names.join(', ')}.`;
  }
}

/** What the session keeps: the topmost section lists what was shown, those below it only that they are open. */
function openedOf(
  selection: readonly SectionWithParams[],
  inFull: ReadonlySet<string>,
): readonly OpenedSection[] {
  const shown = selection.filter(({ isSummary }) => !isSummary).map(({ node }) => node.path);
  return selection.flatMap(({ node }, index): readonly OpenedSection[] => {
    if (index === 0) return [{ section: node.path, shown }];
    return node.summary !== undefined && inFull.has(node.path) ? [{ section: node.path }] : [];
  });
}

export function toShown({ node, isSummary }: SectionWithParams): ShownSection {
  return { section: node.path, visibility: isSummary ? 'summary' : 'full' };
}

function areOpen(nodes: readonly SectionNode[]): ToolFailure {
  const [are, have] = nodes.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return ToolResult.error(`${listed(nodes)} ${are} open already: you have ${have} in full above.`);
}

function listed(nodes: readonly SectionNode[]): string {
  return quotedList(nodes.map(({ path }) => path));
}
