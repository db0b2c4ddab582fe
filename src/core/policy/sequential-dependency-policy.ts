import { assertArgument, assertOptions, PromptValidationError } from '../error/index.ts';
import { present, quotedList } from '../internal/index.ts';
import type { SectionPort } from '../tool/index.ts';
import { PolicyDecision } from './policy-decision.ts';
import { findFact, PolicyFacts, PolicyState, recordFact } from './policy-state.ts';
import type { ToolPolicy } from './tool-policy.ts';

/** Options of {@link sequentialDependencyPolicy}. */
export interface SequentialDependencyPolicyOptions {
  /** Unique in a prompt. Default `sequential-dependency`. */
  readonly name?: string;
  /** Tool → the tools that must have succeeded before it. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
  /** Which calls it is asked about; see `ToolPolicy`. Default: `'subtree'`. */
  readonly scope?: ToolPolicy['scope'];
}

/**
 * Requires that some tools have succeeded, in an earlier call of the session, before another may be called. The tools that wait are those that
 * the policy covers: of its section and of those below it, or all when it belongs to the template. What they wait for may be anywhere in
 * the prompt, or in evaluations inside calls that the policy covers.
 *
 * ```ts
 * import { promptTemplate, section, sequentialDependencyPolicy, ToolResult, tool } from 'weakincentives';
 *
 * const step = (name: string) =>
 *   tool({ name, description: `The step ${name}.`, effects: 'state', execute: () => ToolResult.ok(name) });
 * const release = section({ title: 'Release', key: 'release', template: 'Release.', tools: [step('test'), step('deploy')] });
 * export const template = promptTemplate({
 *   ns: 'docs',
 *   key: 'release',
 *   sections: [release],
 *   policies: [sequentialDependencyPolicy({ dependencies: { deploy: ['test'] } })],
 * });
 * ```
 *
 * @throws {PromptValidationError} when no tool waits for another, or one would need itself, directly or through others. `promptTemplate()` throws
 *   it for names that the prompt does not have, a tool that the policy does not cover, and one that the runtime never runs.
 * @see docs/spec/policies.md §6
 */
export function sequentialDependencyPolicy(options: SequentialDependencyPolicyOptions): ToolPolicy {
  assertOptions('sequentialDependencyPolicy()', options, {
    name: 'string',
    dependencies: 'object!',
    scope: 'any',
  });
  const { name = 'sequential-dependency', scope } = options;
  const required = new Map<string, readonly string[]>();
  for (const [tool, needed] of Object.entries(options.dependencies)) {
    assertArgument('sequentialDependencyPolicy()', `dependencies.${tool}`, needed, 'array');
    required.set(tool, [...new Set(needed)].sort());
  }
  assertNotEmpty(name, required);
  assertNoCycle(name, required);
  return Object.freeze({
    name,
    ...present({ scope }),
    slices: Object.freeze([PolicyFacts, PolicyState]),
    dependencies: Object.freeze(Object.fromEntries(required)),
    check: ({ tool }, context) => {
      const needed = required.get(tool.name);
      if (needed === undefined) return PolicyDecision.allow();
      const missing = needed.filter((candidate) => findFact(context.session, name, candidate) === undefined);
      if (missing.length === 0) return PolicyDecision.allow();
      const which = quotedList(missing);
      const how = howToCall(missing, context.prompt.sections());
      return PolicyDecision.deny(`"${tool.name}" may be called only after ${which} succeeded. ${how}`);
    },
    digest: (session) => {
      const succeeded = session.slice(PolicyState).where(({ policyName }) => policyName === name);
      const tools = succeeded.flatMap(({ invokedTools }) => invokedTools);
      return tools.length === 0 ? '' : `Have succeeded: ${tools.join(', ')}.`;
    },
    onResult: ({ tool }, _result, { session }) => recordFact(session, { policyName: name, tool: tool.name }),
  } satisfies ToolPolicy);
}

function assertNotEmpty(name: string, required: ReadonlyMap<string, readonly string[]>): void {
  if ([...required.values()].some((needed) => needed.length > 0)) return;
  throw new PromptValidationError(
    `The policy "${name}" has no tool that waits for another; name in \`dependencies\` which tool needs which, such as { deploy: ['test'] }.`,
    { details: { policy: name } },
  );
}

function assertNoCycle(name: string, required: ReadonlyMap<string, readonly string[]>): void {
  const cleared = new Set<string>();
  const path: string[] = [];
  const visit = (tool: string): void => {
    if (cleared.has(tool)) return;
    const start = path.indexOf(tool);
    if (start >= 0) {
      const cycle = [...path.slice(start), tool].join(' -> ');
      throw new PromptValidationError(
        `The policy "${name}" makes tools wait for each other, so none of them could ever be called: ${cycle}. Take one dependency out.`,
        { details: { policy: name, tool } },
      );
    }
    path.push(tool);
    for (const needed of required.get(tool) ?? []) visit(needed);
    path.pop();
    cleared.add(tool);
  };
  for (const tool of required.keys()) visit(tool);
}

/** Where a tool is that the model cannot call at present. */
interface Place {
  /** The section that brings it. */
  readonly path: string;
  /** The outermost section around it that is summarized; undefined where it is disabled. */
  readonly closed: string | undefined;
}

/**
 * What a model has to do to call tools, in sentences: it may first have to open their sections, and a tool of a section that is disabled cannot be
 * called in this run.
 *
 * @param names at least one; one that no section brings, such as that of an outer prompt, is taken to be there.
 */
function howToCall(names: readonly string[], sections: readonly SectionPort[]): string {
  const sentences: string[] = [];
  const callable: string[] = [];
  for (const name of names) {
    const place = findPlace(name, sections);
    if (place === undefined) callable.push(name);
    else if (place.closed === undefined) {
      sentences.push(
        `"${name}" is not available in this run, since the section "${place.path}" is disabled. Continue without.`,
      );
    } else sentences.push(`Open the section "${place.closed}" to get "${name}", and call it.`);
  }
  if (callable.length === names.length) return `Call ${names.length === 1 ? 'it' : 'them'} first.`;
  if (callable.length > 0) sentences.unshift(`Call ${quotedList(callable)} first.`);
  return sentences.join(' ');
}

/** @returns undefined when the tool can be called, and when no section brings it. */
function findPlace(name: string, sections: readonly SectionPort[], closed?: string): Place | undefined {
  for (const { path, isEnabled, visibility, tools, children } of sections) {
    const outer = closed ?? (visibility === 'summary' ? path : undefined);
    if (tools.some((tool) => tool.name === name)) {
      if (!isEnabled) return { path, closed: undefined };
      return visibility === 'full' ? undefined : { path, closed: outer ?? path };
    }
    const below = findPlace(name, children, outer);
    if (below !== undefined) return below;
  }
  return undefined;
}
