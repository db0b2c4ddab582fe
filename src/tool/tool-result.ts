/** A call that did what it was asked to. Its changes are kept. */
export interface ToolSuccess<out R> {
  readonly success: true;
  /** Short text for the model. */
  readonly message: string;
  readonly value: R;
  /** The model gets the message only; the value is still recorded. No security boundary. Default: false. */
  readonly excludeValueFromContext?: boolean;
}

/** A call that failed. Everything it changed is rolled back; the model gets the message and may try otherwise. */
export interface ToolFailure {
  readonly success: false;
  /** What went wrong and what would be right, for the model. */
  readonly message: string;
  /** Structured facts about the failure, plain JSON. Default: none. */
  readonly value?: unknown;
}

/**
 * What a handler returns, told apart by `success`.
 *
 * @see spec TOOLS "ToolResult"
 */
export type ToolResult<R> = ToolSuccess<R> | ToolFailure;

/** Makes what handlers return. */
export const ToolResult: {
  /**
   * A success with a value. Literal types are kept, so `ok({ state: 'open' })` fits an enum.
   *
   * @param message default `'OK'`; may be empty, then the model gets the value alone.
   */
  ok<const R>(
    value: R,
    message?: string,
    options?: { readonly excludeValueFromContext?: boolean },
  ): ToolSuccess<R>;
  /** A failure: the call is rolled back and the model reads `message`. */
  error(message: string, value?: unknown): ToolFailure;
} = Object.freeze({
  ok<const R>(
    value: R,
    message = 'OK',
    options: { readonly excludeValueFromContext?: boolean } = {},
  ): ToolSuccess<R> {
    const success: ToolSuccess<R> = { success: true, message, value };
    return Object.freeze(
      options.excludeValueFromContext === true ? { ...success, excludeValueFromContext: true } : success,
    );
  },
  error(message: string, value?: unknown): ToolFailure {
    const failure: ToolFailure = { success: false, message };
    return Object.freeze(value === undefined ? failure : { ...failure, value });
  },
});

/**
 * True for what {@link ToolResult} makes and for plain objects of the same shape. What handlers return is not to be
 * trusted: a promise that was not awaited, a bare value or nothing at all is no result.
 */
export function isToolResult(value: unknown): value is ToolResult<unknown> {
  if (typeof value !== 'object' || value === null || !('success' in value) || !('message' in value))
    return false;
  if (typeof value.message !== 'string') return false;
  if (value.success === false) return true;
  if (value.success !== true || !('value' in value)) return false;
  return !('excludeValueFromContext' in value) || typeof value.excludeValueFromContext === 'boolean';
}
