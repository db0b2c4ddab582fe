import type { CompletionChecker } from './completion.ts';
import type { ConversationItem, InputPart } from './conversation.ts';
import type { ModelSettings } from './model-settings.ts';
import type { PromptPort } from './ports.ts';
import type { PromptResponse } from './prompt-response.ts';
import type { NestedRunLimits } from './run-limits.ts';

/**
 * Which tools the model may call, and whether it must. `'required'`, a named tool and `required` of the last form hold for the first turn, `'auto'` for those
 * after it: a model that must call a tool in every turn could never answer. `'none'` and `allowed` hold for every turn.
 *
 * `allowed` has the names of at least one tool that the model gets from the first turn on. Requests declare all tools of the prompt as before, so that the provider's
 * cache stays; a call of another tool does not run and gets a failed result with the reason `not-allowed`, with every provider. The tools that the runtime itself adds
 * (`open_sections`, `read_section`, `read_result`) stay allowed.
 *
 * @see docs/spec/evaluation.md §14
 */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly tool: string }
  | { readonly allowed: readonly string[]; readonly required?: boolean };

/** How an evaluation inside a tool call runs. Everything is optional; what is not named here is as in the outer run. */
export interface NestedEvaluateOptions {
  /** The user's message: one string, or several parts. Default: nothing beside the instructions. */
  readonly input?: string | readonly InputPart[];
  /** An earlier conversation to continue with, such as `response.conversation`. It is copied once. Default: none. */
  readonly history?: readonly ConversationItem[];
  /** What to do about calls of `history` that have no result: answer them as interrupted, or throw. Default: as in the run. */
  readonly pendingCalls?: 'interrupt' | 'refuse';
  /** How far the inner evaluation goes. The limits of the run hold in any case. */
  readonly limits?: NestedRunLimits;
  /** Ends the inner evaluation when aborted. Default: none of its own. The end of the run or of the call ends it in any case. */
  readonly signal?: AbortSignal;
  /** Default: `'auto'`. */
  readonly toolChoice?: ToolChoice;
  /** Decides whether the inner task is done when the model answers. Default: it is; the run's checker is about the run's task. */
  readonly completion?: CompletionChecker | readonly CompletionChecker[];
  /** Settings of the model, over those of the adapter. Default: none. */
  readonly settings?: ModelSettings;
}

/**
 * What a handler sees of the adapter that runs the evaluation: it evaluates prompts on the same model, as a part of the
 * handler's own call.
 */
export interface NestedAdapter {
  /** Name of the adapter. */
  readonly name: string;
  /**
   * Evaluates a prompt inside the call: its tools work on the call's session and files, and what they change becomes part
   * of what the call changes: it is committed with the call or gone with it.
   *
   * @throws {PromptEvaluationError} whatever ended the inner evaluation early; code `evaluation-depth-exceeded` when too many
   *   evaluations run inside one another. Not caught, it fails the call, also as the cause of another error; the end of the run ends the run.
   * @throws {TransactionClosedError} when the call has ended.
   * @throws {PromptValidationError} for an option out of its range.
   */
  evaluate<Output>(
    prompt: PromptPort<Output>,
    options?: NestedEvaluateOptions,
  ): Promise<PromptResponse<Output>>;
}

/** A call that another call runs inside of, and the evaluation in it that made that other call. */
export interface OuterToolCall {
  /** The model's id of the call. */
  readonly callId: string;
  readonly toolName: string;
  /** Number of the evaluation inside the call, from 1 in the order in which they were begun. */
  readonly evaluation: number;
  /** Name of the prompt that it evaluates. */
  readonly promptName: string;
}
