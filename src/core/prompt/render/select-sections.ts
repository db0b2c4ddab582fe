import { describeError, PromptRenderError } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
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
  /** Only the summary is shown; no descendant and no tool of it is. */
  readonly isSummary: boolean;
}

/** A selected section with what its schema made of its params; `{}` without a schema. */
export interface SectionWithParams extends SelectedSection {
  readonly params: unknown;
}

/** What to select for. */
export interface SelectionOptions {
  readonly plan: PromptPlan<unknown>;
  readonly raw: DynamicParams;
  /** Called when a section's function has to see the session. */
  readonly session: () => ReadOnlyView;
  /** Visibility that wins over what a section with a summary says of itself; undefined: the section decides. */
  readonly override: (node: SectionNode) => Visibility | undefined;
  /** A part of the tree: the section at this index with what is below it. Default: everything. */
  readonly at?: number;
  /** Paths of sections that are shown in full, regardless of their visibility. Default: none. */
  readonly inFull?: ReadonlySet<string>;
}

/**
 * Decides which sections are in the text, in reading order. For each: is it enabled (before its params are required), is it shown in
 * full. Params are parsed only where visibility depends on them.
 *
 * @throws {PromptRenderError} naming each section whose params are missing or wrong, the one whose function threw, or one whose
 *   visibility depends on params that are validated asynchronously.
 */
export function selectSections(options: SelectionOptions): readonly SelectedSection[] {
  const walk = new Walk(options);
  for (let node = walk.next(); node !== undefined; node = walk.next()) {
    const parsing = parseParams(node, options);
    if (parsing instanceof Promise) {
      throw sectionError(
        node,
        `The visibility of section "${node.path}" depends on params that are validated asynchronously; use render().`,
      );
    }
    walk.decide(node, parsing);
  }
  throwProblems(options, walk.problems);
  return walk.selected;
}

/**
 * Selects, with the params of every section in the text.
 *
 * @throws {PromptRenderError} as {@link selectSections}, except that it waits for params that are validated asynchronously.
 */
export async function completeSelection(options: SelectionOptions): Promise<readonly SectionWithParams[]> {
  const walk = new Walk(options);
  const parsed = new Map<SectionNode, ParseOutcome<unknown>>();
  for (let node = walk.next(); node !== undefined; node = walk.next()) {
    const parsing = parseParams(node, options);
    // Awaited only where it must be, so that all sections see the session at one moment.
    const outcome = parsing instanceof Promise ? await parsing : parsing;
    parsed.set(node, outcome);
    walk.decide(node, outcome);
  }
  const { selected, problems } = walk;
  const complete: SectionWithParams[] = [];
  for (const { index, node, isSummary } of selected) {
    const parsing = parsed.get(node) ?? parseParams(node, options);
    // A wait for each of many sections would cost more than their params.
    const outcome = parsing instanceof Promise ? await parsing : parsing;
    if (outcome.ok) complete.push({ index, node, isSummary, params: outcome.value });
    else problems.push({ index, path: node.path, issues: outcome.issues });
  }
  throwProblems(options, problems);
  return complete;
}

const noParams: ParseOutcome<unknown> = { ok: true, value: {} };

function parseParams(
  node: SectionNode,
  { plan, raw }: SelectionOptions,
): ParseOutcome<unknown> | Promise<ParseOutcome<unknown>> {
  return node.params === undefined
    ? noParams
    : parseInput(node.params.compiled, ownParams(node, raw, plan.params));
}

/** Goes through the sections in reading order; its caller parses params, and so says whether it waits for them. */
class Walk {
  readonly selected: SelectedSection[] = [];
  readonly problems: ParamsProblem[] = [];
  readonly #options: SelectionOptions;
  readonly #end: number;
  #index: number;

  constructor(options: SelectionOptions) {
    const { plan, at } = options;
    this.#options = options;
    this.#index = at ?? 0;
    this.#end = (at === undefined ? undefined : plan.nodes[at]?.end) ?? plan.nodes.length;
  }

  /** Decides up to the next section whose visibility depends on its params, which {@link decide} needs; undefined at the end. */
  next(): SectionNode | undefined {
    const { plan, raw, session } = this.#options;
    while (this.#index < this.#end) {
      const node = plan.nodes[this.#index];
      if (node === undefined) return undefined;
      if (isEnabled(node, raw, session)) {
        const decided = decidedVisibility(node, this.#options);
        if (decided === undefined) return node;
        this.#select(node, decided);
      } else this.#index = node.end;
    }
    return undefined;
  }

  decide(node: SectionNode, params: ParseOutcome<unknown>): void {
    if (params.ok) {
      this.#select(node, askVisibility(node, params.value, this.#options.session));
      return;
    }
    // Whether the descendants are shown is unknown, so their params are not requested.
    this.problems.push({ index: this.#index, path: node.path, issues: params.issues });
    this.#index = node.end;
  }

  #select(node: SectionNode, visibility: unknown): void {
    const isSummary = isSummarised(node, visibility);
    this.selected.push({ index: this.#index, node, isSummary });
    this.#index = isSummary ? node.end : this.#index + 1;
  }
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
function callSection<Result>(node: SectionNode, name: string, call: () => Result): Result {
  try {
    return call();
  } catch (cause) {
    throw threw(node, name, cause);
  }
}

/** {@link callSection} for a function that may return a promise. */
export async function awaitSection<Result>(
  node: SectionNode,
  name: string,
  call: () => Result | PromiseLike<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    throw threw(node, name, cause);
  }
}

function threw(node: SectionNode, name: string, cause: unknown): PromptRenderError {
  const message = `The ${name} function of section "${node.path}" threw: ${describeError(cause)}`;
  return sectionError(node, message, cause);
}

/** A rendering that failed in one section. */
export function sectionError(node: SectionNode, message: string, cause?: unknown): PromptRenderError {
  return new PromptRenderError(message, {
    ...present({ cause }),
    details: { section: node.path },
  });
}

interface ParamsProblem {
  readonly index: number;
  readonly path: string;
  readonly issues: readonly SchemaIssue[];
}

function throwProblems({ plan }: SelectionOptions, problems: readonly ParamsProblem[]): void {
  if (problems.length === 0) return;
  const ordered = [...problems].sort((left, right) => left.index - right.index);
  const lines = ordered.map(({ path, issues }) =>
    describeIssues(issues)
      .split('\n')
      .map((line) => `section "${path}": ${line}`)
      .join('\n'),
  );
  throw new PromptRenderError(
    `The params of prompt "${plan.identity.name}" do not fit:\n${lines.join('\n')}`,
    {
      details: { section: ordered[0]?.path, sections: ordered.map(({ path }) => path) },
    },
  );
}

function typeOf(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : value instanceof Promise
      ? 'a promise'
      : `a ${typeof value}`;
}
