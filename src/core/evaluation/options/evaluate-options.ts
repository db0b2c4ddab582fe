import type { OverridesSource } from '../../prompt/index.ts';
import type {
  ApprovalHandler,
  Approver,
  BudgetTracker,
  ConversationItem,
  Deadline,
  FeedbackProvider,
  InputPart,
  MessageInbox,
  Redaction,
  RetryOptions,
  RunJournal,
  RunObserver,
  ToolChoice,
} from '../../runtime/index.ts';
import type { Clock, IdSource, Session } from '../../session/index.ts';
import type {
  Budget,
  CompletionChecker,
  Logger,
  ModelSettings,
  OuterToolCall,
  SharedBudgetPort,
  ToolContext,
} from '../../tool/index.ts';

/** How one evaluation runs. Everything is optional. `A` is what `approve` is: with `suspendApproval()` the run may end as a `SuspendedRun`. */
export interface EvaluateOptions<out A extends Approver = ApprovalHandler> {
  /** What the user says: one text, or several parts. Default: nothing beside the instructions. */
  readonly input?: string | readonly InputPart[];
  /**
   * An earlier conversation to continue with, such as `response.conversation`. It is copied once. That of a run that waits for answers is refused with a
   * `PromptValidationError`. Default: none.
   */
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
  /**
   * Keeps the run, so that it outlives its process: `resumeRun` continues it. What calls decide is durable before it reaches the disk or leaves the
   * process. Default: the run ends with its process.
   */
  readonly journal?: RunJournal;
  /**
   * Name of the run in the journal; no other run there may have it. 1 to 512 characters, without U+0000 and without half of a surrogate pair. Only with `journal`. Default: a new id.
   */
  readonly runId?: string;
  /**
   * What a program says to the run while it runs, by `createMessageInbox()`. Not with `journal`: there `sayToRun` says it, from any process. Default: nothing.
   */
  readonly inbox?: MessageInbox;
  /** How far the run goes: turns, time, tokens. */
  readonly limits?: RunLimits;
  /** Ends the run when aborted; calls that were not committed are rolled back. */
  readonly signal?: AbortSignal;
  /**
   * Decides the requests for approval of policies; `suspendApproval()` ends the run with them, for a run with a journal. Default: all are
   * denied.
   */
  readonly approve?: A;
  /**
   * Asks the user for a handler that calls `context.askUser()`: with the question, the call that asks, and the calls around it in `path`, outermost first. The answer is checked against
   * the fields of the question. `signal` is aborted when no answer is wanted any more. May throw or reject: that is logged as an error, and the handler gets
   * `unavailable`. Default: every handler gets `unavailable`.
   */
  readonly askUser?: (
    question: Parameters<ToolContext['askUser']>[0],
    call: {
      readonly callId: string;
      readonly toolName: string;
      readonly path: readonly OuterToolCall[];
      readonly signal: AbortSignal;
    },
  ) => Awaited<ReturnType<ToolContext['askUser']>> | ReturnType<ToolContext['askUser']>;
  /**
   * Whether policies are held to. `false` is a trial: policies are asked and record what they see, but nothing is denied
   * and no approval is requested; what would have happened is in `ToolInvoked` (`unenforced`) and in `policy-unenforced` events. Default: true.
   */
  readonly enforce?: boolean;
  /**
   * Providers that append guidance to the results of calls, in this order; also in
   * evaluations inside tool calls, with counts of their own. Default: none.
   */
  readonly feedback?: readonly FeedbackProvider[];
  /**
   * Decides whether the task is done when the model answers without calling a tool; if not, the model reads what is
   * missing and continues. A list means all of them: the first one that says no decides. After
   * `limits.maxCompletionChecks` checks without success the evaluation ends with an error. Turn limit, deadline and budget hold as ever. Not asked about an answer that was cut off
   * (`length`) or refused (`refusal`, `content-filter`): the model does not claim to be done. Default: the task is done.
   */
  readonly completion?: CompletionChecker | readonly CompletionChecker[];
  /** Default: `'auto'`. */
  readonly toolChoice?: ToolChoice;
  /** Settings of the model, over those of the adapter. Default: none. */
  readonly settings?: ModelSettings;
  /**
   * Whether the model's answers are streamed and emitted in `text-delta` and `reasoning-delta` events. Default: false; true for
   * `stream`.
   */
  readonly streaming?: boolean;
  /**
   * How a model that could not answer (rate limit, timeout, failure of the server) is asked again; `false`: it is not.
   * Default: up to 5 attempts for a turn, with waits that grow from half a second, 30 seconds in all.
   */
  readonly retry?: RetryOptions | false;
  /** What happens to a long conversation. */
  readonly context?: ContextOptions;
  /**
   * The source of replacements for the text of the code. Overrides that do not fit are dropped and logged as a warning; overrides
   * that cannot be loaded end the run before its first request. Inner evaluations take theirs from it too. Default: none.
   */
  readonly overrides?: OverridesSource;
  /** Name of the agent that runs, for observers; `wink run` gives the one of `defineAgent`. Default: the run has the name of its prompt only. */
  readonly agentName?: string;
  /**
   * Observers of the run: each gets every event, in this order, while it happens. What one throws or rejects with is logged and changes
   * nothing for the run or the others. Default: none.
   */
  readonly observers?: readonly RunObserver[];
  /** Receives what an operator should know. Must not throw: what it throws or rejects with is dropped. Default: silent. */
  readonly logger?: Logger;
  /**
   * Removes from every string what must not leave the run: in run events, in what subscribers get and throw, in the records of
   * the session (`ToolInvoked` and the like), in log lines, and in the error that the evaluation rejects with. The model,
   * handlers, policies, `approve` and the slices of the agent get everything as it is, and so does `conversation` of
   * response and error, which is needed to continue; text and output of the response are the caller's, too. Inner evaluations
   * are covered. Keys of objects count as strings; numbers are not checked. Must be pure; when it throws, a marker takes
   * the place of the text. `redactSecrets()` and `redactPatterns()` make one. Default: everything may leave.
   */
  readonly redact?: Redaction;
  /** Time and timers. Default: the session's, which is the system's unless it was given another. */
  readonly clock?: Clock;
  /** Makes the ids of session events, and that of a session that is created here. Default: the session's, which is random unless it was given another. */
  readonly ids?: IdSource;
}

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
   * How often the process may end while a call of a run with a journal runs: 1 or more. Resumed after that, the run does not make the call again: it fails with the reason
   * `interrupted-repeatedly`. So many lives in succession that end outside of calls, without a new decision, make `resumeRun` reject with `run-interrupted-repeatedly`. A run that its
   * signal has ended was not interrupted. Default: 5.
   */
  readonly maxInterruptions?: number;
  /**
   * How many characters of the result of a call the model may get, message and value together: 1 or more, `Infinity` for no limit. The call of a
   * longer success fails (reason `result-too-large`) and is rolled back, a longer failure is cut off. Tools may have a limit of their own;
   * images and files have theirs. Default: 400,000, about half of what models with a context of 200,000 tokens can take.
   */
  readonly maxResultCharacters?: number;
  /**
   * Ends a run without activity for this many milliseconds, over 0: no turn, no call, no `context.beat()` or `context.progress()`, also
   * inside its calls. It must be longer than the model may take for a turn. While an approval or an answer of the user is waited for it does not count. Default: never.
   */
  readonly idleTimeoutMs?: number;
  /** When the run must have ended. Default: never. */
  readonly deadline?: Deadline;
  /**
   * What the run may spend: limits, a `BudgetTracker` that counts over several evaluations, or a `sharedBudget()` that counts over several runs with a journal. Once a limit is passed no turn of
   * the model and no tool call begins; what has begun may finish and is kept. Limits without one are refused. Default: no limit.
   */
  readonly budget?: Budget | BudgetTracker | SharedBudgetPort;
}

