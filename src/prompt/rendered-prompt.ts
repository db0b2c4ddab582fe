import type { ToolPolicy } from '../policy/index.ts';
import type { ReadonlySessionView } from '../session/index.ts';
import type {
  AnyTool,
  DeadlinePort,
  HostedTool,
  SectionPort,
  ToolContext,
  ToolResult,
} from '../tool/index.ts';
import type { DroppedOverride } from './override/dropped-override.ts';
import type { PromptDescriptor } from './prompt-descriptor.ts';
import type { PromptOutput } from './prompt-output.ts';
import type { ToolParamDescriptions } from './tool-param-descriptions.ts';
import type { Visibility } from './visibility.ts';

/** A tool together with where it stands and what governs it. */
export interface BoundTool {
  readonly tool: AnyTool;
  /** Dotted path of the section that brings it; empty for a tool that opens or reads sections. */
  readonly sectionPath: string;
  /** Policies in the order they are asked: the section's, its ancestors' from the inside out, the prompt's. */
  readonly policies: readonly ToolPolicy[];
  /** Policies of other sections whose `dependencies` need the tool: they do not judge its calls, but record its successes. */
  readonly recordingPolicies: readonly ToolPolicy[];
}

/** The sections of a rendered prompt, for those that come in later. @internal */
export interface RenderedSections {
  /** Opens sections, as the call of this context. @param keys dotted paths. */
  open(keys: readonly string[], context: ToolContext): Promise<ToolResult<unknown>>;
  /** The text of a section that stays as it is, as the call of this context. @param key dotted path. */
  read(key: string, context: ToolContext): Promise<ToolResult<unknown>>;
  /** Whether the model has been shown a section in full; undefined when there is none. @param key dotted path. */
  isOpen(key: string, session: ReadonlySessionView): boolean | undefined;
  /** All sections, as the model has them at present. */
  list(session: ReadonlySessionView): readonly SectionPort[];
  /** Sections that the session shows or hides without effect: they have no summary, or there are none. Reads all of the slice. */
  idleOverrides(session: ReadonlySessionView): readonly string[];
  /** The prompt with the tools of sections that were opened behind all others. @param shown what one call showed. */
  withShown(shown: readonly { readonly section: string; readonly visibility: Visibility }[]): RenderedPrompt;
  /** What opens sections, whether the prompt shows it or not. */
  readonly opener: BoundTool;
}

/**
 * What one rendering yields: everything an adapter sends, and what the runtime needs to execute the calls that come back.
 *
 * @see spec TOOLS "Prompt Rendering"
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
  /** What the model is told about parameters: tool name, then parameter name. */
  readonly toolParamDescriptions: ToolParamDescriptions;
  /** The structured answer asked for; absent when the answer is text. */
  readonly output?: PromptOutput<Output>;
  /** Identity, and hashes of the texts that were rendered; made when it is first read. */
  readonly descriptor: PromptDescriptor;
  /** Overrides that were not applied, and why. */
  readonly droppedOverrides: readonly DroppedOverride[];
  /** The deadline the prompt is evaluated under, when there is one. */
  readonly deadline?: DeadlinePort;
  /** @internal */
  readonly '~sections': RenderedSections;
}
