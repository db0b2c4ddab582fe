import { hasErrorMarker, WinkError } from '../../../core/error/index.ts';
import type { ToolRuntimeOutput } from '../../../core/evaluation/index.ts';

/**
 * A failed call, as an error for a loop of the AI SDK: the loop passes the message to the model verbatim and continues. All
 * changes of the call to session, files and transactional resources are rolled back.
 *
 * Code: `tool-call-failed`.
 * What to do: nothing: the loop gives its text to the model.
 */
export class FailedToolCallError extends WinkError<'tool-call-failed'> {
  readonly #output: ToolRuntimeOutput;

  constructor(output: ToolRuntimeOutput) {
    const { callId, toolName, text, invocation } = output;
    super('FailedToolCallError', text, {
      code: 'tool-call-failed',
      details: { callId, tool: toolName, outcome: invocation.outcome, reason: invocation.reason },
    });
    this.#output = output;
  }

  /** The record of the call; not enumerable, so that it is not logged with the error. */
  get output(): ToolRuntimeOutput {
    return this.#output;
  }

  /** Only the message, which the AI SDK gives the model. */
  override toString(): string {
    return this.message;
  }

  /** Recognizes this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is FailedToolCallError {
    return hasErrorMarker(value, 'FailedToolCallError');
  }
}
