import { present, type Writable } from '../internal/index.ts';
import type { DeepWritable } from '../schema/index.ts';
import type { MediaPart } from './conversation.ts';

/** A call that succeeded. Its changes are kept. */
export interface ToolSuccess<out R> {
  readonly success: true;
  /** Short text for the model. */
  readonly message: string;
  readonly value: R;
  /** The model gets the message only; the value is still recorded. No security boundary. Default: false. */
  readonly excludeValueFromContext?: boolean;
  /**
   * Images and files for the model, after the text, at most 100; also when the value is excluded. `data` is base64 text with
   * its padding, a base64 `data:` URL or an `http(s)` address, all together at most 20 MiB of characters; the media type of an
   * image begins with `image/`. Checked when the handler has returned: anything else fails the call. Default: none.
   */
  readonly attachments?: readonly MediaPart[];
}

/** A call that failed. Everything it changed is rolled back; the model gets the message and may try otherwise. */
export interface ToolFailure {
  readonly success: false;
  /** What went wrong and what would be right, for the model. */
  readonly message: string;
  /** Structured facts about the failure, plain JSON. Default: none. */
  readonly value?: unknown;
  /** The model gets the message only, for one that says all that the value does. As in a success. Default: false. */
  readonly excludeValueFromContext?: boolean;
  /** Images and files that show what went wrong, such as a screenshot; as those of a success. Default: none. */
  readonly attachments?: readonly MediaPart[];
}

/**
 * What a handler returns, distinguished by `success`.
 *
 * @see docs/spec/tools.md §3
 */
export type ToolResult<R> = ToolSuccess<R> | ToolFailure;

/**
 * Makes what handlers return.
 *
 * ```ts
 * import { ToolResult } from 'weakincentives';
 *
 * console.log(ToolResult.ok({ id: 't-1' }).success); // true
 * // The call is rolled back, and the model reads why.
 * console.log(ToolResult.error('There is no ticket t-9.').success); // false
 * ```
 */
export const ToolResult: {
  /**
   * A success with a value. Literal types are kept, so `ok({ state: 'open' })` fits an enum, and nothing in them is read-only, so `ok({ lines: [line] })` fits a
   * list of strings.
   *
   * @param message default `'OK'`; may be empty, then the model gets the value alone.
   */
  ok<const R>(
    value: R,
    message?: string,
    options?: Pick<ToolSuccess<R>, 'excludeValueFromContext' | 'attachments'>,
  ): ToolSuccess<DeepWritable<R>>;
  /** A failure: the call is rolled back and the model reads `message`. */
  error(
    message: string,
    value?: unknown,
    options?: Pick<ToolFailure, 'excludeValueFromContext' | 'attachments'>,
  ): ToolFailure;
} = /* @__PURE__ */ Object.freeze({
  ok<const R>(
    value: R,
    message = 'OK',
    options?: Pick<ToolSuccess<R>, 'excludeValueFromContext' | 'attachments'>,
  ): ToolSuccess<DeepWritable<R>> {
    const result: Writable<ToolSuccess<DeepWritable<R>>> = {
      success: true,
      message,
      // The same value: the literals it was written with are read-only by their inferred type alone.
      value: value as DeepWritable<R>,
    };
    if (options?.excludeValueFromContext === true) result.excludeValueFromContext = true;
    if (options?.attachments !== undefined) result.attachments = options.attachments;
    return Object.freeze(result);
  },
  error(
    message: string,
    value?: unknown,
    options: Pick<ToolFailure, 'excludeValueFromContext' | 'attachments'> = {},
  ): ToolFailure {
    return Object.freeze({
      success: false,
      message,
      ...present({
        value,
        excludeValueFromContext: options?.excludeValueFromContext === true ? true : undefined,
        attachments: options?.attachments,
      }),
    });
  },
});
