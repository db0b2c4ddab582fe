import { PromptValidationError } from '../../error/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import {
  type AnyResourceBinding,
  ResourceRegistry,
  type ResourceToken,
  tokenName,
} from '../../resource/index.ts';
import type { AnySlice } from '../../session/index.ts';
import type { ResourceBindings } from '../section/section.ts';
import { VisibilityOverrides } from '../visibility/visibility-overrides.ts';
import { canSummarise, type SectionNode } from './section-tree.ts';

/** The bindings as a registry. */
export function toRegistry(bindings: ResourceBindings | undefined): ResourceRegistry {
  if (bindings === undefined) return ResourceRegistry.empty;
  return bindings instanceof ResourceRegistry ? bindings : ResourceRegistry.of(bindings);
}

/**
 * Resources of a template and of its sections; the sections' win. Two sections may name one and the same binding.
 *
 * @throws {PromptValidationError} when two sections bind one token differently. {@link ResourceError}
 *   `resource-duplicate` when one list binds a token twice.
 */
export function collectResources(
  nodes: readonly SectionNode[],
  template: ResourceBindings | undefined,
): ResourceRegistry {
  const bindings = new Map<
    ResourceToken<unknown>,
    { readonly binding: AnyResourceBinding; readonly path: string }
  >();
  for (const { section, path } of nodes) {
    for (const binding of toRegistry(section.resources).bindings) {
      const other = bindings.get(binding.token);
      if (other === undefined) bindings.set(binding.token, { binding, path });
      else if (other.binding !== binding) {
        throw new PromptValidationError(
          `Sections "${other.path}" and "${path}" bind the resource "${tokenName(binding.token)}" differently; ` +
            'let both use one binding, or bind it on the template.',
          { details: { section: path, otherSection: other.path, resource: tokenName(binding.token) } },
        );
      }
    }
  }
  const ofSections = ResourceRegistry.of([...bindings.values()].map(({ binding }) => binding));
  return toRegistry(template).merge(ofSections, { strict: false });
}

/** The slices of a prompt. */
interface CollectedSlices {
  readonly slices: readonly AnySlice[];
  /** Names of those that policies alone name: what they remember. */
  readonly policySlices: ReadonlySet<string>;
}

/**
 * Slices that sections and policies name, and where sections have summaries what the session says of them, without duplicates, in order of first mention.
 *
 * @throws {PromptValidationError} when two different slices share a name.
 */
export function collectSlices(
  nodes: readonly SectionNode[],
  promptPolicies: readonly ToolPolicy[],
): CollectedSlices {
  const slices = new Map<string, { readonly slice: AnySlice; readonly where: string }>();
  const add = (slice: AnySlice, where: string): void => {
    const other = slices.get(slice.name);
    if (other === undefined) slices.set(slice.name, { slice, where });
    else if (other.slice !== slice) {
      throw new PromptValidationError(
        `Two different slices are named "${slice.name}", in ${other.where} and ${where}; define it once, or rename one.`,
        { details: { slice: slice.name } },
      );
    }
  };
  const ofSections = new Set<string>();
  for (const { section, path } of nodes) {
    const where = `section "${path}"`;
    for (const slice of section.slices ?? []) {
      add(slice, where);
      ofSections.add(slice.name);
    }
    for (const policy of section.policies ?? []) {
      for (const slice of policy.slices ?? []) add(slice, `policy "${policy.name}"`);
    }
  }
  for (const policy of promptPolicies) {
    for (const slice of policy.slices ?? []) add(slice, `policy "${policy.name}"`);
  }
  const policySlices = new Set([...slices.keys()].filter((name) => !ofSections.has(name)));
  if (canSummarise(nodes)) add(VisibilityOverrides, 'the summaries of sections');
  return { slices: Object.freeze([...slices.values()].map(({ slice }) => slice)), policySlices };
}
