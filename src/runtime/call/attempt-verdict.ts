import {
  BudgetExceededError,
  DeadlineExceededError,
  describeError,
  ToolValidationError,
} from '../../error/index.ts';
import { VisibilityExpansionRequired } from '../../prompt/index.ts';
import { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import { RunStopped } from '../limits/run-stop.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { isRejectedEvaluation } from './rejected-evaluation.ts';
import { failed, stoppedVerdict, type Verdict } from './verdict.ts';

/** Thrown inside an attempt to end it with a verdict. */
export class Ended {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    this.verdict = verdict;
  }
}

const maxErrorCharacters = 4_000;

/** What is known of the attempt that something was thrown in. */
interface ThrowingAttempt {
  readonly toolName: string;
  /** Whether a handler with effects outside was started. */
  readonly effectsStand: boolean;
  /** Behind the message: what stands although the call is rolled back; empty when nothing does. */
  readonly note: string;
}

/**
 * The table of exceptions: what was thrown in an attempt, and what becomes of it. Never throws: a value that throws when it is looked
 * at, such as a proxy, fails the call like any other error.
 *
 * @see spec TOOLS "Exception Handling"
 */
export function verdictOf(
  thrown: unknown,
  environment: EvaluationEnvironment,
  attempt: ThrowingAttempt,
): Verdict {
  try {
    return lookUp(thrown, environment, attempt);
  } catch {
    const error = new Error(describeError(thrown));
    return failed(
      'rolled-back',
      'threw',
      `The tool "${attempt.toolName}" failed: ${error.message}${attempt.note}`,
      {
        error,
      },
    );
  }
}

function lookUp(thrown: unknown, environment: EvaluationEnvironment, attempt: ThrowingAttempt): Verdict {
  const { toolName, effectsStand, note } = attempt;
  if (thrown instanceof Ended) return thrown.verdict;
  if (thrown instanceof RunStopped) return stoppedVerdict(toolName, thrown.reason, effectsStand);
  if (VisibilityExpansionRequired.isInstance(thrown)) return { kind: 'expanding', signal: thrown };
  if (endsTheRun(thrown, environment)) return { kind: 'interrupting', error: thrown };
  const cause = shortened(describeError(thrown));
  if (ToolValidationError.isInstance(thrown)) {
    return failed('rolled-back', 'validation', `Tool validation failed: ${cause}`, { error: thrown });
  }
  const raised = thrown instanceof TypeError ? `raised TypeError: ${cause}` : `failed: ${cause}`;
  return failed('rolled-back', 'threw', `The tool "${toolName}" ${raised}${note}`, { error: thrown });
}

/** True for what a handler throws to end the whole evaluation: the run's deadline or budget, or an error of a run that it made itself. */
function endsTheRun(thrown: unknown, environment: EvaluationEnvironment): boolean {
  if (DeadlineExceededError.isInstance(thrown) || BudgetExceededError.isInstance(thrown)) return true;
  if (!PromptEvaluationError.isInstance(thrown)) return false;
  if (!isRejectedEvaluation(thrown)) return true;
  const deadlineIsOurs =
    DeadlineExceededError.isInstance(thrown.cause) && environment.deadline?.isExpired() === true;
  return (
    deadlineIsOurs || environment.budget.hasRefused(thrown.cause) || environment.stop.reason !== undefined
  );
}

/** The beginning of a text that is too long for the model, marked as cut off. */
function shortened(text: string): string {
  return text.length <= maxErrorCharacters ? text : `${text.slice(0, maxErrorCharacters)}…`;
}
