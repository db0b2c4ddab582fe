import { PromptValidationError } from '../error/index.ts';
import type { ToolPolicy } from '../policy/index.ts';
import type { AnySlice } from '../session/index.ts';
import { canSummarise, type SectionNode } from './section-tree.ts';
import { VisibilityOverrides } from './visibility-overrides.ts';

/**
 * Slices that sections and policies name, and where sections have summaries what the session says of them, without duplicates, in order of first mention.
 *
 * @throws {PromptValidationError} when two different slices share a name.
 */
export function collectSlices(
  nodes: readonly SectionNode[],
  promptPolicies: readonly ToolPolicy[],
): readonly AnySlice[] {
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
  for (const { section, path } of nodes) {
    const where = `section "${path}"`;
    for (const slice of section.slices ?? []) add(slice, where);
    for (const policy of section.policies ?? []) {
      for (const slice of policy.slices ?? []) add(slice, `policy "${policy.name}"`);
    }
  }
  for (const policy of promptPolicies) {
    for (const slice of policy.slices ?? []) add(slice, `policy "${policy.name}"`);
  }
  if (canSummarise(nodes)) add(VisibilityOverrides, 'the summaries of sections');
  return Object.freeze([...slices.values()].map(({ slice }) => slice));
}
