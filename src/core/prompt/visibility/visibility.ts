import { assertArgument, WinkError } from '../../error/index.ts';
import type { ReadonlySessionView } from '../../session/index.ts';

/** How much of a section the model sees: all of it, or its summary without its descendants and tools. */
export type Visibility = 'full' | 'summary';

/**
 * A fixed visibility, or a function that decides it at each rendering.
 *
 * The function gets the section's parsed params and the session. The session can only be read, a write throws. It may
 * throw: the rendering then fails with a `PromptRenderError` that names the section.
 */
export type VisibilitySelector<Params> =
  | Visibility
  | ((params: Params, session: ReadonlySessionView) => Visibility);

/**
 * A signal, not a failure: thrown by a handler when the model has to see sections in full before it can continue.
 * The executor passes it on instead of turning it into a failed result.
 *
 * Code: `visibility-expansion-required`.
 * What to do: let it pass: a handler that catches everything must throw it again.
 *
 * @see docs/spec/visibility.md §4
 */
export class VisibilityExpansionRequired extends WinkError<'visibility-expansion-required'> {
  /** Dotted paths of the sections to open, in the order they were asked for. */
  readonly sections: readonly string[];
  /** Why they have to be open; the model reads it. */
  readonly reason: string;

  /**
   * @param sections dotted paths, at least one.
   * @param reason one sentence for the model.
   */
  constructor(sections: readonly string[], reason: string, options: { readonly cause?: unknown } = {}) {
    assertArgument('new VisibilityExpansionRequired()', 'sections', sections, 'array');
    super('VisibilityExpansionRequired', `Sections ${sections.join(', ')} have to be opened: ${reason}`, {
      code: 'visibility-expansion-required',
      details: { sections: [...sections], reason },
      ...options,
    });
    this.sections = Object.freeze([...sections]);
    this.reason = reason;
  }

  /** Recognises this signal, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is VisibilityExpansionRequired {
    return WinkError.isInstance(value) && value.code === 'visibility-expansion-required';
  }
}
