import {
  assertOptions,
  listOf,
  matching,
  oneOf,
  PromptValidationError,
  required,
} from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { ProviderTool } from '../../tool/index.ts';
import type { GovernedTool } from './check-policies.ts';
import type { SectionNode } from './section-tree.ts';

/**
 * @param tools all tools of the prompt, by name.
 * @throws {PromptValidationError} for a value that is not a provider tool, two of one kind, and one whose tools the prompt does not have.
 */
export function checkProviderTools(nodes: readonly SectionNode[], tools: ReadonlyMap<string, unknown>): void {
  const owners = new Map<string, string>();
  for (const { path, section } of nodes) {
    for (const tool of section.providerTools ?? none) {
      assertShape(tool, path);
      const { from, kind, replaces, uses } = tool;
      const owner = owners.get(kind);
      if (owner !== undefined) {
        throw new PromptValidationError(
          `Sections "${owner}" and "${path}" both bring the provider tool "${kind}"; keep one of them.`,
          { details: { section: path, otherSection: owner, kind } },
        );
      }
      owners.set(kind, path);
      const missing = [...uses, ...replaces].find((name) => !tools.has(name));
      if (missing === undefined) continue;
      throw new PromptValidationError(
        `The section "${path}" brings the provider tool "${kind}", whose calls need the tool "${missing}" of the prompt, and no section has it. Add ${from ?? 'the section that brings it'}.`,
        { details: { section: path, kind, tool: missing } },
      );
    }
  }
}

function assertShape(tool: ProviderTool, path: string): void {
  const names = listOf<string>((name) => typeof name === 'string' && name !== '', 'a list of names of tools');
  assertOptions<ProviderTool>(`a provider tool of the section "${path}"`, tool, {
    type: required(oneOf(['provider-tool'])),
    kind: required(
      matching(/^[a-z0-9_-]{1,64}\.[a-z0-9_-]{1,64}$/, 'a vendor and its shape, such as "openai.shell"'),
    ),
    config: 'object!',
    uses: required(names),
    replaces: required(names),
    typedOnly: names,
    from: 'string',
  });
}

/**
 * The policies of tools that a model gets in the place of others: with their own, those of the tools whose place they take, so that no shape of a vendor gets around a rule. What only
 * reads replaces nothing.
 *
 * @throws {PromptValidationError} for a policy that has one of the others wait for tools by its name, and does not name the one in its place.
 */
export function policiesOfReplaced(
  nodes: readonly SectionNode[],
  tools: ReadonlyMap<string, GovernedTool>,
): ReadonlyMap<string, readonly ToolPolicy[]> {
  const governed = new Map<string, readonly ToolPolicy[]>();
  for (const { kind, replaces, typedOnly = none } of providerToolsOf(nodes)) {
    for (const name of typedOnly) {
      const own = tools.get(name);
      if (own === undefined || own.tool.effects === 'read') continue;
      const policies = new Set(own.policies);
      for (const replaced of replaces) {
        for (const policy of tools.get(replaced)?.policies ?? none) {
          if (waitsByName(policy, replaced) && !waitsByName(policy, name))
            throw namesOnlyOne(policy, { kind, name, replaced });
          policies.add(policy);
        }
      }
      governed.set(name, Object.freeze([...policies]));
    }
  }
  return governed;
}

function providerToolsOf(nodes: readonly SectionNode[]): readonly ProviderTool[] {
  return nodes.flatMap(({ section }) => section.providerTools ?? none);
}

function waitsByName({ dependencies = {} }: ToolPolicy, name: string): boolean {
  return Object.hasOwn(dependencies, name);
}

function namesOnlyOne(
  { name: policy }: ToolPolicy,
  { kind, name, replaced }: { readonly kind: string; readonly name: string; readonly replaced: string },
): PromptValidationError {
  return new PromptValidationError(
    `The policy "${policy}" has the tool "${replaced}" wait for others, and not "${name}", which takes its place for models with the provider tool "${kind}". Give "${name}" the same dependencies.`,
    { details: { policy, tool: name, kind } },
  );
}
