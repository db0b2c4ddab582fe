import type { ReadonlySessionView } from '../session/index.ts';

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
