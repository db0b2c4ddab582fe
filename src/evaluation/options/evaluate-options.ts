import type { OverridesSource } from '../../prompt/index.ts';
import type {
  ApprovalHandler,
  BudgetTracker,
  ConversationItem,
  Deadline,
  FeedbackProvider,
  InputPart,
  Redaction,
  RetryOptions,
  RunEventListener,
  ToolChoice,
} from '../../runtime/index.ts';
import type { Clock, IdSource, Session } from '../../session/index.ts';
import type {
  Budget,
  CompletionChecker,
  CompletionOptions,
  Logger,
  ModelSettings,
} from '../../tool/index.ts';

/** How one evaluation runs. Everything is optional. */
export interface EvaluateOptions {
  /** What the user says: one text, or several parts. Default: nothing beside the instructions. */
  readonly input?: string | readonly InputPart[];
  /** An earlier conversation to go on with, such as `response.conversation`. It is copied once. Default: none. */
  readonly history?: readonly ConversationItem[];
  /**
   * What to do about calls of `history` that have no result, which providers refuse: `'interrupt'` answers each of them with "interrupted; whether it ran is
   * not known" and logs a warning, `'refuse'` throws a `PromptValidationError` that names them, before anything else is done. Results
   * without a call are left out in any case. Default: `'interrupt'`.
   */
  readonly pendingCalls?: 'interrupt' | 'refuse';
  /**
   * Holds the state and the resources of the agent; one evaluation at a time. Default: a new one, disposed at the end.
   */
  readonly session?: Session;
  /** When the run must have ended. Default: never. */
  readonly deadline?: Deadline;
  /**
   * What the run may spend: limits, or a `BudgetTracker` that counts over several evaluations. Once a limit is passed no turn of
   * the model and no tool call begins; what has begun may finish and is kept. Limits without one are refused. Default: no limit.
   */
  readonly budget?: Budget | BudgetTracker;
  /**
   * Ends a run that tells of nothing for this many milliseconds, over 0: no turn, no call, no `context.beat()` or
   * `context.progress()`, also inside its calls. It must be longer than the model may take for a turn. While someone is asked for approval
   * it does not count. Default: never.
   */
  readonly watchdogMs?: number;
  /** Ends the run when aborted; calls that were not committed are rolled back. */
  readonly signal?: AbortSignal;
  /** Decides what policies ask. Default: whatever is asked is denied. */
  readonly approve?: ApprovalHandler;
  /**
   * Whether policies are held to. `false` is a trial: policies are asked and record what they see, but nothing is denied
   * and nobody is asked; what would have been is in `ToolInvoked` (`unenforced`) and in `policy-unenforced` events. Default: true.
   */
  readonly enforce?: boolean;
  /** Calls of one turn that may run at the same time: 1 or more; with 1 they run strictly one after the other. Default: 8. */
  readonly concurrency?: number;
  /**
   * Who looks at the run from the side and tells the model something behind the result of a call, in this order; also in
   * evaluations inside tool calls, which count for themselves. Default: nobody.
   */
  readonly feedback?: readonly FeedbackProvider[];
  /**
   * Decides whether the task is done when the model answers without calling a tool; if not, the model is told what is
   * missing and goes on. After the third check without success the evaluation ends with an error; name `maxChecks` for
   * another number. Turn limit, deadline and budget hold as ever. Not asked about an answer that was cut off
   * (`length`) or refused (`refusal`, `content-filter`): the model does not claim to be done. Default: the task is done.
   */
  readonly completion?: CompletionChecker | readonly CompletionChecker[] | CompletionOptions;
  /** How often the model may be asked: 1 or more. Default: 100. */
  readonly maxTurns?: number;
  /**
   * In how many turns the same call may fail before the run ends with a `PromptEvaluationError` (code `evaluation-failures-repeated`, phase
   * `tool`): 1 or more. The same call is the same tool with the same arguments, which fails for the same reason, while no call of the run
   * is committed; a commit begins the count anew. Of calls that were cut off the arguments do not count. Default: 5.
   */
  readonly maxRepeatedFailures?: number;
  /**
   * How many characters of the result of a call the model may get, message and value together: 1 or more, `Infinity` for no limit. The call of a
   * longer success fails (reason `result-too-large`) and is rolled back, a longer failure is cut off. Tools may have a limit of their own;
   * images and files have theirs. Default: 400,000, about half of what models with a context of 200,000 tokens can look at.
   */
  readonly maxResultCharacters?: number;
  /**
   * How often, in one run, a model whose final text is not the structured answer that is asked for is told what is wrong and
   * asked again: 0 or more. An answer that was cut off or refused is not sent back. Default: 2.
   */
  readonly maxOutputRepairs?: number;
  /**
   * How often, in one run, handlers may have sections opened by throwing `VisibilityExpansionRequired`: 0 or more. Beyond it such
   * a call fails like any other and the run goes on. What the model opens itself does not count. Default: 16.
   */
  readonly maxExpansions?: number;
  /** Default: `'auto'`. */
  readonly toolChoice?: ToolChoice;
  /** Settings of the model, over those of the adapter. Default: none. */
  readonly settings?: ModelSettings;
  /**
   * What happens when the conversation has outgrown what the model can look at: `'error'` ends the run with a
   * `PromptEvaluationError` (code `evaluation-context-exceeded`); `'drop-tool-results'` puts a short note in the place of the
   * oldest tool results, at least half of what they take, tells of it in an event, and asks again, as long as there is one
   * to drop. The conversation keeps every call with its result, and the response has the notes, too. Default: `'error'`.
   */
  readonly contextOverflow?: 'error' | 'drop-tool-results';
  /**
   * How many turns of the model the conversation holds at most, with the calls and results of each: 2 or more. When it would
   * be sent with more, the older ones are left out of it, down to half of the number, so that a run of any length takes bounded
   * memory and bounded requests. Beside these stay what the user said first and last before the run, and turns that opened sections;
   * a note tells the model that turns are missing, and an event tells which. Default: all of them.
   */
  readonly maxConversationTurns?: number;
  /**
   * Whether the model's answers are asked for piece by piece and told in `text-delta` and `reasoning-delta` events. Default: false; true for
   * `stream`.
   */
  readonly streaming?: boolean;
  /**
   * How a model that could not answer (rate limit, timeout, failure of the server) is asked again; `false`: it is not.
   * Default: up to 5 attempts for a turn, with waits that grow from half a second, 30 seconds in all.
   */
  readonly throttle?: RetryOptions | false;
  /**
   * Where other texts than those of the code come from. What does not fit is left out and logged as a warning; overrides
   * that cannot be loaded end the run before its first request. Nested evaluations take theirs from it too. Default: none.
   */
  readonly overrides?: OverridesSource;
  /** Hears what happens while it happens. Must not throw: what it throws or rejects with is logged. */
  readonly onEvent?: RunEventListener;
  /** Hears what an operator should know. Must not throw: what it throws or rejects with is dropped. Default: silent. */
  readonly logger?: Logger;
  /**
   * Takes out of every text what must not leave the run: in run events, in what subscribers are told and throw, in the records of
   * the session (`ToolInvoked` and the like), in log lines, and in the error that the evaluation rejects with. The model,
   * handlers, policies, `approve` and the slices of the agent get everything as it is, and so does `conversation` of
   * response and error, which is needed to go on; text and output of the response are the caller's, too. Nested evaluations
   * are covered. Keys of objects are texts too; numbers are not looked at. Must be pure; when it throws, a marker takes
   * the place of the text. `redactSecrets()` and `redactPatterns()` make one. Default: everything may leave.
   */
  readonly redact?: Redaction;
  /** Time and timers. Default: the session's, which is the system's unless it was given another. */
  readonly clock?: Clock;
  /** Makes the ids of session events, and that of a session that is created here. Default: the session's, which is random unless it was given another. */
  readonly ids?: IdSource;
}
