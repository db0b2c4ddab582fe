import type { ResourceRegistry, ResourceResolver } from '../resource/index.ts';
import type { AnySlice, ReadonlySessionView } from '../session/index.ts';
import type { AnyTool, DeadlinePort, SectionPort } from '../tool/index.ts';
import type { DroppedOverride } from './override/dropped-override.ts';
import type { PromptOverrides } from './override/prompt-overrides.ts';
import type { PromptDescriptor, PromptIdentity } from './prompt-descriptor.ts';
import type { PromptOutput } from './prompt-output.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import type { BindParams, DynamicParams } from './section-input.ts';

/** Options of `prompt.tools()` and `prompt.sections()`. */
export interface PromptToolsOptions {
  /** Session for `enabled` and `visibility` functions. Default: an empty one that holds the prompt's slices. */
  readonly session?: ReadonlySessionView;
  /** Other texts than those of the code, as far as they fit. Default: none. */
  readonly overrides?: PromptOverrides;
}

/** Options of `prompt.render()`. */
export interface RenderOptions extends PromptToolsOptions {
  /**
   * True when the caller sends tool examples in a field of the wire format; they are then left out of the text.
   * Default: false.
   */
  readonly examplesOnWire?: boolean;
  /**
   * True when the caller sends the schema of a structured answer in a field of the wire format. Else it stands behind the
   * sections, under the heading `## Answer format`. Default: false.
   */
  readonly outputSchemaOnWire?: boolean;
  /** Resources for custom sections. Default: none. */
  readonly resources?: ResourceResolver;
  /** Put into the rendered prompt as it is. Default: none. */
  readonly deadline?: DeadlinePort;
  /** The evaluation that the prompt is rendered for. @internal */
  readonly evaluationId?: string;
}

/**
 * A template with its params: an immutable value that can be rendered and evaluated any number of times, in any session.
 *
 * `Output` is the type of the structured answer, `undefined` without one; `Params` is what `with()` takes part of.
 */
export interface Prompt<out Output = unknown, in Params = never> extends PromptIdentity {
  readonly kind: 'prompt';
  /** The raw params as they were bound. */
  readonly params: DynamicParams;
  /** The structured answer asked for; absent when the answer is text. */
  readonly output?: PromptOutput<Output>;
  /**
   * A new prompt with some params replaced.
   * @throws {PromptValidationError} for a param that no section knows.
   */
  with(params: Partial<BindParams<Params>>): Prompt<Output, Params>;
  /**
   * Tools of the enabled sections that are not summarised, in order of declaration; without those that open and read sections.
   * @throws {PromptRenderError} when an `enabled` or `visibility` function throws, or a section with a `visibility`
   *   function lacks params or validates them asynchronously (`render()` can wait for that).
   */
  tools(options?: PromptToolsOptions): readonly AnyTool[];
  /**
   * The sections in reading order, as they would be shown; those below others are their `children`. In a handler or a policy, `context.prompt.sections()`
   * says what the model of the evaluation has at present.
   * @throws {PromptRenderError} as `tools()`.
   */
  sections(options?: PromptToolsOptions): readonly SectionPort[];
  /**
   * Renders instructions and collects tools. Linear in the number of sections.
   * @throws {PromptRenderError} naming the section: params missing or wrong, or a section's function threw.
   */
  render(options?: RenderOptions): Promise<RenderedPrompt<Output>>;
  /** Hashes of the texts of the code that may be overridden; made when it is first read, once per template. */
  readonly descriptor: PromptDescriptor;
  /**
   * All texts of the code that may be overridden, to begin with.
   * @param tag which set of overrides it is. Default: `'latest'`.
   */
  seedOverrides(tag?: string): PromptOverrides;
  /**
   * The overrides that would not be applied, and why; empty when all fit. A text that nobody has changed since it was
   * seeded is none of them.
   * @throws {OverridesError} `overrides-mismatch` when they are another prompt's.
   */
  checkOverrides(overrides: PromptOverrides): readonly DroppedOverride[];
  /** Slices that the prompt's sections and policies name, without duplicates, also those of disabled sections. */
  slices(): readonly AnySlice[];
  /** Names of all tools, also those of disabled and summarized sections. @internal */
  readonly '~toolNames': ReadonlySet<string>;
  /** Resources of the template, of its sections and of `bind()`; the later win. */
  resources(): ResourceRegistry;
}
