import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * The token or cost budget of a run is used up.
 *
 * Code: `budget-exceeded`.
 * What to do: see `evaluation-budget-exceeded`.
 */
export class BudgetExceededError extends WinkError<'budget-exceeded'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('BudgetExceededError', message, { code: 'budget-exceeded', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is BudgetExceededError {
    return hasErrorMarker(value, 'BudgetExceededError');
  }
}

/**
 * The deadline of a run has passed.
 *
 * Code: `deadline-exceeded`.
 * What to do: see `evaluation-deadline-exceeded`.
 */
export class DeadlineExceededError extends WinkError<'deadline-exceeded'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('DeadlineExceededError', message, { code: 'deadline-exceeded', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is DeadlineExceededError {
    return hasErrorMarker(value, 'DeadlineExceededError');
  }
}

/**
 * A final answer of the model that does not match the prompt's output schema. `details.text` holds the answer.
 *
 * Code: `output-parse-failed`.
 * What to do: see `evaluation-output-invalid`.
 */
export class OutputParseError extends WinkError<'output-parse-failed'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('OutputParseError', message, { code: 'output-parse-failed', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is OutputParseError {
    return hasErrorMarker(value, 'OutputParseError');
  }
}
