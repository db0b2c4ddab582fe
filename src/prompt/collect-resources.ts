import { PromptValidationError } from '../error/index.ts';
import { type AnyBinding, ResourceRegistry, type Token, tokenName } from '../resource/index.ts';
import type { ResourceBindings } from './section.ts';
import type { SectionNode } from './section-tree.ts';

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
  const bindings = new Map<Token<unknown>, { readonly binding: AnyBinding; readonly path: string }>();
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
