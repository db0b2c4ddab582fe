import {
  BudgetExceededError,
  DeadlineExceededError,
  describeError,
  ToolValidationError,
} from '../../../error/index.ts';
import { cutAfter } from '../../../internal/index.ts';
import { VisibilityExpansionRequired } from '../../../prompt/index.ts';
import { PromptEvaluationError } from '../../events/prompt-evaluation-error.ts';
import { RunStoppedSignal } from '../../limits/run-stop.ts';
import type { EvaluationEnvironment } from '../environment/environment.ts';
import { failed, stoppedVerdict, type Verdict } from '../tool-call/verdict.ts';

/** Thrown inside an attempt to end it with a verdict. */
export class AttemptEnd {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    this.verdict = verdict;
  }
}

/** `thrown instanceof type`; false for a value that throws when it is read, such as a proxy. */
export function isThrown<T>(thrown: unknown, type: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

const maxErrorCharacters = 4_000;

/** What is known of the attempt that something was thrown in. */
interface ThrowingAttempt {
  readonly toolName: string;
  /** Whether a handler with effects outside was started. */
  readonly hasExternalEffects: boolean;
  /** For the end of the message: the effects that remain after the rollback; empty when there are none. */
  readonly note: string;
}

/**
 * The table of exceptions: what was thrown in an attempt, and the verdict on it. Never throws: a value that throws when it is read
 * at, such as a proxy, fails the call like any other error.
 *
 * @see docs/spec/tool-calls.md §5
 */
export function verdictOn(
  thrown: unknown,
  environment: EvaluationEnvironment,
  attempt: ThrowingAttempt,
): Verdict {
  try {
    return lookUp(thrown, environment, attempt);
  } catch {
    const error = new Error(describeError(thrown));
    const message = `The tool "${attempt.toolName}" failed: ${error.message}${attempt.note}`;
    return failed('rolled-back', 'threw', message, { error });
  }
}

function lookUp(thrown: unknown, environment: EvaluationEnvironment, attempt: ThrowingAttempt): Verdict {
  const { toolName, hasExternalEffects, note } = attempt;
  if (thrown instanceof AttemptEnd) return thrown.verdict;
  if (thrown instanceof RunStoppedSignal) return stoppedVerdict(toolName, thrown.reason, hasExternalEffects);
  if (VisibilityExpansionRequired.isInstance(thrown)) return { kind: 'needs-sections', signal: thrown };
  if (endsTheRun(thrown, environment)) return { kind: 'fatal', error: thrown };
  const cause = cutAfter(describeError(thrown), maxErrorCharacters);
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

/** On errors that an evaluation rejected with, by whichever loaded copy of the package. */
const mark: unique symbol = Symbol.for('weakincentives.rejected');

/** So many causes are followed; a chain that is longer goes in a circle. */
const maxCauses = 64;

/** Marks what an evaluation rejects with: inside a handler it fails the call that let it through, and not the run. @returns the same value. */
export function markRejected<T>(thrown: T): T {
  if (thrown instanceof Error && !(mark in thrown) && Object.isExtensible(thrown)) {
    Object.defineProperty(thrown, mark, { value: true });
  }
  return thrown;
}

/** True for what an evaluation rejected with, and for what has that among its causes. */
function isRejectedEvaluation(thrown: unknown): boolean {
  let error = thrown;
  for (let steps = 0; error instanceof Error && steps < maxCauses; steps += 1) {
    if (mark in error) return true;
    error = error.cause;
  }
  return false;
}
