import type { ToolPolicy } from '../../policy/index.ts';
import type { AnyResourceBinding, ResourceRegistry, ResourceResolver } from '../../resource/index.ts';
import type { JsonValue, Schema } from '../../schema/index.ts';
import type { AnySlice, ReadonlySessionView, SessionView } from '../../session/index.ts';
import type { AnyTool, HostedTool, ProviderTool } from '../../tool/index.ts';
import type { TemplateText } from '../template/template-text.ts';
import type { VisibilitySelector } from '../visibility/visibility.ts';
import type { PromptIdentity } from './identity.ts';

/** Resource bindings, as a list or as a registry. */
export type ResourceBindings = ResourceRegistry | readonly AnyResourceBinding[];

/** What a custom section's `render` gets beside its params. */
export interface SectionRenderContext {
  /**
   * The session, for reading only: a write throws. Without a session of the caller's an empty one that holds the prompt's slices.
   */
  readonly session: ReadonlySessionView;
  /**
   * The prompt's resources; absent when the prompt is rendered outside an evaluation. The file system can only be read. All
   * end with the rendering: a look-up afterwards throws.
   */
  readonly resources?: ResourceResolver;
  /** Dotted path of the section. */
  readonly path: string;
  /** Number of the section in its prompt, such as `2.1`. */
  readonly number: string;
  /** The prompt the section is rendered for. */
  readonly prompt: PromptIdentity;
}

/** What a section's `prepare` gets. */
export interface SectionPrepareContext extends Pick<SectionRenderContext, 'path' | 'number' | 'prompt'> {
  /**
   * The session, as the section's own transaction: what it writes is committed when `prepare` has ended, and dropped when it throws. In
   * an evaluation inside a call of a tool with effects `'read'`, a write of state throws a `SessionError` (`session-read-only`).
   */
  readonly session: SessionView;
  /** The prompt's resources. The file system can only be read. All end with `prepare`: a look-up afterwards throws. */
  readonly resources: ResourceResolver;
  /** Aborted when the evaluation stops. Nothing is committed afterwards. */
  readonly signal: AbortSignal;
  /**
   * Names what the section shows that is not of the program, with a hash of it: the header of the run has both, and a run that is resumed with another one says so.
   * @internal
   */
  readonly '~pin': (name: string, hash: string) => void;
  /** What a slice held when the run began that is resumed, as its rows have it; undefined in a new run. @internal */
  readonly '~atStart': (slice: string) => readonly JsonValue[] | undefined;
}

declare const sectionInput: unique symbol;
declare const sectionOwn: unique symbol;

/**
 * A node of a prompt: a title, instructions, and the tools and policies that belong to them. A plain object; made by
 * `section()` and `toolsSection()`, or written out with a `render` of its own. It knows nothing of the prompt it
 * is used in, so one section may be used in several.
 *
 * `Input` is the params that the section and its descendants need, as one flat object. `Own` separates those of the section
 * from those of its children, where the compiler knows.
 *
 * @see docs/spec/prompt.md §1
 */
export interface Section<in Input = never, out Own = unknown> {
  /** Heading text, one line, without number. */
  readonly title: string;
  /** Last part of the section's address: `^[a-z0-9][a-z0-9._-]{0,63}$`, upper case is lowered. */
  readonly key: string;
  /** Object schema of the params that this section itself uses. Default: none. */
  readonly params?: Schema;
  /** Compiled text, made by `section()`. Exclusive with `render`. */
  readonly template?: TemplateText;
  /**
   * Free text of a custom section. Gets the parsed params. The session can only be read, a write throws; may throw: the rendering fails
   * with a `PromptRenderError` that names the section. Exclusive with `template`; neither: heading only.
   */
  readonly render?: (params: never, context: SectionRenderContext) => string | Promise<string>;
  /** Tools that this section explains. */
  readonly tools?: readonly AnyTool[];
  /** Tools that the provider executes. */
  readonly hostedTools?: readonly HostedTool[];
  /** Shapes of vendors for tools of the prompt, which this section or others bring. */
  readonly providerTools?: readonly ProviderTool[];
  /** Rules for the tools of this section and of its descendants. */
  readonly policies?: readonly ToolPolicy[];
  /** Subsections, in order. */
  readonly children?: readonly AnySection[];
  /**
   * Decides at each rendering whether the section and its descendants are there at all. Gets the raw params of the
   * prompt, before any of them is required. The session can only be read, a write throws; may throw: the rendering fails. Default: enabled.
   */
  readonly enabled?: (rawParams: never, session: ReadonlySessionView) => boolean;
  /** Default: `'full'`. */
  readonly visibility?: VisibilitySelector<never>;
  /** Replaces the section and its descendants while its visibility is `'summary'`. In a compiled section a plain string. */
  readonly summary?: TemplateText | string;
  /**
   * Called when an evaluation starts, before its first rendering, for an enabled section, also while it is summarized: the place to
   * compute state that the text shows. Sections are prepared one after the other. Not called by `prompt.render()`. May
   * throw: the evaluation fails with a `PromptRenderError` that names the section. Default: nothing.
   */
  readonly prepare?: (context: SectionPrepareContext) => void | Promise<void>;
  /** State that the section reads or its tools change; installed when the prompt is evaluated. */
  readonly slices?: readonly AnySlice[];
  /** Services that its tools need. They win over the template's and lose to those of `bind()`. */
  readonly resources?: ResourceBindings;
  /** Whether overrides may replace its text. Default: true. */
  readonly acceptsOverrides?: boolean;
  /** Whether examples of its tools may be written under its text when the wire has no place for them. Default: true. */
  readonly examplesInText?: boolean;
  /** Carries `Input` for the compiler; never there. */
  readonly [sectionInput]?: (input: Input) => void;
  /** Carries `Own` for the compiler; never there. */
  readonly [sectionOwn]?: Own;
}

/** Any section, for lists. Params of such a list are not checked by the compiler. */
export type AnySection = Section;