/** What happens to a long conversation. Everything is optional. */
export interface ContextOptions {
  /**
   * Compacts the conversation: when the next request would take more than `atInputTokens`, older turns leave it and the state of the run takes their place, so that it takes
   * about `toInputTokens`: `digest` of slices and policies, files that were changed and read, sections that were opened. All that people and the calling program said stays, and so do the
   * last turns, at least one. `atInputTokens` is 60 % of what the model takes, or so; `toInputTokens` is at most three quarters of it. A conversation that is too long for the model is compacted
   * before `overflow` is asked. Not together with `maxTurns`, nor with compaction by the provider. Default: nothing leaves.
   */
  readonly compact?: { readonly atInputTokens: number; readonly toInputTokens: number };
  /**
   * Keeps long results of calls with the conversation: the model reads the beginning and the end of a result of more than `maxCharacters`, 1,000 or more, and any part of it by the
   * tool `read_result`, which it gets from the start. Failed results are kept, too; files, policies and images are not concerned, and `limits.maxResultCharacters` holds as ever. Default: the
   * model gets all of a result at once.
   */
  readonly results?: {
    readonly maxCharacters: number;
    /** Characters of all results that are kept, 1,000 or more: beyond that the oldest go. Default: 64,000,000. */
    readonly maxTotalCharacters?: number;
  };
  /**
   * Turns of the model that the conversation holds at most, with the calls and results of each: 2 or more. When it would
   * be sent with more, the older ones are left out of it, down to half of the number, so that a run of any length takes bounded
   * memory and bounded requests. Beside these stay all that people and the calling program said, and turns that opened or read sections;
   * a note informs the model that turns are missing, and an event lists them. Default: all of them.
   */
  readonly maxTurns?: number;
  /**
   * What happens when the conversation exceeds the model's context window: `'error'` ends the run with a
   * `PromptEvaluationError` (code `evaluation-context-exceeded`); `'drop-tool-results'` puts a short note in the place of the
   * oldest tool results, at least half of what they take, emits an event, and retries, as long as there is one
   * to drop. Results that opened or read sections stay. The conversation keeps every call with its result, and the response has the notes, too. Default: `'error'`.
   */
  readonly overflow?: 'error' | 'drop-tool-results';
}
