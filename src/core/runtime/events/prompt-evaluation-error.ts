import { type ErrorDetails, hasErrorMarker, WinkError } from '../../error/index.ts';
import type { ConversationItem, TokenUsage } from '../../tool/index.ts';

/**
 * Where an evaluation ended.
 *
 * - `render`: before the first request, while the prompt was put together.
 * - `request`: the model could not be asked, or must not be asked again (deadline, abort, turn limit).
 * - `response`: the model's answer cannot be used.
 * - `parse`: the final answer does not fit the output schema.
 * - `tool`: while tool calls were running.
 * - `budget`: a budget is used up.
 */
export type EvaluationPhase = 'render' | 'request' | 'response' | 'parse' | 'tool' | 'budget';

/**
 * Codes of {@link PromptEvaluationError}.
 *
 * - `evaluation-aborted`: the caller's signal was aborted; the signal's reason is the cause.
 *   What to do: nothing, where the abort was meant. `conversation` of the error holds what was said; pass it as `history` to a new
 *   run, or resume the run of a journal.
 * - `evaluation-cancelled`: `cancelRun` has ended the run for good; a `RunRefusedError` is the cause, and says who did it and why.
 *   What to do: start a new run: a cancelled one cannot be resumed.
 * - `evaluation-deadline-exceeded`: the deadline passed.
 *   What to do: give the run a later `limits.deadline`, or less to do. A run of a journal can be resumed with another one.
 * - `evaluation-budget-exceeded`: a budget is used up, or does not hold another turn; a `BudgetExceededError` is the cause.
 *   What to do: see what spent it with `wink view`. Then resume the run, or begin another, with a larger `limits.budget`.
 * - `evaluation-idle`: the run was without activity for longer than `limits.idleTimeoutMs`.
 *   What to do: find what hung: the message names the call, or the request. Give the tool a `timeoutMs`, or raise
 *   `limits.idleTimeoutMs`.
 * - `evaluation-turns-exceeded`: the model asked for more turns than allowed.
 *   What to do: look for calls that repeat. Raise `limits.maxTurns` where the job is that long.
 * - `evaluation-failures-repeated`: the same call failed for the same reason too often, with no commit in between.
 *   What to do: read the message of the call and mend its reason: a service that is down, a tool whose description does not say what
 *   it needs. `limits.maxRepeatedFailures` allows more.
 * - `evaluation-request-failed`: the model provider threw.
 *   What to do: read the `cause`: it is what the provider or its client threw.
 * - `evaluation-context-exceeded`: the conversation exceeds the model's context window.
 *   What to do: cut results with `limits.maxResultCharacters`, drop old ones with `context`, or take a model with a larger context.
 * - `evaluation-response-invalid`: the model's answer cannot be used.
 *   What to do: read the `cause`, a `ModelResponseError`, and do as its code says.
 * - `evaluation-output-invalid`: the final answer does not fit the output schema.
 *   What to do: describe the fields of the output schema, or take a model with structured output. The message names the fields that
 *   do not fit; `details.text` of the `cause` has the answer.
 * - `evaluation-render-failed`: rendering, installing slices or starting resources failed.
 *   What to do: read the `cause`: a template, a visibility function, an initial value or a factory of a resource threw.
 * - `evaluation-interrupted`: a handler ended the evaluation. Handlers make errors with this code to do so.
 *   What to do: whatever the handler that made the error meant: its message says it.
 * - `evaluation-tools-failed`: the calls of a turn could not be run to their end, through no fault of a tool: the session
 *   was disposed, or a journal failed.
 *   What to do: read the `cause`. Keep the session until the run has ended; repair the journal and resume the run.
 * - `evaluation-incomplete`: the completion checker still said no when it was asked for the last time.
 *   What to do: read the message: it is what the checker, or `conclude`, found missing. Give the model more turns, or ask for less.
 * - `evaluation-completion-failed`: it threw, or gave no verdict.
 *   What to do: mend the completion checker: it is a programming mistake.
 * - `evaluation-diverged`: a run that is resumed does not ask for what its journal has next.
 *   What to do: resume with the prompt, tools and options that the run began with. `details` names the row and what differs.
 * - `evaluation-depth-exceeded`: too many evaluations run inside one another; their tools call each other without end.
 *   What to do: break the cycle: an agent's tool evaluates a prompt whose tool evaluates the first one.
 */
export type PromptEvaluationErrorCode =
  | 'evaluation-aborted'
  | 'evaluation-cancelled'
  | 'evaluation-deadline-exceeded'
  | 'evaluation-budget-exceeded'
  | 'evaluation-idle'
  | 'evaluation-turns-exceeded'
  | 'evaluation-failures-repeated'
  | 'evaluation-request-failed'
  | 'evaluation-context-exceeded'
  | 'evaluation-response-invalid'
  | 'evaluation-output-invalid'
  | 'evaluation-render-failed'
  | 'evaluation-interrupted'
  | 'evaluation-tools-failed'
  | 'evaluation-incomplete'
  | 'evaluation-completion-failed'
  | 'evaluation-diverged'
  | 'evaluation-depth-exceeded';

/** What a {@link PromptEvaluationError} is built from. */
export interface PromptEvaluationErrorOptions {
  readonly phase: EvaluationPhase;
  readonly promptName: string;
  readonly conversation?: readonly ConversationItem[];
  readonly usage?: TokenUsage;
  readonly cause?: unknown;
  readonly details?: ErrorDetails;
}

/**
 * The one error an evaluation rejects with. Nothing is lost: it carries the conversation and the usage up to the point
 * where the evaluation ended; what was committed before stays committed.
 *
 * A handler that throws one which it has made itself ends the run that it belongs to, in phase `tool`. One that an evaluation
 * rejected with, or that has such a one among its causes, fails the call only.
 */
export class PromptEvaluationError extends WinkError<PromptEvaluationErrorCode> {
  readonly phase: EvaluationPhase;
  readonly promptName: string;
  /** Tokens spent so far. */
  readonly usage: TokenUsage;
  readonly #conversation: readonly ConversationItem[];

  constructor(code: PromptEvaluationErrorCode, message: string, options: PromptEvaluationErrorOptions) {
    super('PromptEvaluationError', message, {
      code,
      cause: options.cause,
      details: { phase: options.phase, promptName: options.promptName, ...options.details },
    });
    this.phase = options.phase;
    this.promptName = options.promptName;
    this.usage = options.usage ?? {};
    this.#conversation = Object.freeze([...(options.conversation ?? [])]);
  }

  /**
   * Everything said so far but for turns that were left out, well formed: every call has its result. Pass it on as `history` to continue from here. It is
   * what the model read, never redacted, and no part of what the error shows when it is logged.
   */
  get conversation(): readonly ConversationItem[] {
    return this.#conversation;
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is PromptEvaluationError {
    return hasErrorMarker(value, 'PromptEvaluationError');
  }
}
