import { integer, type OptionsOf } from '../error/index.ts';
import type { Budget } from './budget.ts';
import type { BudgetTrackerPort, DeadlinePort, SharedBudgetPort } from './ports.ts';

/** How far an evaluation inside a tool call goes. Everything is optional; the limits of the outer run hold in any case. */
export interface NestedRunLimits {
  /** Turns of the model: 1 or more. Default: 100. */
  readonly maxTurns?: number;
  /** Calls of one turn that may run at the same time: 1 or more. Default: as in the run. */
  readonly maxConcurrentCalls?: number;
  /** Checks of the option `completion`: 1 or more. Default: 3. */
  readonly maxCompletionChecks?: number;
  /** Turns in which the same call may fail for the same reason, with no commit in between: 1 or more. Default: as in the run. */
  readonly maxRepeatedFailures?: number;
  /** A `Deadline` of its own, which ends the inner evaluation only. Default: that of the run. */
  readonly deadline?: DeadlinePort;
  /**
   * A budget of its own, beside that of the run: passing it ends the inner evaluation only. A `BudgetTracker` counts over several
   * evaluations, a `sharedBudget()` over several runs with a journal. Default: none of its own. What is spent counts against the run's in any case.
   */
  readonly budget?: Budget | BudgetTrackerPort | SharedBudgetPort;
}

/** What the limits of an evaluation inside a tool call must be. */
export const innerLimitChecks: OptionsOf<NestedRunLimits, 'maxTurns' | 'maxCompletionChecks'> = {
  maxTurns: integer({ min: 1, default: 100 }),
  maxConcurrentCalls: integer({ min: 1 }),
  maxCompletionChecks: integer({ min: 1, default: 3 }),
  maxRepeatedFailures: integer({ min: 1 }),
  deadline: 'any',
  budget: 'any',
};
