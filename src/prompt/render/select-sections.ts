import { describeError, PromptRenderError } from '../../error/index.ts';
import { describeIssues, type ParseOutcome, parseInput, type SchemaIssue } from '../../schema/index.ts';
import type { ReadOnlyView } from '../../session/index.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import { ownParams } from '../plan/shared-params.ts';
import type { DynamicParams } from '../section/section-input.ts';
import type { Visibility } from '../visibility/visibility.ts';

/** A section that is in the text. */
export interface SelectedSection {
  /** Index in the plan. */
  readonly index: number;
  readonly node: SectionNode;
  /** What the section's schema made of its params; `{}` without a schema, or when they were not asked for. */
  readonly params: unknown;
  /** Only the summary is shown; no descendant and no tool of it is. */
  readonly isSummary: boolean;
}

/** What to select for. */
export interface SelectionOptions {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  /** Called when a section's function has to see the session. */
  readonly session: () => ReadOnlyView;
  /** True: parse the params of every section in the text. False: only where visibility depends on them. */
  readonly needsParams: boolean;
  /** Visibility that wins over what a section with a summary says of itself; undefined: the section decides. */
  readonly override: (node: SectionNode) => Visibility | undefined;
  /** A part of the tree: the section at this index with what is below it. Default: everything. */
  readonly at?: number;
  /** Paths of sections that are shown in full whatever is said of them. Default: none. */
  readonly inFull?: ReadonlySet<string>;
}

type Parsing = ParseOutcome<unknown> | Promise<ParseOutcome<unknown>>;

/**
 * Decides which sections are in the text, in reading order. For each: is it enabled (before its params are required), are
 * its params right, is it shown in full. Hands out every parse, so that the caller decides whether it can wait.
 *
 * @throws {PromptRenderError} naming each section whose params are missing or wrong, or the one whose function threw.
 */
export function* selectSections(
  options: SelectionOptions,
): Generator<
  { readonly node: SectionNode; readonly parsing: Parsing },
  readonly SelectedSection[],
  ParseOutcome<unknown>
> {
  const { plan, raw, session, needsParams, at } = options;
  const selected: SelectedSection[] = [];
  const problems: ParamsProblem[] = [];
  let index = at ?? 0;
  const end = (at === undefined ? undefined : plan.nodes[at]?.end) ?? plan.nodes.length;
  for (let node = plan.nodes[index]; node !== undefined && index < end; node = plan.nodes[index]) {
    if (!isEnabled(node, raw, session)) {
      index = node.end;
      continue;
    }
    let params: unknown = {};
    const decided = decidedVisibility(node, options);
    if (node.params !== undefined && (needsParams || decided === undefined)) {
      const outcome = yield {
        node,
        parsing: parseInput(node.params.compiled, ownParams(node, raw, plan.params)),
      };
      if (!outcome.ok) {
        problems.push({ path: node.path, issues: outcome.issues });
        // Where nothing tells whether the descendants are shown, their params are not asked for.
        index = decided === 'full' ? index + 1 : node.end;
        continue;
      }
      params = outcome.value;
    }
    const isSummary = isSummarised(node, decided ?? askVisibility(node, params, session));
    selected.push({ index, node, params, isSummary });
    index = isSummary ? node.end : index + 1;
  }
  if (problems.length > 0) throw paramsError(plan.identity.name, problems);
  return selected;
}

/**
 * Selects, and waits for params that are validated asynchronously.
 *
 * @throws {PromptRenderError} as {@link selectSections}.
 */
export async function completeSelection(options: SelectionOptions): Promise<readonly SelectedSection[]> {
  const selection = selectSections(options);
  let step = selection.next();
  while (step.done !== true) {
    const { parsing } = step.value;
    step = selection.next(parsing instanceof Promise ? await parsing : parsing);
  }
  return step.value;
}

/**
 * Whether a section is there at all.
 *
 * @throws {PromptRenderError} when its function throws, or answers with something else.
 */
export function isEnabled(node: SectionNode, raw: DynamicParams, session: () => ReadOnlyView): boolean {
  const { enabled } = node.section;
  if (enabled === undefined) return true;
  // `never` is the function's own view of the raw params; bind() has checked the names.
  const answer: unknown = callSection(node, 'enabled', () => enabled(raw as never, session()));
  if (typeof answer === 'boolean') return answer;
  throw sectionError(
    node,
    `The enabled function of section "${node.path}" must return true or false, not ${typeOf(answer)}.`,
  );
}

/** The visibility as far as no function has to be asked for it. */
function decidedVisibility(
  node: SectionNode,
  { inFull, override }: Pick<SelectionOptions, 'inFull' | 'override'>,
): unknown {
  if (inFull?.has(node.path) === true) return 'full';
  const overridden = node.summary === undefined ? undefined : override(node);
  if (overridden !== undefined) return overridden;
  const { visibility = 'full' } = node.section;
  return typeof visibility === 'function' ? undefined : visibility;
}

function askVisibility(node: SectionNode, params: unknown, session: () => ReadOnlyView): unknown {
  const { visibility } = node.section;
  return typeof visibility === 'function'
    ? // `never` is the function's own type for what the section's schema yields.
      callSection(node, 'visibility', () => visibility(params as never, session()))
    : visibility;
}

function isSummarised(node: SectionNode, answer: unknown): boolean {
  if (answer === 'full') return false;
  if (answer !== 'summary') {
    throw sectionError(
      node,
      `The visibility of section "${node.path}" must be "full" or "summary", not ${typeOf(answer)}.`,
    );
  }
  if (node.summary !== undefined) return true;
  throw sectionError(node, `Section "${node.path}" is to be summarised and has no summary; give it one.`);
}

/** Calls a function of a section's; what it throws becomes a `PromptRenderError` that names function and section. */
export function callSection<Result>(node: SectionNode, name: string, call: () => Result): Result {
  try {
    return call();
  } catch (cause) {
    throw sectionError(
      node,
      `The ${name} function of section "${node.path}" threw: ${describeError(cause)}`,
      cause,
    );
  }
}

/** A rendering that failed in one section. */
export function sectionError(node: SectionNode, message: string, cause?: unknown): PromptRenderError {
  return new PromptRenderError(message, {
    ...(cause === undefined ? {} : { cause }),
    details: { section: node.path },
  });
}

interface ParamsProblem {
  readonly path: string;
  readonly issues: readonly SchemaIssue[];
}

function paramsError(prompt: string, problems: readonly ParamsProblem[]): PromptRenderError {
  const lines = problems.map(({ path, issues }) =>
    describeIssues(issues)
      .split('\n')
      .map((line) => `section "${path}": ${line}`)
      .join('\n'),
  );
  return new PromptRenderError(`The params of prompt "${prompt}" do not fit:\n${lines.join('\n')}`, {
    details: { section: problems[0]?.path, sections: problems.map(({ path }) => path) },
  });
}

function typeOf(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : value instanceof Promise
      ? 'a promise'
      : `a ${typeof value}`;
}
