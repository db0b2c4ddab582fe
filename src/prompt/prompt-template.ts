import type { ToolPolicy } from '../policy/index.ts';
import type { Schema } from '../schema/index.ts';
import type { AnySlice } from '../session/index.ts';
import type { Prompt } from './prompt.ts';
import type { PromptIdentity } from './prompt-descriptor.ts';
import type { AnySection, ResourceBindings } from './section.ts';
import type { BindParams } from './section-input.ts';

/** Options of `promptTemplate()`. */
export interface PromptTemplateOptions<
  Sections extends readonly AnySection[],
  Output extends Schema | undefined,
> {
  /** Namespace: parts like a section key, joined by `/`. */
  readonly ns: string;
  /** `^[a-z0-9][a-z0-9._-]{0,63}$`, upper case is lowered. */
  readonly key: string;
  /** Name for people and logs. Default: the key. */
  readonly name?: string;
  /** Top-level sections, in order. */
  readonly sections: Sections;
  /** Rules for all tools, asked after those of the sections. */
  readonly policies?: readonly ToolPolicy[];
  /** Services; sections and `bind()` win over them. */
  readonly resources?: ResourceBindings;
  /** Schema of the structured answer, an object or an array. Default: the answer is text. */
  readonly output?: Output;
}

/** What every prompt of a template has. @internal */
export interface TemplateParts {
  readonly slices: readonly AnySlice[];
  readonly toolNames: ReadonlySet<string>;
}

/** Options of `template.bind()`. */
export interface PromptBindOptions {
  /** Services of this prompt; they win over those of sections and template. */
  readonly resources?: ResourceBindings;
}

/** Arguments of `bind()`: the params may be left out when none is required. */
export type BindArguments<Params> =
  Record<never, never> extends BindParams<Params>
    ? [params?: BindParams<Params>, options?: PromptBindOptions]
    : [params: BindParams<Params>, options?: PromptBindOptions];

/** What an optional output schema yields; `undefined` without one. */
export type OutputOf<S> = S extends Schema<infer _Input, infer Output> ? Output : undefined;

/**
 * A prompt without its params: a constant that can be bound any number of times. Holds no session and no params.
 *
 * @see spec TOOLS "Prompt Rendering"
 */
export interface PromptTemplate<
  Params,
  out Output,
  out Sections extends readonly AnySection[] = readonly AnySection[],
> extends PromptIdentity {
  readonly kind: 'prompt-template';
  /** Its top-level sections, as they were given, to be used in other templates; a frozen list. */
  readonly sections: Sections;
  /** What checkers of completion ask for. @internal */
  readonly '~parts': TemplateParts;
  /**
   * Binds params to the template.
   * @throws {PromptValidationError} for a param that no section knows.
   */
  bind(...args: BindArguments<Params>): Prompt<Output, Params>;
}
