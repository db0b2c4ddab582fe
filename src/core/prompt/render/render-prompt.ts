import { none, once, present, wellFormedText } from '../../internal/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import { type ReadOnlyView, type ReadonlySessionView, readOnlyView, Session } from '../../session/index.ts';
import type {
  AnyTool,
  DeadlinePort,
  HostedTool,
  ProviderTool,
  SectionPort,
  ShownSection,
} from '../../tool/index.ts';
import type { OverriddenPlan } from '../override/apply-overrides.ts';
import type { PromptOverrides } from '../override/prompt-overrides.ts';
import type { BoundTool } from '../plan/bound-tool.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import type { DynamicParams } from '../section/section-input.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { findVisibilityOverride, promptAddress } from '../visibility/visibility-overrides.ts';
import { listSections } from './list-sections.ts';
import { OpenableSections, toShown } from './openable-sections.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import { bringsTools, sectionTexts } from './section-text.ts';
import { completeSelection, isEnabled, type SelectedSection, selectSections } from './select-sections.ts';

/** Options of `prompt.tools()` and `prompt.sections()`. */
export interface PromptToolsOptions {
  /** Session for `enabled` and `visibility` functions. Default: an empty one that holds the prompt's slices. */
  readonly session?: ReadonlySessionView;
  /** Replacements for the text of the code, applied where they fit. Default: none. */
  readonly overrides?: PromptOverrides;
}

/** Options of `prompt.render()`. */
export interface RenderOptions extends PromptToolsOptions {
  /**
   * True when the caller sends tool examples in a field of the wire format; they are then left out of the text.
   * Default: false.
   */
  readonly examplesOnWire?: boolean;
  /**
   * True when the caller sends the schema of a structured answer in a field of the wire format. Otherwise it follows the
   * sections, under the heading `## Answer format`. Default: false.
   */
  readonly outputSchemaOnWire?: boolean;
  /** Resources for custom sections. Default: none. */
  readonly resources?: ResourceResolver;
  /** Put into the rendered prompt as it is. Default: none. */
  readonly deadline?: DeadlinePort;
  /** The evaluation that the prompt is rendered for. @internal */
  readonly evaluationId?: string;
}

/**
 * Renders a prompt: decides on its sections, waits for params that are validated asynchronously, joins their text by one
 * blank line and collects the tools of what is shown in full.
 *
 * @throws {PromptRenderError} naming the section.
 */
export async function renderPrompt<Output>(
  overridden: OverriddenPlan<Output>,
  raw: DynamicParams,
  options: RenderOptions,
): Promise<RenderedPrompt<Output>> {
  const { plan, dropped } = overridden;
  const { resources } = options;
  const session = sessionOf(plan, options);
  const override = overridesOf(plan, options.session);
  const selection = await completeSelection({ plan, raw, session, override });
  const examples = options.examplesOnWire !== true;
  const sectionsText = await sectionTexts(selection, { plan, raw, session, resources, examples });
  const format = options.outputSchemaOnWire === true ? '' : plan.answerFormat();
  const text = wellFormedText([sectionsText, format].filter((part) => part !== '').join('\n\n'));
  const inFull = selection.filter(({ isSummary }) => !isSummary).map(({ node }) => node.path);
  const sections = new OpenableSections({
    plan,
    raw,
    examples,
    inFull,
    summarized: selection.filter(({ isSummary }) => isSummary).map(({ node }) => node.path),
    evaluationId: options.evaluationId ?? '',
  });
  const shown = selection.map(toShown);
  const { deadline } = options;
  const tools = toolsOf(sections, shown, nothing);
  return assemble({ plan, dropped, raw, text, deadline, sections, ...tools });
}

/** Tools in the order in which the model gets them. */
interface Tools {
  readonly bound: ReadonlyMap<string, BoundTool>;
  readonly hosted: readonly HostedTool[];
  /** Of the sections that are shown in full, whether the tools that they use are there or not. */
  readonly typed: readonly ProviderTool[];
}

interface Rendering<Output> extends OverriddenPlan<Output>, Tools {
  readonly raw: DynamicParams;
  readonly text: string;
  readonly deadline: RenderOptions['deadline'];
  readonly sections: OpenableSections;
}

const nothing: Tools = { bound: new Map(), hosted: [], typed: none };

/** The tools of sections that were just shown, after the tools there were before; then the tools that open summarized sections. */
function toolsOf(sections: OpenableSections, shown: readonly ShownSection[], before: Tools): Tools {
  const { plan } = sections;
  const bound = new Map(before.bound);
  const hosted = new Map(before.hosted.map((tool) => [tool.name, tool]));
  const needed: BoundTool[] = [];
  let typed = before.typed;
  for (const { section, visibility } of shown) {
    const index = sections.indexOf(section);
    if (index === undefined) continue;
    if (visibility === 'summary') {
      const { open, read } = plan.sectionTools();
      needed.push(bringsTools(plan, index) ? open : read);
      continue;
    }
    for (const each of plan.tools[index] ?? []) bound.set(each.tool.name, each);
    for (const each of plan.nodes[index]?.section.hostedTools ?? []) hosted.set(each.name, each);
    const { providerTools = none } = plan.nodes[index]?.section ?? {};
    const added = providerTools.filter((each) => !typed.includes(each));
    if (added.length > 0) typed = [...typed, ...added];
  }
  for (const each of needed.length === 0 ? none : Object.values(plan.sectionTools())) {
    if (needed.includes(each)) bound.set(each.tool.name, each);
  }
  return { bound, hosted: [...hosted.values()], typed };
}

