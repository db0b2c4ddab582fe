import type { ReadonlySessionView } from '../../session/index.ts';
import type {
  AnyTool,
  DeadlinePort,
  HostedTool,
  ProviderTool,
  SectionPort,
  ShownSection,
} from '../../tool/index.ts';
import type { DroppedOverride } from '../override/dropped-override.ts';
import type { BoundTool } from '../plan/bound-tool.ts';
import type { PromptDescriptor } from '../plan/descriptors.ts';
import type { PromptOutput } from '../plan/prompt-output.ts';
import type { ToolParamDescriptions } from '../plan/tool-param-descriptions.ts';
import type { SectionAccess } from '../visibility/section-tools.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { BoundPlan } from './chosen-section.ts';
import type { SectionTextContext } from './openable-sections.ts';

/** The sections of a rendered prompt, for those that come in later. @internal */
export interface RenderedSections extends SectionAccess {
  /** All sections, as the model has them at present. */
  list(session: ReadonlySessionView): readonly SectionPort[];
  /** What `choosableSections` and `chosenText` take. */
  readonly source: BoundPlan;
  /** Sections that the session shows or hides without effect: they have no summary, or there are none. Reads all of the slice. */
  idleOverrides(session: ReadonlySessionView): readonly string[];
  /** The prompt with the tools of opened sections after all others. @param shown what one call showed. */
  withShown(shown: readonly { readonly section: string; readonly visibility: Visibility }[]): RenderedPrompt;
  /**
   * The text of sections as a call has shown it, rendered again.
   *
   * @throws {PromptRenderError} naming the section.
   */
  textOf(shown: readonly ShownSection[], context: SectionTextContext): Promise<string>;
  /** Tools of the sections that are not shown in full from the start and can be opened, in the order of the sections. */
  openable(): readonly BoundTool[];
  /** Names of the tools of sections that were shown in full. */
  toolNamesOf(shown: readonly ShownSection[]): readonly string[];
  /** From here on sections that are open can be read again: what showed them has left the conversation. */
  allowReadingAgain(): void;
  /** Names of the tools of all sections that no model gets but in the shape of its vendor. */
  readonly typedOnly: ReadonlySet<string>;
  /** What opens sections, whether the prompt shows it or not. */
  readonly opener: BoundTool;
}

/**
 * What one rendering yields: everything an adapter sends, and what the runtime needs to execute the calls that come back.
 *
 * @see docs/spec/prompt.md §6
 */
export interface RenderedPrompt<out Output = unknown> {
  /** The instructions (system text). */
  readonly text: string;
  /**
   * Tools of the enabled sections that are shown in full, in order of declaration; then, when something is summarised, what
   * opens or reads it; then, in a run, the tools of sections that were opened, in the order in which they were.
   */
  readonly tools: readonly AnyTool[];
  /** The same tools by name. */
  readonly boundTools: ReadonlyMap<string, BoundTool>;
  /** Hosted tools of the same sections, in the same order. */
  readonly hostedTools: readonly HostedTool[];
  /** Provider tools of the same sections whose tools are among `tools`. */
  readonly providerTools: readonly ProviderTool[];
  /** Descriptions of parameters: by tool name, then parameter name. */
  readonly toolParamDescriptions: ToolParamDescriptions;
  /** The structured answer asked for; absent when the answer is text. */
  readonly output?: PromptOutput<Output>;
  /** Identity, and hashes of the rendered text; made when it is first read. */
  readonly descriptor: PromptDescriptor;
  /** Overrides that were not applied, and why. */
  readonly droppedOverrides: readonly DroppedOverride[];
  /** The deadline the prompt is evaluated under, when there is one. */
  readonly deadline?: DeadlinePort;
  /** @internal */
  readonly '~sections': RenderedSections;
}
