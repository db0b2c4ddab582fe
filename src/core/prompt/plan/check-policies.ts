import { describeKind, PromptValidationError } from '../../error/index.ts';
import { nearestNames, present } from '../../internal/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import type { SectionNode } from './section-tree.ts';

/** A policy with where it is: a section, or the prompt itself. */
export interface PlacedPolicy {
  readonly policy: ToolPolicy;
  /** The section; undefined: the prompt. */
  readonly node: SectionNode | undefined;
}

/** A tool of the prompt with the policies that judge its calls. */
export interface GovernedTool {
  readonly tool: AnyTool;
  readonly policies: readonly ToolPolicy[];
  /** Path of the section that provides it; undefined for the tools that open and read sections. */
  readonly path?: string;
}

/** Every policy, those of sections first. */
export function placePolicies(
  nodes: readonly SectionNode[],
  promptPolicies: readonly ToolPolicy[],
): readonly PlacedPolicy[] {
  return [
    ...nodes.flatMap((node) => (node.section.policies ?? []).map((policy) => ({ policy, node }))),
    ...promptPolicies.map((policy) => ({ policy, node: undefined })),
  ];
}

/**
 * Refuses policies that could never do what they say.
 *
 * @param tools every tool of the prompt by its name, hosted ones left out
 * @throws {PromptValidationError} for a policy without a name, two with one name, one that has no function that is called, or one with a misspelled name, one with an invalid `scope`, one on a section without tools, and one whose
 *   `dependencies` name a tool that the prompt does not have, guard one that the policy does not cover, or need one that
 *   the runtime never runs.
 */
export function checkPolicies(
  nodes: readonly SectionNode[],
  placed: readonly PlacedPolicy[],
  tools: ReadonlyMap<string, GovernedTool>,
): void {
  const owners = new Map<string, string>();
  const covering = new Set([...tools.values()].flatMap(({ policies }) => policies));
  for (const { policy, node } of placed) {
    const where = node === undefined ? 'the prompt' : `section "${node.path}"`;
    const details = node === undefined ? {} : { section: node.path };
    const name: unknown = policy?.name;
    if (typeof name !== 'string' || name.trim() === '') {
      throw new PromptValidationError(
        `A policy of ${where} has no name; give it one that is unique in the prompt.`,
        { details },
      );
    }
    const owner = owners.get(name);
    if (owner !== undefined) {
      throw new PromptValidationError(
        `Both ${owner} and ${where} have a policy named "${name}"; name one of them otherwise, ` +
          'or put it once on a section above both.',
        { details: { ...details, policy: name } },
      );
    }
    owners.set(name, where);
    const problem =
      memberProblem(policy) ??
      scopeProblem(policy) ??
      dependencyProblem(policy, { nodes, tools }) ??
      coverageProblem(policy, node, covering);
    if (problem === undefined) continue;
    throw new PromptValidationError(`Policy "${name}" of ${where} ${problem.message}.`, {
      details: { ...details, policy: name, ...present({ tool: problem.tool }) },
    });
  }
}

const hooks = ['check', 'checkChanges', 'onResult'] as const;

/** A rule whose function has a misspelled name would allow everything. Other members are the policy's own. */
function memberProblem(policy: ToolPolicy): Problem | undefined {
  const wrong = hooks.find((hook) => policy[hook] !== undefined && typeof policy[hook] !== 'function');
  if (wrong !== undefined)
    return { message: `must have a function as ${wrong}, not ${describeKind(policy[wrong])}` };
  for (const [name, value] of Object.entries(policy)) {
    if (typeof value !== 'function' || hooks.some((hook) => hook === name)) continue;
    const near = nearestNames(name, hooks)[0];
    if (near !== undefined)
      return { message: `has the function "${name}", which is not called; rename it, or write "${near}"` };
  }
  if (hooks.some((hook) => policy[hook] !== undefined)) return undefined;
  return { message: `has none of the functions ${hooks.join(', ')}: it would never judge a call` };
}

/** A policy may be written without types. */
function scopeProblem({ scope }: { readonly scope?: unknown }): Problem | undefined {
  if (scope === undefined || scope === 'subtree' || scope === 'own') return undefined;
  return { message: `must have the scope 'subtree' or 'own', not ${JSON.stringify(scope)}` };
}

interface Problem {
  readonly message: string;
  readonly tool?: string;
}

/** The first name in the `dependencies` that they can do nothing with. */
function dependencyProblem(
  policy: ToolPolicy,
  prompt: { readonly nodes: readonly SectionNode[]; readonly tools: ReadonlyMap<string, GovernedTool> },
): Problem | undefined {
  for (const [guarded, needed] of Object.entries(policy.dependencies ?? {})) {
    for (const name of [guarded, ...needed]) {
      const known = prompt.tools.get(name);
      if (known === undefined) {
        return { tool: name, message: `depends on the tool "${name}", ${whyUnknown(name, prompt)}` };
      }
      if (name === guarded ? known.policies.includes(policy) : known.tool.execute !== undefined) continue;
      return { tool: name, message: name === guarded ? notCovered(name, known) : neverRun(name) };
    }
  }
  return undefined;
}

function whyUnknown(
  name: string,
  { nodes, tools }: { readonly nodes: readonly SectionNode[]; readonly tools: ReadonlyMap<string, unknown> },
): string {
  const isHosted = nodes.some(({ section }) => section.hostedTools?.some((tool) => tool.name === name));
  if (isHosted) return 'which the provider runs: no policy gets to see it';
  const names = [...tools.keys()].map((known) => `"${known}"`);
  return `which the prompt does not have; its tools are ${names.join(', ') || 'none'}`;
}

function notCovered(name: string, { path }: GovernedTool): string {
  const rule = `has a rule for the tool "${name}"${path === undefined ? '' : ` of section "${path}"`}`;
  const place =
    path === undefined ? 'Put it on the template' : 'Put it on the template, or on a section above both';
  return `${rule}, whose calls it is not asked about. ${place}`;
}

function neverRun(name: string): string {
  return `depends on the tool "${name}", which has no handler, so no call of it can succeed`;
}

/** A section that is meant to hold rules for others guards nothing. */
function coverageProblem(
  policy: ToolPolicy,
  node: SectionNode | undefined,
  covering: ReadonlySet<ToolPolicy>,
): Problem | undefined {
  if (node === undefined || covering.has(policy)) return undefined;
  return {
    message:
      'covers no tool: neither that section nor one below it has any. ' +
      'Put it on the section of the tools it is about, on one above, or on the template',
  };
}
