import type { BudgetTracker, Deadline } from '../../runtime/index.ts';
import type { Budget } from '../../tool/index.ts';

/** How far a run goes. Everything is optional. */
export interface RunLimits {
  /** Turns of the model: 1 or more. The run ends with the code `evaluation-turns-exceeded` after the last one. Default: 100. */
  readonly maxTurns?: number;
  /** Calls of one turn that may run at the same time: 1 or more; with 1 they run strictly one after the other. Default: 8. */
  readonly maxConcurrentCalls?: number;
  /**
   * How often, in one run, a final text of the model that is not the structured answer is sent back with what is wrong: 0 or more. An
   * answer that was cut off or refused is not sent back. Default: 2.
   */
  readonly maxOutputRepairs?: number;
  /**
   * How often, in one run, handlers may have sections opened by throwing `VisibilityExpansionRequired`: 0 or more. Beyond it such
   * a call fails like any other and the run continues. Sections that the model opens itself do not count. Default: 16.
   */
  readonly maxSectionOpenings?: number;
  /**
   * How often the option `completion` is checked in one run: 1 or more. If the task is still not done at the last check, the run ends
   * with a `PromptEvaluationError` of code `evaluation-incomplete`. Default: 3.
   */
  readonly maxCompletionChecks?: number;
  /**
   * In how many turns the same call may fail before the run ends with a `PromptEvaluationError` (code `evaluation-failures-repeated`, phase
   * `tool`): 1 or more. The same call is the same tool with the same arguments, which fails for the same reason, while no call of the run
   * is committed; a commit begins the count anew. Of calls that were cut off the arguments do not count. Default: 5.
   */
  readonly maxRepeatedFailures?: number;
  /**
   * How many characters of the result of a call the model may get, message and value together: 1 or more, `Infinity` for no limit. The call of a
   * longer success fails (reason `result-too-large`) and is rolled back, a longer failure is cut off. Tools may have a limit of their own;
   * images and files have theirs. Default: 400,000, about half of what models with a context of 200,000 tokens can take.
   */
  readonly maxResultCharacters?: number;
  /**
   * Ends a run without activity for this many milliseconds, over 0: no turn, no call, no `context.beat()` or `context.progress()`, also
   * inside its calls. It must be longer than the model may take for a turn. While an approval is waited for it does not count. Default: never.
   */
  readonly idleTimeoutMs?: number;
  /** When the run must have ended. Default: never. */
  readonly deadline?: Deadline;
  /**
   * What the run may spend: limits, or a `BudgetTracker` that counts over several evaluations. Once a limit is passed no turn of
   * the model and no tool call begins; what has begun may finish and is kept. Limits without one are refused. Default: no limit.
   */
  readonly budget?: Budget | BudgetTracker;
}

/** What happens to a long conversation. Everything is optional. */
export interface ContextOptions {
  /**
   * Turns of the model that the conversation holds at most, with the calls and results of each: 2 or more. When it would
   * be sent with more, the older ones are left out of it, down to half of the number, so that a run of any length takes bounded
   * memory and bounded requests. Beside these stay what the user said first and last before the run, and turns that opened sections;
   * a note informs the model that turns are missing, and an event lists them. Default: all of them.
   */
  readonly maxTurns?: number;
  /**
   * What happens when the conversation exceeds the model's context window: `'error'` ends the run with a
   * `PromptEvaluationError` (code `evaluation-context-exceeded`); `'drop-tool-results'` puts a short note in the place of the
   * oldest tool results, at least half of what they take, emits an event, and retries, as long as there is one
   * to drop. The conversation keeps every call with its result, and the response has the notes, too. Default: `'error'`.
   */
  readonly overflow?: 'error' | 'drop-tool-results';
}
