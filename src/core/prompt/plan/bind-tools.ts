import { PromptValidationError } from '../../error/index.ts';
import { none, once } from '../../internal/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import { openSections, readSection, sectionToolNames } from '../visibility/section-tools.ts';
import { type BoundTool, toBoundTool } from './bound-tool.ts';
import { checkPolicies, type GovernedTool, type PlacedPolicy, placePolicies } from './check-policies.ts';
import { checkProviderTools, policiesOfReplaced } from './check-provider-tools.ts';
import { canSummarise, type SectionNode } from './section-tree.ts';

/** What opens and what reads summarised sections, governed by the policies of the whole prompt. */
export interface SectionTools {
  readonly open: BoundTool;
  readonly read: BoundTool;
}

/** Tools of each section, at the section's index in the tree, with the policies that govern them. */
export type ToolsBySection = readonly (readonly BoundTool[])[];

/** The tools of a prompt. */
export interface BoundTools {
  readonly tools: ToolsBySection;
  readonly sectionTools: () => SectionTools;
  /** Names of all of them; of those that open and read sections where there are summaries. */
  readonly toolNames: ReadonlySet<string>;
  /** Name of the first one with `once`; undefined: there is none. */
  readonly onceTool: string | undefined;
  /** Names of those that no model gets but in the shape of its vendor. */
  readonly typedOnly: ReadonlySet<string>;
}

/**
 * Ties every tool to its section and its policies: the section's own first, then its ancestors' from the inside out,
 * then the prompt's; and to the policies elsewhere that depend on it.
 *
 * @throws {PromptValidationError} for a value that is not a tool, two tools or hosted tools with one name, a tool named as one
 *   that opens or reads sections in a prompt that has summaries, policies that {@link checkPolicies} refuses, and provider tools that {@link checkProviderTools} does.
 * @see docs/spec/prompt.md §3
 */
export function bindTools(nodes: readonly SectionNode[], promptPolicies: readonly ToolPolicy[]): BoundTools {
  checkToolNames(nodes);
  const governing = new Map<SectionNode, readonly ToolPolicy[]>();
  for (const node of nodes) {
    const inherited = (node.parent && governing.get(node.parent)) ?? promptPolicies;
    const own = node.section.policies ?? [];
    governing.set(node, own.length === 0 ? inherited : Object.freeze([...own, ...inherited]));
  }
  const named = new Map<string, GovernedTool>();
  for (const each of canSummarise(nodes) ? [openSections(), readSection()] : []) {
    named.set(each.name, { tool: each, policies: promptPolicies });
  }
  for (const node of nodes) {
    const policies = governing.get(node) ?? promptPolicies;
    for (const tool of node.section.tools ?? []) named.set(tool.name, { tool, policies, path: node.path });
  }
  checkProviderTools(nodes, named);
  for (const [name, added] of policiesOfReplaced(nodes, named)) {
    const known = named.get(name);
    if (known !== undefined) named.set(name, { ...known, policies: added });
  }
  const placed = placePolicies(nodes, promptPolicies);
  checkPolicies(nodes, placed, named);
  const recording = recordingPolicies(placed, named);
  const bind = (tool: AnyTool, sectionPath: string, policies: readonly ToolPolicy[]): BoundTool =>
    toBoundTool({ tool, sectionPath, policies, recordingPolicies: recording.get(tool.name) ?? none });
  return {
    toolNames: new Set(named.keys()),
    typedOnly: new Set(
      nodes.flatMap(({ section }) =>
        (section.providerTools ?? none).flatMap(({ typedOnly }) => typedOnly ?? none),
      ),
    ),
    onceTool: [...named.values()].find(({ tool }) => tool.once !== undefined)?.tool.name,
    tools: nodes.map((node) =>
      (node.section.tools ?? []).map((tool) =>
        bind(tool, node.path, named.get(tool.name)?.policies ?? promptPolicies),
      ),
    ),
    sectionTools: once(() =>
      Object.freeze({
        open: bind(openSections(), '', promptPolicies),
        read: bind(readSection(), '', promptPolicies),
      }),
    ),
  };
}

/** By tool, the policies that depend on it without governing it. */
function recordingPolicies(
  placed: readonly PlacedPolicy[],
  tools: ReadonlyMap<string, GovernedTool>,
): ReadonlyMap<string, readonly ToolPolicy[]> {
  const recording = new Map<string, readonly ToolPolicy[]>();
  for (const { policy } of placed) {
    for (const name of new Set(Object.values(policy.dependencies ?? {}).flat())) {
      if (tools.get(name)?.policies.includes(policy) === true) continue;
      recording.set(name, Object.freeze([...(recording.get(name) ?? []), policy]));
    }
  }
  return recording;
}

/** Names that tools of sections cannot have. */
function reservedNames(nodes: readonly SectionNode[]): readonly string[] {
  return canSummarise(nodes) ? Object.values(sectionToolNames) : [];
}

function checkToolNames(nodes: readonly SectionNode[]): void {
  const owners = new Map<string, string>();
  const reserved = reservedNames(nodes);
  for (const { section, path } of nodes) {
    for (const [tools, type, maker] of [
      [section.tools ?? [], 'tool', 'tool()'],
      [section.hostedTools ?? [], 'hosted-tool', 'hostedTool()'],
    ] as const) {
      for (const tool of tools) {
        if (tool?.type !== type) {
          throw new PromptValidationError(
            `Section "${path}" lists something among its ${type}s that is not a ${type}; make it with ${maker}.`,
            { details: { section: path } },
          );
        }
        if (reserved.includes(tool.name)) {
          throw new PromptValidationError(
            `Section "${path}" has a tool named "${tool.name}", the name of the tool that gives the model access to ` +
              'summarised sections; rename it, or take the summaries out of the prompt.',
            { details: { section: path, tool: tool.name } },
          );
        }
        const owner = owners.get(tool.name);
        if (owner !== undefined) {
          throw new PromptValidationError(
            `Sections "${owner}" and "${path}" both bring a tool named "${tool.name}"; tool names are unique in a prompt.`,
            { details: { section: path, otherSection: owner, tool: tool.name } },
          );
        }
        owners.set(tool.name, path);
      }
    }
  }
}
