import type { SectionPort, ToolPort } from '../../tool/index.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';

/** What there is to say of a section beside what its plan says. */
export type SectionState = Pick<SectionPort, 'isEnabled' | 'visibility'>;

/**
 * The sections of a plan as plain data, in reading order.
 *
 * @param stateOf called in that order, with what was said of the section above.
 */
export function listSections(
  plan: PromptPlan<unknown>,
  stateOf: (node: SectionNode, parent: SectionState | undefined) => SectionState,
): readonly SectionPort[] {
  const { nodes } = plan;
  const between = (start: number, end: number, parent: SectionState | undefined): readonly SectionPort[] => {
    const list: SectionPort[] = [];
    let index = start;
    while (index < end) {
      const node = nodes[index];
      if (node === undefined) break;
      const state = stateOf(node, parent);
      list.push(
        Object.freeze({
          key: node.path.slice((node.parent?.path.length ?? -1) + 1),
          title: node.section.title.trim(),
          path: node.path,
          isEnabled: state.isEnabled,
          visibility: state.visibility,
          tools: Object.freeze((plan.tools[index] ?? []).map(({ tool }): ToolPort => toPort(tool))),
          children: between(index + 1, node.end, state),
        }),
      );
      index = node.end;
    }
    return Object.freeze(list);
  };
  return between(0, nodes.length, undefined);
}

function toPort({ name, description }: ToolPort): ToolPort {
  return Object.freeze({ name, description });
}
