import {
  BudgetExceededError,
  DeadlineExceededError,
  describeError,
  type ErrorDetails,
  type ModelResponseError,
} from '../../error/index.ts';
import { cutAfter, none } from '../../internal/index.ts';
import type { ConversationItem, TokenUsage, ToolInvokedPayload } from '../../tool/index.ts';
import {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
} from '../events/prompt-evaluation-error.ts';
import type { Repetition } from '../limits/repeated-failures.ts';
import type { StopReason } from '../limits/run-stop.ts';

/** How much of the message of a call an error holds. */
const maxQuotedLength = 300;

/** How far a run is; read when it ends early. */
interface RunProgress {
  readonly turn: number;
  readonly conversation: readonly ConversationItem[];
  readonly usage: TokenUsage;
}

/** What became of a call. */
interface CallEnd {
  readonly invocation: ToolInvokedPayload;
}

/** A call that a run ended with, and how long it had run in all its attempts, in milliseconds. */
interface StoppedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly durationMs: number;
}

/** Calls that a message names. */
const maxNamed = 3;

/** The errors that a run can end with: each carries what was said and spent until then. */
export class RunErrors {
  readonly #promptName: string;
  readonly #progress: RunProgress;

  constructor(promptName: string, progress: RunProgress) {
    this.#promptName = promptName;
    this.#progress = progress;
  }

  /**
   * The run was stopped, by its caller or by a limit.
   * @param results of the calls of the turn; those that were running then are named. Default: none were made.
   */
  stopped(
    reason: StopReason,
    phase: EvaluationPhase,
    results: readonly CallEnd[] = none,
  ): PromptEvaluationError {
    const { code, what, why } = endingOf(reason);
    const where = reason.kind === 'budget' ? 'budget' : phase;
    const stopped = stoppedCalls(results);
    return this.error(
      code,
      where,
      `${what} before the run was finished${why}${describeStopped(stopped)}`,
      reason.cause,
      stopped.length === 0 ? {} : { calls: stopped },
    );
  }

  /** This call ended the run with this error. */
  interrupted(error: unknown, { invocation }: CallEnd): PromptEvaluationError {
    const { callId, toolName, durationMs } = invocation;
    const details = { calls: [{ callId, toolName, durationMs }] satisfies readonly StoppedCall[] };
    const whose = `The call "${callId}" of "${toolName}"`;
    if (PromptEvaluationError.isInstance(error)) {
      const isOverBudget = error.phase === 'budget' || BudgetExceededError.isInstance(error.cause);
      const cause = BudgetExceededError.isInstance(error.cause) ? error.cause : error;
      return this.error(error.code, isOverBudget ? 'budget' : 'tool', error.message, cause, details);
    }
    if (DeadlineExceededError.isInstance(error)) {
      const message = `${whose} ran into the deadline after ${durationMs} ms: ${error.message}`;
      return this.error('evaluation-deadline-exceeded', 'tool', message, error, details);
    }
    if (BudgetExceededError.isInstance(error)) {
      const message = `${whose} ran into the budget: ${error.message}`;
      return this.error('evaluation-budget-exceeded', 'budget', message, error, details);
    }
    const message = `${whose} ended the run: ${describeError(error)}`;
    return this.error('evaluation-interrupted', 'tool', message, error, details);
  }

  /** The model's last answer says nothing. */
  noAnswer(model: string, cause: ModelResponseError): PromptEvaluationError {
    const message = `The answer of the model "${model}" cannot be used: ${cause.message}`;
    return this.error('evaluation-response-invalid', 'response', message, cause);
  }

  /** The model has made a failing call too often. */
  repeatedFailures({ invocation, failures }: Repetition): PromptEvaluationError {
    const { toolName, reason = 'failed-result', message } = invocation;
    const why = cutAfter(message, maxQuotedLength);
    return this.error(
      'evaluation-failures-repeated',
      'tool',
      `The same call of "${toolName}" failed in ${failures} turns for the same reason (${reason}), and no call was committed in between; raise limits.maxRepeatedFailures if that is intended. The last time: ${why}`,
      undefined,
      { toolName, reason, failures },
    );
  }

  error(
    code: PromptEvaluationErrorCode,
    phase: EvaluationPhase,
    message: string,
    cause?: unknown,
    details: ErrorDetails = {},
  ): PromptEvaluationError {
    const { turn, conversation, usage } = this.#progress;
    return new PromptEvaluationError(code, `${message} (prompt "${this.#promptName}", turn ${turn})`, {
      phase,
      promptName: this.#promptName,
      conversation,
      usage,
      cause,
      details: { turn, ...details },
    });
  }
}

/** The calls that were running when the run was stopped; one that was never begun did not hold it up. */
function stoppedCalls(results: readonly CallEnd[]): readonly StoppedCall[] {
  return results
    .map(({ invocation }) => invocation)
    .filter(({ outcome, attempts }) => outcome === 'aborted' && attempts > 0)
    .map(({ callId, toolName, durationMs }) => ({ callId, toolName, durationMs }));
}

function describeStopped(calls: readonly StoppedCall[]): string {
  if (calls.length === 0) return '';
  const named = calls
    .slice(0, maxNamed)
    .map(({ callId, toolName, durationMs }) => `"${callId}" of "${toolName}" for ${durationMs} ms`);
  const rest = calls.length - named.length;
  return ` Running then: the call${calls.length === 1 ? '' : 's'} ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

/** What a run that was stopped ends with. */
interface StopEnding {
  readonly code: PromptEvaluationErrorCode;
  /** What happened, as the beginning of a sentence. */
  readonly what: string;
  /** More of it, for the end of the sentence, which it closes. */
  readonly why: string;
}

const endings: Readonly<Record<StopReason['kind'], Omit<StopEnding, 'why'>>> = {
  aborted: { code: 'evaluation-aborted', what: 'The run was aborted by its caller' },
  cancelled: { code: 'evaluation-cancelled', what: 'The run was ended' },
  deadline: { code: 'evaluation-deadline-exceeded', what: 'The deadline passed' },
  budget: { code: 'evaluation-budget-exceeded', what: 'The budget was used up' },
  idle: { code: 'evaluation-idle', what: 'The run was idle for too long' },
  interrupted: { code: 'evaluation-interrupted', what: 'A tool call ended the run' },
};

/** What a run that was stopped for this reason ends with. */
export function endingOf(reason: StopReason): StopEnding {
  const hasStory = reason.kind === 'budget' || reason.kind === 'cancelled' || reason.kind === 'idle';
  return { ...endings[reason.kind], why: hasStory ? `: ${reason.cause.message}` : '.' };
}
