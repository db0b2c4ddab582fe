import type { ToolPolicy } from '../policy/index.ts';
import type { AnyTool, DeadlinePort, HostedTool } from '../tool/index.ts';
import type { DroppedOverride } from './override/dropped-override.ts';
import type { PromptDescriptor } from './prompt-descriptor.ts';
import type { PromptOutput } from './prompt-output.ts';
import type { ToolParamDescriptions } from './tool-param-descriptions.ts';

/** A tool together with where it stands and what governs it. */
export interface BoundTool {
  readonly tool: AnyTool;
  /** Dotted path of the section that brings it. */
  readonly sectionPath: string;
  /** Policies in the order they are asked: the section's, its ancestors' from the inside out, the prompt's. */
  readonly policies: readonly ToolPolicy[];
}

/**
 * What one rendering yields: everything an adapter sends, and what the runtime needs to execute the calls that come back.
 *
 * @see spec TOOLS "Prompt Rendering"
 */
export interface RenderedPrompt<out Output = unknown> {
  /** The instructions (system text). */
  readonly text: string;
  /** Tools of the enabled sections that are shown in full, in order of declaration. */
  readonly tools: readonly AnyTool[];
  /** The same tools by name. */
  readonly boundTools: ReadonlyMap<string, BoundTool>;
  /** Hosted tools of the same sections, in order of declaration. */
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
}
