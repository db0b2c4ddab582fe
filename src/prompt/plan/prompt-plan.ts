import type { ResourceRegistry } from '../../resource/index.ts';
import type { AnySlice } from '../../session/index.ts';
import type { PromptIdentity } from '../section/identity.ts';
import type { SectionTools, ToolsBySection } from './bind-tools.ts';
import type { PromptOutput } from './prompt-output.ts';
import type { SectionNode } from './section-tree.ts';
import type { PromptParams } from './shared-params.ts';

/** Everything about a template that does not depend on params or session; made once, shared by its prompts. */
export interface PromptPlan<out Output> {
  readonly identity: PromptIdentity;
  /** Sections in reading order. */
  readonly nodes: readonly SectionNode[];
  /** Where each section stands among them, by its path. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly params: PromptParams;
  readonly tools: ToolsBySection;
  /** Names of all of them, and of what opens and reads sections where there are summaries. */
  readonly toolNames: ReadonlySet<string>;
  /** What opens and reads summarised sections. */
  readonly sectionTools: SectionTools;
  readonly slices: readonly AnySlice[];
  /** Resources of template and sections. */
  readonly resources: ResourceRegistry;
  readonly output: PromptOutput<Output> | undefined;
}
