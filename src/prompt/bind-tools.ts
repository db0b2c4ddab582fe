import { PromptValidationError } from '../error/index.ts';
import type { ToolPolicy } from '../policy/index.ts';
import type { BoundTool } from './rendered-prompt.ts';
import { openSections, readSection } from './section-tools.ts';
import { canSummarise, type SectionNode } from './section-tree.ts';

/** Tools of each section, at the section's index in the tree, with the policies that govern them. */
export type ToolsBySection = readonly (readonly BoundTool[])[];

/**
 * Ties every tool to its section and its policies: the section's own first, then its ancestors' from the inside out,
 * then the prompt's.
 *
 * @throws {PromptValidationError} for something that is no tool, two tools or hosted tools with one name, two policies with
 *   one name, a tool named as one that opens or reads sections in a prompt that has summaries, a policy whose `dependencies` name a tool that
 *   the prompt does not have, or a hosted one.
 * @see spec TOOLS "Registration Lifecycle"
 */
export function bindTools(
  nodes: readonly SectionNode[],
  promptPolicies: readonly ToolPolicy[],
): ToolsBySection {
  checkToolNames(nodes);
  const policies = new Map<SectionNode, readonly ToolPolicy[]>();
  const bound = nodes.map((node) => {
    const inherited = (node.parent && policies.get(node.parent)) ?? promptPolicies;
    const own = node.section.policies ?? [];
    const governing = own.length === 0 ? inherited : Object.freeze([...own, ...inherited]);
    policies.set(node, governing);
    return (node.section.tools ?? []).map((tool) =>
      Object.freeze({ tool, sectionPath: node.path, policies: governing }),
    );
  });
  const names = bound.flat().map(({ tool }) => tool.name);
  checkPolicies(nodes, promptPolicies, new Set([...names, ...reservedNames(nodes)]));
  return bound;
}

/** Names that tools of sections cannot have. */
function reservedNames(nodes: readonly SectionNode[]): readonly string[] {
  return canSummarise(nodes) ? [openSections.name, readSection.name] : [];
}

function checkToolNames(nodes: readonly SectionNode[]): void {
  const owners = new Map<string, string>();
  const reserved = reservedNames(nodes);
  for (const { section, path } of nodes) {
    for (const [tools, kind, maker] of [
      [section.tools ?? [], 'tool', 'tool()'],
      [section.hostedTools ?? [], 'hosted-tool', 'hostedTool()'],
    ] as const) {
      for (const tool of tools) {
        if (tool?.kind !== kind) {
          throw new PromptValidationError(
            `Section "${path}" lists something among its ${kind}s that is none; make it with ${maker}.`,
            { details: { section: path } },
          );
        }
        if (reserved.includes(tool.name)) {
          throw new PromptValidationError(
            `Section "${path}" brings a tool named "${tool.name}", the name of the tool by which the model gets at ` +
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

function checkPolicies(
  nodes: readonly SectionNode[],
  promptPolicies: readonly ToolPolicy[],
  toolNames: ReadonlySet<string>,
): void {
  const owners = new Map<string, string>();
  const check = (policy: ToolPolicy, where: string, details: Readonly<Record<string, string>>): void => {
    const name: unknown = policy?.name;
    if (typeof name !== 'string' || name.trim() === '') {
      throw new PromptValidationError(
        `A policy of ${where} has no name; give it one that is unique in the prompt.`,
        {
          details,
        },
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
    const missing = dependencyNames(policy).find((tool) => !toolNames.has(tool));
    if (missing !== undefined) {
      const isHosted = nodes.some(({ section }) =>
        section.hostedTools?.some((tool) => tool.name === missing),
      );
      const why = isHosted
        ? 'which the provider runs: no policy gets to see it'
        : `which the prompt does not have; its tools are ${[...toolNames].map((tool) => `"${tool}"`).join(', ') || 'none'}`;
      throw new PromptValidationError(
        `Policy "${name}" of ${where} depends on the tool "${missing}", ${why}.`,
        { details: { ...details, policy: name, tool: missing } },
      );
    }
  };
  for (const { section, path } of nodes) {
    for (const policy of section.policies ?? []) check(policy, `section "${path}"`, { section: path });
  }
  for (const policy of promptPolicies) check(policy, 'the prompt', {});
}

/** Tools that a policy names in its `dependencies`. */
function dependencyNames({ dependencies = {} }: ToolPolicy): readonly string[] {
  return Object.entries(dependencies).flatMap(([tool, before]) => [tool, ...before]);
}
