import { BudgetExceededError, DeadlineExceededError, describeError } from '../error/index.ts';
import type { ConversationItem, TokenUsage } from '../tool/index.ts';
import {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
} from './prompt-evaluation-error.ts';
import type { StopReason } from './run-stop.ts';
import { endingOf } from './stop-ending.ts';

/** How far a run is; read when it ends early. */
interface RunStanding {
  readonly turn: number;
  readonly conversation: readonly ConversationItem[];
  readonly usage: TokenUsage;
}

/** The errors that a run can end with: each carries what was said and spent until then. */
export class RunErrors {
  readonly #promptName: string;
  readonly #standing: RunStanding;

  constructor(promptName: string, standing: RunStanding) {
    this.#promptName = promptName;
    this.#standing = standing;
  }

  /** The run was stopped, by its caller or by a limit. */
  stopped(reason: StopReason, phase: EvaluationPhase): PromptEvaluationError {
    const { code, what, why } = endingOf(reason);
    const where = reason.kind === 'budget' ? 'budget' : phase;
    return this.error(code, where, `${what} before the run was finished${why}`, reason.cause);
  }

  /** A tool call ended the run with this error. */
  interrupted(error: unknown): PromptEvaluationError {
    if (PromptEvaluationError.isInstance(error) && BudgetExceededError.isInstance(error.cause)) {
      return this.error(error.code, 'budget', error.message, error.cause);
    }
    if (PromptEvaluationError.isInstance(error)) {
      return this.error(error.code, error.phase === 'budget' ? 'budget' : 'tool', error.message, error);
    }
    if (DeadlineExceededError.isInstance(error)) {
      return this.error(
        'evaluation-deadline',
        'tool',
        `A tool call ran into the deadline: ${error.message}`,
        error,
      );
    }
    if (BudgetExceededError.isInstance(error)) {
      return this.error(
        'evaluation-budget',
        'budget',
        `A tool call ran into the budget: ${error.message}`,
        error,
      );
    }
    return this.error(
      'evaluation-interrupted',
      'tool',
      `A tool call ended the run: ${describeError(error)}`,
      error,
    );
  }

  error(
    code: PromptEvaluationErrorCode,
    phase: EvaluationPhase,
    message: string,
    cause?: unknown,
  ): PromptEvaluationError {
    const { turn, conversation, usage } = this.#standing;
    return new PromptEvaluationError(code, `${message} (prompt "${this.#promptName}", turn ${turn})`, {
      phase,
      promptName: this.#promptName,
      conversation,
      usage,
      cause,
      details: { turn },
    });
  }
}
