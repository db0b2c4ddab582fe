import type { Prompt } from '../../prompt/index.ts';
import type {
  ApprovalHandler,
  ApprovalSuspension,
  Approver,
  LanguageModel,
  SuspendedRun,
} from '../../runtime/index.ts';
import type { NestedAdapter, PromptResponse } from '../../tool/index.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';
import type { PromptStream } from '../stream/prompt-stream.ts';

/** How a run ends that does not fail: with its answer or, where approvals are suspended, with questions. */
export type RunOutcome<Output, A extends Approver = ApprovalHandler> =
  | PromptResponse<Output>
  | (A extends ApprovalSuspension ? SuspendedRun : never);

/**
 * Evaluates prompts on one model. Every adapter runs the same loop with the same transactions, policies and failure
 * semantics; only the model differs. Made by the adapter of a vendor, such as `openai()`, or by `providerAdapter()` of `weakincentives/provider`.
 */
export interface ProviderAdapter extends NestedAdapter {
  /** Shown in events and errors. */
  readonly name: string;
  /**
   * Runs the prompt until the model is done.
   *
   * @throws {PromptEvaluationError} when the run ends early: it carries phase, conversation and usage. A tool
   *   problem is not one of these: it is answered to the model.
   * @throws {SessionBusyError} when another evaluation holds the session.
   * @throws {PromptValidationError} for an option out of its range.
   */
  evaluate<Output, A extends Approver = ApprovalHandler>(
    prompt: Prompt<Output>,
    options?: EvaluateOptions<A>,
  ): Promise<RunOutcome<Output, A>>;
  /**
   * The same run as a stream of events: iterate over it with `for await`. It begins when the first event is requested; the
   * last event is `run-result`, with the response. The iteration throws what `evaluate` would reject with, after the
   * events before it. Leaving the loop ends the run and rolls back the calls in flight.
   *
   * @throws {PromptValidationError} at once, for an option out of its range.
   */
  stream<Output, A extends Approver = ApprovalHandler>(
    prompt: Prompt<Output>,
    options?: EvaluateOptions<A>,
  ): PromptStream<Output, RunOutcome<Output, A>>;
}

/** An adapter that `providerAdapter` made: it knows the model that it evaluates on. */
export interface ModelAdapter extends ProviderAdapter {
  readonly '~model': LanguageModel;
}

/** The model that an adapter evaluates on; undefined for one that `providerAdapter` did not make. */
export function modelOf(adapter: ProviderAdapter & Partial<ModelAdapter>): LanguageModel | undefined {
  return adapter['~model'];
}
