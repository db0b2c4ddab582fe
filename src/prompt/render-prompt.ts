import { describeError } from '../error/index.ts';
import { type ReadonlySessionView, Session } from '../session/index.ts';
import type { AnyTool } from '../tool/index.ts';
import type { OverriddenPlan } from './override/apply-overrides.ts';
import { describePrompt } from './override/describe-prompt.ts';
import type { PromptToolsOptions, RenderOptions } from './prompt.ts';
import type { PromptPlan } from './prompt-plan.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import type { AnySection, SectionRenderContext } from './section.ts';
import type { DynamicParams } from './section-input.ts';
import { type SelectedSection, sectionError, selectSections } from './select-sections.ts';
import { fillTemplate } from './template-text.ts';
import { toolExamplesText } from './tool-examples.ts';
import { describeToolParams } from './tool-param-descriptions.ts';

/**
 * Renders a prompt: decides on its sections, waits for params that are validated asynchronously, joins the texts by one
 * blank line and collects the tools of what is shown in full.
 *
 * @throws {PromptRenderError} naming the section.
 */
export async function renderPrompt<Output>(
  { plan, dropped }: OverriddenPlan<Output>,
  raw: DynamicParams,
  options: RenderOptions,
): Promise<RenderedPrompt<Output>> {
  const session = sessionOf(plan, options);
  const selection = selectSections({ plan, raw, session, needsParams: true });
  let step = selection.next();
  while (step.done !== true) {
    const { parsing } = step.value;
    step = selection.next(parsing instanceof Promise ? await parsing : parsing);
  }
  const texts: string[] = [];
  for (const selected of step.value) {
    // Only what a section renders by itself is waited for.
    const body = bodyText(plan, selected, session, options);
    texts.push(sectionText(selected, typeof body === 'string' ? body : await body, options));
  }

  const inFull = step.value.filter(({ isSummary }) => !isSummary);
  const boundTools = inFull.flatMap(({ index }) => plan.tools[index] ?? []);
  const tools = boundTools.map(({ tool }) => tool);
  return Object.freeze({
    text: texts.join('\n\n'),
    tools: Object.freeze(tools),
    boundTools: new Map(boundTools.map((bound) => [bound.tool.name, bound])),
    hostedTools: Object.freeze(inFull.flatMap(({ node }) => node.section.hostedTools ?? [])),
    get toolParamDescriptions() {
      return describeToolParams(tools);
    },
    ...(plan.output === undefined ? {} : { output: plan.output }),
    get descriptor() {
      return describePrompt(plan);
    },
    droppedOverrides: dropped,
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
  });
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
  const selection = selectSections({ plan, raw, session: sessionOf(plan, options), needsParams: false });
  let step = selection.next();
  while (step.done !== true) {
    const { node, parsing } = step.value;
    if (parsing instanceof Promise) {
      throw sectionError(
        node,
        `The visibility of section "${node.path}" depends on params that are validated asynchronously; use render().`,
      );
    }
    step = selection.next(parsing);
  }
  const inFull = step.value.filter(({ isSummary }) => !isSummary);
  return Object.freeze(inFull.flatMap(({ index }) => (plan.tools[index] ?? []).map(({ tool }) => tool)));
}

function sectionText({ node, isSummary }: SelectedSection, body: string, options: RenderOptions): string {
  const parts = [node.heading, body];
  if (!isSummary && options.examplesOnWire !== true) parts.push(toolExamplesText(node));
  return parts.filter((part) => part !== '').join('\n\n');
}

function bodyText(
  plan: PromptPlan<unknown>,
  selected: SelectedSection,
  session: () => ReadonlySessionView,
  options: RenderOptions,
): string | Promise<string> {
  const { section, summary } = selected.node;
  const text = selected.isSummary ? summary : section.template;
  if (text !== undefined) return fillTemplate(text, isParams(selected.params) ? selected.params : {});
  return section.render === undefined ? '' : renderedBody(plan, selected, section.render, session, options);
}

async function renderedBody(
  plan: PromptPlan<unknown>,
  { node, params }: SelectedSection,
  render: NonNullable<AnySection['render']>,
  session: () => ReadonlySessionView,
  options: RenderOptions,
): Promise<string> {
  const context: SectionRenderContext = Object.freeze({
    session: session(),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
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

/** The caller's session, or an empty one with the prompt's slices, made when a section's function asks for it. */
function sessionOf(plan: PromptPlan<unknown>, options: PromptToolsOptions): () => ReadonlySessionView {
  const { session } = options;
  if (session !== undefined) return () => session;
  let empty: Session | undefined;
  return () => {
    if (empty === undefined) {
      empty = new Session();
      for (const slice of plan.slices) empty.install(slice);
    }
    return empty;
  };
}

function isParams(value: unknown): value is DynamicParams {
  return typeof value === 'object' && value !== null;
}
