import type { Filesystem } from '../../filesystem/index.ts';
import type { RenderedPrompt } from '../../prompt/index.ts';
import type {
  Approver,
  ModelTool,
  RunJournal,
  TokenUsage,
  ToolInvokedPayload,
  TraceContext,
} from '../../runtime/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { Session } from '../../session/index.ts';
import type { AnyTool, BudgetExcess, HostedTool, ToolResultItem } from '../../tool/index.ts';
import type { ContextOptions, EvaluateOptions, RunLimits } from '../options/evaluate-options.ts';
import type { ProviderAdapter } from '../run/provider-adapter.ts';

/** A call that a model requested, in any loop. */
export interface ToolRuntimeCall {
  /** The model's name for the call; unique within a turn. */
  readonly callId: string;
  /** Name of the tool. */
  readonly name: string;
  /** The JSON text as the model wrote it, which may be malformed, or the object that was parsed from it. Empty text means no arguments. */
  readonly arguments: string | JsonObject;
  /** `false` for a call that may have been cut off, by the limit on the length of an answer: it is not run, but answered with a failed result. Default: true. */
  readonly isComplete?: boolean;
}

/** The answer to a call: `text` is what the model has to read, word for word. */
export interface ToolRuntimeOutput extends Omit<ToolResultItem, 'type'> {
  /** What happened in the call: how it ended, its params and value, what it changed. Never redacted. */
  readonly invocation: ToolInvokedPayload;
  /** True when the handler kept the value of its result from the model (`excludeValueFromContext`): pass on its text alone. Absent: it did not. */
  readonly isValueExcluded?: true;
}

/** Options of single calls. */
export interface ToolRuntimeCallOptions {
  /**
   * Aborts these calls: what they have not committed is rolled back. The runtime stays open. Default: never aborted.
   */
  readonly signal?: AbortSignal;
  /** The span of another program that asked for these calls. An observer such as `otelObserver` continues its trace. Default: none. */
  readonly trace?: { [Name in keyof TraceContext]: TraceContext[Name] };
}

/** What a loop knows of the tokens of one answer; AI SDK's `usage` fits. */
export type ReportedUsage = { readonly [Count in keyof TokenUsage]?: TokenUsage[Count] | undefined };

/**
 * The tools of a prompt for a loop of your own: you ask the model, the runtime runs what it asks for, with the transactions,
 * policies and text of an evaluation. It holds its session until it is disposed: `await using runtime = await openToolRuntime(prompt)`.
 */
