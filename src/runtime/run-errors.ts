import { none } from '../collection/index.ts';
import { BudgetExceededError, DeadlineExceededError, describeError } from '../error/index.ts';
import type { ConversationItem, TokenUsage } from '../tool/index.ts';
import {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
} from './prompt-evaluation-error.ts';
import type { StopReason } from './run-stop.ts';
import { endingOf } from './stop-ending.ts';
import type { ToolInvokedPayload } from './tool-invoked.ts';

/** How far a run is; read when it ends early. */
interface RunStanding {
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
  readonly #standing: RunStanding;

  constructor(promptName: string, standing: RunStanding) {
    this.#promptName = promptName;
    this.#standing = standing;
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
      stopped,
    );
  }

  /** This call ended the run with this error. */
  interrupted(error: unknown, { invocation }: CallEnd): PromptEvaluationError {
    const { callId, toolName, durationMs } = invocation;
    const calls: readonly StoppedCall[] = [{ callId, toolName, durationMs }];
    const whose = `The call "${callId}" of "${toolName}"`;
    if (PromptEvaluationError.isInstance(error) && BudgetExceededError.isInstance(error.cause)) {
      return this.error(error.code, 'budget', error.message, error.cause, calls);
    }
    if (PromptEvaluationError.isInstance(error)) {
      return this.error(
        error.code,
        error.phase === 'budget' ? 'budget' : 'tool',
        error.message,
        error,
        calls,
      );
    }
    if (DeadlineExceededError.isInstance(error)) {
      return this.error(
        'evaluation-deadline',
        'tool',
        `${whose} ran into the deadline after ${durationMs} ms: ${error.message}`,
        error,
        calls,
      );
    }
    if (BudgetExceededError.isInstance(error)) {
      return this.error(
        'evaluation-budget',
        'budget',
        `${whose} ran into the budget: ${error.message}`,
        error,
        calls,
      );
    }
    return this.error(
      'evaluation-interrupted',
      'tool',
      `${whose} ended the run: ${describeError(error)}`,
      error,
      calls,
    );
  }

  error(
    code: PromptEvaluationErrorCode,
    phase: EvaluationPhase,
    message: string,
    cause?: unknown,
    calls: readonly StoppedCall[] = none,
  ): PromptEvaluationError {
    const { turn, conversation, usage } = this.#standing;
    return new PromptEvaluationError(code, `${message} (prompt "${this.#promptName}", turn ${turn})`, {
      phase,
      promptName: this.#promptName,
      conversation,
      usage,
      cause,
      details: calls.length === 0 ? { turn } : { turn, calls },
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