function assemble<Output>(rendering: Rendering<Output>): RenderedPrompt<Output> {
  const { plan, dropped, raw, text, deadline, sections, bound, hosted, typed } = rendering;
  const tools = [...bound.values()].map(({ tool }) => tool);
  const paramDescriptions = once(() =>
    Object.freeze(
      Object.fromEntries([...bound].map(([name, each]) => [name, each['~planned'].paramDescriptions])),
    ),
  );
  return Object.freeze({
    text,
    tools: Object.freeze(tools),
    boundTools: bound,
    hostedTools: Object.freeze([...hosted]),
    providerTools: usableIn(typed, bound),
    get toolParamDescriptions() {
      return paramDescriptions();
    },
    ...present({ output: plan.output }),
    get descriptor() {
      return plan.descriptor();
    },
    droppedOverrides: dropped,
    ...present({ deadline }),
    '~sections': {
      open: (keys, context) => sections.open(keys, context),
      read: (key, context) => sections.read(key, context),
      isOpen: (key, session) => sections.isOpen(key, session),
      list: (session) => sections.list(session),
      source: { plan, raw },
      idleOverrides: (session) => sections.idleOverrides(session),
      withShown: (shown) => assemble({ ...rendering, ...toolsOf(sections, shown, { bound, hosted, typed }) }),
      textOf: (shown, context) => sections.textOf(shown, context),
      openable: () => sections.openable(),
      toolNamesOf: (shown) => sections.toolNamesOf(shown),
      allowReadingAgain: () => sections.allowReadingAgain(),
      typedOnly: plan.typedOnly,
      get opener() {
        return plan.sectionTools().open;
      },
    },
  } satisfies RenderedPrompt<Output>);
}

/** Those whose tools are all there. */
function usableIn(
  typed: readonly ProviderTool[],
  bound: ReadonlyMap<string, BoundTool>,
): readonly ProviderTool[] {
  if (typed.length === 0) return none;
  return Object.freeze(typed.filter(({ uses }) => uses.every((name) => bound.has(name))));
}

/**
 * Tools of what would be shown in full, without rendering a text.
 *
 * @throws {PromptRenderError} as `renderPrompt`, and where visibility depends on params that are validated asynchronously.
 */
export function enabledTools(
  plan: PromptPlan<unknown>,
  raw: DynamicParams,
  options: PromptToolsOptions,
): readonly AnyTool[] {
  const inFull = selectAtOnce(plan, raw, options).filter(({ isSummary }) => !isSummary);
  return Object.freeze(inFull.flatMap(({ index }) => (plan.tools[index] ?? []).map(({ tool }) => tool)));
}

/**
 * All sections as they would be shown, without rendering a text.
 *
 * @throws {PromptRenderError} as {@link enabledTools}.
 */
export function sectionsOf(
  plan: PromptPlan<unknown>,
  raw: DynamicParams,
  options: PromptToolsOptions,
): readonly SectionPort[] {
  const selected = new Map(selectAtOnce(plan, raw, options).map(({ node, isSummary }) => [node, isSummary]));
  const session = sessionOf(plan, options);
  return listSections(plan, (node, parent) => {
    const isSummary = selected.get(node);
    if (isSummary !== undefined) return { isEnabled: true, visibility: isSummary ? 'summary' : 'full' };
    // What is not selected and not below a summary is not enabled.
    const mayBe = parent?.isEnabled === true && parent.visibility !== 'full';
    return { isEnabled: mayBe && isEnabled(node, raw, session), visibility: 'hidden' };
  });
}

/** Selects without waiting for anything. */
function selectAtOnce(
  plan: PromptPlan<unknown>,
  raw: DynamicParams,
  options: PromptToolsOptions,
): readonly SelectedSection[] {
  const session = sessionOf(plan, options);
  const override = overridesOf(plan, options.session);
  return selectSections({ plan, raw, session, override });
}

/** What the caller's session says of sections; an empty one says nothing. */
function overridesOf(
  { identity }: PromptPlan<unknown>,
  session: ReadonlySessionView | undefined,
): (node: SectionNode) => Visibility | undefined {
  if (session === undefined) return () => undefined;
  const prompt = promptAddress(identity);
  return ({ path }) => findVisibilityOverride(session, prompt, path)?.visibility;
}

/**
 * For reading only: the caller's session, or an empty one with the prompt's slices; made when a section's function asks
 * for it.
 */
function sessionOf(plan: PromptPlan<unknown>, { session }: PromptToolsOptions): () => ReadOnlyView {
  let view: ReadOnlyView | undefined;
  return () => (view ??= readOnlyView(session ?? emptySession(plan)));
}

function emptySession({ slices }: PromptPlan<unknown>): Session {
  const empty = new Session();
  for (const slice of slices) empty.install(slice);
  return empty;
}