export interface ToolRuntime<Output = unknown> {
  /** The session that it holds. */
  readonly session: Session;
  /** The rendered prompt, for the system text of your requests. Opened sections do not change it: they are the text of a call. */
  readonly instructions: string;
  /** The tools to offer. Grows at its end when sections are opened: read it for each request. */
  readonly tools: readonly ModelTool[];
  /** The declaration of a tool on offer, with its effects and schemas; undefined for a name that is not among `tools`. */
  toolNamed(name: string): AnyTool | undefined;
  /** Tools of the prompt that the provider is to run. Offering them is up to your loop; a warning is logged when there are any. */
  readonly hostedTools: readonly HostedTool[];
  /** Aborted when the run is stopped: by the signal, deadline, budget or watchdog of its options, or by a handler. Give it to your requests. */
  readonly signal: AbortSignal;
  /** Tokens spent so far: what was counted, and what evaluations inside handlers spent. */
  readonly usage: TokenUsage;
  /** The limit of the budget that was passed; undefined while none is. Once one is, ask the model no more: no call is begun. */
  readonly budgetExceeded: BudgetExcess | undefined;
  /**
   * Runs the calls of one turn as an evaluation does: those that may run at the same time do, and what comes of them is
   * what comes of running them one after the other. Whatever is wrong with a call is the text of its answer.
   * Turns are run one after the other. A handler must not wait for a turn of its own runtime: it would wait for the handler.
   *
   * @returns the answers in the order of the calls.
   * @throws {PromptEvaluationError} what an evaluation would end with, once every call has its answer; calls and answers of this turn
   *   are its `conversation`: `evaluation-deadline-exceeded`, `-budget-exceeded`, `-idle`, `-aborted`, `-interrupted`, `-tools-failed`. The run is over then, and `signal`
   *   is aborted; only when it was the signal of these calls, the runtime stays open. `evaluation-response-invalid` when a call has no id, or the
   *   same as another one: nothing was run.
   * @throws {TransactionClosedError} when the runtime was disposed.
   */
  runCalls(
    calls: readonly ToolRuntimeCall[],
    options?: ToolRuntimeCallOptions,
  ): Promise<readonly ToolRuntimeOutput[]>;
  /**
   * Runs one call, for loops that start each on its own, and for servers. Calls that come together are gathered until timers have run
   * (`clock.yieldToTimers`) and make up one turn, in the order in which they came. It begins at once, also while others run: each call works
   * on the state as it is then and is committed when it has ended, as if it had run at that moment; only calls with effects `external`, and calls of a
   * prompt with a resource that joins one transaction at a time, wait for the calls before them and let later ones wait.
   *
   * @throws what `runCalls` throws.
   */
  call(call: ToolRuntimeCall, options?: ToolRuntimeCallOptions): Promise<ToolRuntimeOutput>;
  /**
   * Counts what one answer of the model took, against the budget too. Call it once for every answer.
   *
   * @returns the limit that is passed; undefined while none is.
   * @throws {PromptValidationError} for a count that is not a number of at least 0.
   */
  countUsage(usage: ReportedUsage | undefined): BudgetExcess | undefined;
  /**
   * The structured answer in the model's final text, checked against the output schema of the prompt; undefined when it has none.
   *
   * @throws {OutputParseError} whose message explains to the model what is wrong.
   */
  parseOutput(text: string): Promise<Output>;
  /** What a server offers beside the tools. @internal */
  readonly '~offered'?: {
    /** The files that calls are committed to. */
    readonly filesystem: Filesystem | undefined;
    readonly sections: RenderedPrompt['~sections'];
  };
  /** Ends the run: running calls are aborted and rolled back, the session is released, and disposed if the runtime made it. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How the calls of a loop that is not the library's are run. Everything is optional and means what it does in an evaluation. */
export interface ToolRuntimeOptions
  extends Pick<
    EvaluateOptions,
    | 'session'
    | 'agentName'
    | 'signal'
    | 'enforce'
    | 'askUser'
    | 'feedback'
    | 'overrides'
    | 'observers'
    | 'logger'
    | 'redact'
    | 'clock'
    | 'ids'
  > {
  /** How far the run goes: limits of its calls, time, tokens. Those on the model are the business of the loop. */
  readonly limits?: Pick<
    RunLimits,
    | 'maxConcurrentCalls'
    | 'maxSectionOpenings'
    | 'maxResultCharacters'
    | 'idleTimeoutMs'
    | 'deadline'
    | 'budget'
  >;
  /** Long results of calls are kept for the model to read in parts; the rest of the conversation is the business of the loop. Default: the model gets all of a result at once. */
  readonly context?: Pick<ContextOptions, 'results'>;
  /**
   * Keeps what the calls do, so that it can be taken back and looked at. What a call decides is durable before it reaches the disk, and what became of a call before its answer is
   * returned. When the journal fails, or another owner has the lease of the session, every later call rejects with a `RunLostError`, and session and files throw it. No one can
   * continue such a run. Default: the calls are not kept.
   *
   * @see docs/spec/durable-runs.md §11
   */
  readonly journal?: RunJournal;
  /** Name of the run in the journal; no other run there may have it. Only with `journal`. Default: a new id. */
  readonly runId?: string;
  /**
   * Decides the requests for approval of policies. With `suspendApproval()`, for a runtime with a journal, a call that asks is denied, and its question waits in the journal for a person; when
   * the same call is made again after a yes, it goes through, once. A question inside another call is denied. Default: all are denied.
   */
  readonly approve?: Approver;
  /** Used in events as the name of an adapter is. Default: `tool runtime`. */
  readonly name?: string;
  /**
   * What handlers evaluate prompts on (`context.adapter`): made by `providerAdapter()`, as all adapters of the library are. Default: none; a handler
   * that evaluates a prompt then gets a `PromptValidationError`, which fails its call.
   */
  readonly adapter?: ProviderAdapter;
}
