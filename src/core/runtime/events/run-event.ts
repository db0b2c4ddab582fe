import type { ThrottleKind } from '../../error/index.ts';
import type { JsonObject, JsonValue } from '../../schema/index.ts';
import type {
  BudgetExcess,
  Citation,
  ConversationItem,
  FinishReason,
  HostedToolOutput,
  ModelSettings,
  RecordedApproval,
  RecordedChange,
  RecordedError,
  RecordedFeedback,
  TokenPrices,
  TokenUsage,
  ToolCallPart,
  ToolEffects,
  ToolInvokedPayload,
  UnenforcedDecision,
} from '../../tool/index.ts';
import type { TakenMessages } from './taken-messages.ts';
import type { TraceContext } from './trace-context.ts';

/** An evaluation inside a call, as the evaluation that made the call knows it. */
export interface RunPathStep {
  /** The turn of the call. */
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  /** Number of the attempt at that call, from 1. */
  readonly attempt: number;
  /** Number of the evaluation among those of the attempt, from 1 in the order they were begun. */
  readonly evaluation: number;
  /** The policy that evaluates, to judge the call. Absent: the handler evaluates. */
  readonly policy?: string;
}

/**
 * What an observer of a run gets, while it happens. `turn` counts the model calls of the evaluation from 1. A closed union. No event of an evaluation
 * inside a call is emitted once the attempt has ended.
 */
export type RunEvent = {
  /** The same in everything that one evaluation reports. */
  readonly evaluationId: string;
  /** Where the evaluation runs, outermost step first; empty for one on a root session. One frozen array in all events of an evaluation. */
  readonly path: readonly RunPathStep[];
} & BareEvent;

/** The turn that an event is about. */
type OfTurn = Pick<ToolInvokedPayload, 'turn'>;
/** The call that an event is about. */
type OfCall = Pick<ToolInvokedPayload, 'turn' | 'callId' | 'toolName'>;

/** What an event of each type says. */
interface RunEvents {
  readonly 'run-start': {
    readonly promptName: string;
    readonly adapter: string;
    readonly tools: readonly string[];
    readonly sessionId: string;
    /** Whether the caller gave the session, which may then have been part of other runs and continue in others. */
    readonly isSessionGiven: boolean;
    /** Whether a redaction is in place. */
    readonly isRedacted: boolean;
    /** The run is the life of a tool runtime: another loop has the conversation. Absent: it is an evaluation. */
    readonly isToolRuntime?: true;
    /** Identity of the prompt. `hash` is equal for prompts whose texts and tools are the same in their code. */
    readonly prompt: { readonly namespace: string; readonly key: string; readonly hash: string };
    /** Name of the agent, where the prompt is one's. */
    readonly agent?: string;
    /** Name of the provider as telemetry calls it, such as `openai`. Absent: not known. */
    readonly provider?: string;
    /** Name of the model that is asked. */
    readonly model: string;
    readonly prices?: TokenPrices;
    /** The models that the run may ask, in their order, where there are several; `model`, `provider` and `prices` are of the one that it begins with. */
    readonly models?: readonly {
      /** As in other events. */
      readonly name: string;
      readonly provider?: string;
      readonly model: string;
      readonly prices?: TokenPrices;
    }[];
    /** Settings of the caller; those of the adapter are not in it. */
    readonly settings: ModelSettings;
    /**
     * How far the run goes: its own limits, and not those of a run around it. Absent for the life of a tool runtime. A limit is absent where there is none;
     * `expiresAtMs` is its deadline, in milliseconds since the Unix epoch.
     */
    readonly limits?: {
      readonly maxTurns: number;
      readonly maxRepeatedFailures: number;
      readonly maxTotalTokens?: number;
      readonly maxInputTokens?: number;
      readonly maxOutputTokens?: number;
      /** In the currency of the prices. */
      readonly maxCost?: number;
      readonly expiresAtMs?: number;
    };
    /** What happens to a long conversation, as the options `context` say. Absent: nothing is asked for. */
    readonly context?: {
      readonly compact?: { readonly atInputTokens: number; readonly toInputTokens: number };
      readonly results?: { readonly maxCharacters: number; readonly maxTotalCharacters?: number };
      readonly maxTurns?: number;
      readonly overflow?: 'error' | 'drop-tool-results';
    };
    /** Effects of each tool, by name. */
    readonly effects: Readonly<Record<string, ToolEffects>>;
    /** Names of the tools with effects outside whose calls may be made again. Absent: there are none. */
    readonly idempotent?: readonly string[];
    /** The params that the prompt was bound to. Absent: they are not plain JSON. */
    readonly params?: JsonObject;
    /** Hashes of texts that the prompt shows and that are not of the program, by name, such as `skill pdf`. Absent: there are none. */
    readonly sources?: Readonly<Record<string, string>>;
    /** Equal for the same tools: names, descriptions and schemas. */
    readonly toolsHash: string;
    /** Names of the prompt's policies, in the order in which they are asked. */
    readonly policies: readonly string[];
  };
  /** A question that the run ends with instead of waiting for an answer; it is durable. */
  readonly 'approval-pending': OfCall & {
    readonly policy: string;
    /** Name of the prompt whose policy it is, where that is an outer one. */
    readonly policyPrompt?: string;
    readonly reason: string;
    readonly about: 'call' | 'changes';
    /** What an answer names. */
    readonly id: string;
    readonly digest: string;
  };
  /** A run continues that was interrupted, or had ended without an answer. What happened before is not emitted again. */
  readonly 'run-resumed': {
    readonly runId: string;
    /** The turn that it continues in. */
    readonly turn: number;
    /** Calls that were committed before. */
    readonly commits: number;
    /** What is not as it was when the run began, such as `prompt`, `tools`, or a file that others have changed. */
    readonly changed: readonly string[];
    /** How often the process of the run has ended without an end of the run. Absent: never. */
    readonly interruptions?: number;
    /** Name of the model that the run is with, where it has several and has left the first one. Absent otherwise. */
    readonly model?: string;
  };
  /** A turn of the model begins. Not in a tool runtime, whose turns belong to the loop of its user. */
  readonly 'turn-start': OfTurn;
  readonly 'model-call-start': OfTurn;
  readonly 'model-call-retry': OfTurn & {
    /** Number of the attempt that comes after the wait, from 2. */
    readonly attempt: number;
    /** How long is waited first. */
    readonly delayMs: number;
    readonly reason: ThrottleKind;
    readonly message: string;
    /**
     * How many characters of the answer that broke off were emitted as `text-delta` and `reasoning-delta`, as `length` counts them: the last ones of the turn
     * until here, which are void. Absent when none were.
     */
    readonly voidCharacters?: { readonly text: number; readonly reasoning: number };
  };
  /**
   * The model could not answer, and its retries are used up: from here on the run asks the next one of `fallbackAdapter`, until it ends. A turn may have
   * several of these.
   */
  readonly 'model-changed': OfTurn & {
    /** Names of the models, as `models` of `run-start` has them. */
    readonly from: string;
    readonly to: string;
    /** Why the first of them did not answer, and what it said last. */
    readonly reason: ThrottleKind;
    readonly message: string;
    /** As of a `model-call-retry`: what was emitted of the answer that broke off. Absent when nothing was. */
    readonly voidCharacters?: { readonly text: number; readonly reasoning: number };
  };
  /**
   * The answer of this turn begins again, in a run that streams and was resumed: the model had been asked for it before the interruption, and no answer was kept.
   * The deltas of the turn that came before the interruption are void.
   */
  readonly 'answer-restarted': OfTurn;
  /**
   * A piece of what the model says; only in a run that streams, and between the start and the end of a model
   * call. After a `model-call-retry`, a `model-changed` or an `answer-restarted` the answer begins again, and after `tool-results-dropped` the turn: earlier deltas of it are void. With `redact`
   * text that may be the start of a secret is held back until more follows: all of the answer, unless `redact.pending` limits it.
   */
  readonly 'text-delta': OfTurn & { readonly text: string };
  /** A piece of what the model thinks, under the same rules. */
  readonly 'reasoning-delta': OfTurn & { readonly text: string };
  readonly 'model-call-end': OfTurn & {
    readonly text: string;
    readonly toolCalls: readonly ToolCallPart[];
    readonly finishReason: FinishReason;
    readonly usage?: TokenUsage;
    /** From the request to the whole answer, waits before it was sent again included. */
    readonly durationMs: number;
    /** From the request that was answered to the first piece of the answer; only in a run that streams. */
    readonly timeToFirstPieceMs?: number;
    /** The provider's id of the answer; absent when it gives none. */
    readonly responseId?: string;
    /** The model that answered, as the provider names it; absent when it does not say. */
    readonly responseModel?: string;
    /** The service tier that the answer was served in, as the provider names it; absent when it does not say. Prices may differ between tiers. */
    readonly serviceTier?: string;
    /** True when the provider shortened the conversation in this turn, as by a summary in the place of what came before; absent otherwise. */
    readonly isCompacted?: boolean;
    /**
     * What the provider says of its prompt cache, where an adapter asked it (`promptCaching: { diagnose: true }`): whether this request could reuse the one before; `missed`, about
     * how many tokens it could not; `reason`, why, in the words of the provider, such as `tools_changed`. Absent when it does not say.
     */
    readonly cache?: { readonly hit: boolean; readonly missed?: number; readonly reason?: string };
    /** Name of the model that answered, in a run that has several; absent otherwise. */
    readonly answeredBy?: string;
  };
  /** What has been spent, after each model call; also after one that cannot be used, and for one that a tool runtime is asked to count. */
  readonly 'usage-counted': OfTurn & {
    /** Of this model call; empty when the provider does not say. */
    readonly usage: TokenUsage;
    /** Of the run so far, evaluations inside its calls included. */
    readonly total: TokenUsage;
  };
  /** The provider ran a hosted tool: outside policies and transactions, and nothing of it is rolled back. */
  readonly 'hosted-tool-called': OfTurn & {
    readonly toolName: string;
    readonly output: HostedToolOutput;
    /** What of the turn's text rests on the tool; with the last invocation of the turn. */
    readonly citations: readonly Citation[];
  };
  /** The answer to a provider that asked whether it may run something. */
  readonly 'hosted-approval-answered': OfTurn & {
    readonly toolName: string;
    /** What is to be run, such as the name of a remote tool. */
    readonly name: string;
    readonly approved: boolean;
    readonly reason?: string;
  };
  /** The conversation had outgrown the model; the results of these calls became a note, oldest first. */
  readonly 'tool-results-dropped': OfTurn & {
    readonly callIds: readonly string[];
    /** Characters less. */
    readonly characters: number;
    /** As of a `model-call-retry`: what was emitted of the answer that had no room. Absent when nothing was. */
    readonly voidCharacters?: { readonly text: number; readonly reasoning: number };
  };
  /** The conversation held more turns of the model than `context.maxTurns`; these are in it no more. */
  readonly 'turns-dropped': {
    /** The last turn before. */
    readonly turn: number;
    /** How many turns. */
    readonly turns: number;
    /** The calls that they made, oldest first. */
    readonly callIds: readonly string[];
  };
  /** People have said something to the run, and its model reads it in this turn. Messages that the same one has said come together. */
  readonly 'input-taken': OfTurn & { [Name in keyof TakenMessages]: TakenMessages[Name] };
  /**
   * The next request would have taken more than `context.compact.atInputTokens`, or had been too long for the model: older turns have left the conversation, and the state of the run has
   * taken their place.
   */
  readonly 'context-compacted': {
    /** The turn before whose request it was. */
    readonly turn: number;
    /** How many turns have left. */
    readonly turns: number;
    /** Tokens of the request before and after it, estimated where the provider has not reported them. */
    readonly inputTokensBefore: number;
    readonly inputTokensAfter: number;
    /** What became of the conversation: applied one after the other they make it what the model gets. */
    readonly edits: readonly {
      /** Index of the first item. */
      readonly at: number;
      readonly remove: number;
      readonly insert: readonly ConversationItem[];
    }[];
  };
  /**
   * The end of a turn: the model has answered, and the calls that it asked for have their results. It does not come when the run ends
   * within the turn, or when the conversation is too long for the model and the next turn asks it again with less.
   */
  readonly 'turn-end': OfTurn & {
    readonly finishReason: FinishReason;
    /** How many calls it asked for. */
    readonly toolCalls: number;
  };
  /** A turn of the model passed a limit of a budget. Nothing is begun any more: no turn, no tool call. */
  readonly 'budget-exceeded': OfTurn & BudgetExcess;
  readonly 'tool-call-start': OfCall & {
    /** The arguments as parsed JSON; absent when they were no JSON. */
    readonly params?: JsonValue;
    /** What the call is about, as the option `subject` of the tool says: one line of at most 80 characters. Absent: the tool has none, or it said nothing. */
    readonly subject?: string;
    /** The span of the caller, where the caller of a tool runtime named one. */
    readonly trace?: { [Name in keyof TraceContext]: TraceContext[Name] };
  };
  readonly 'tool-call-retry': OfCall & {
    /** Number of the attempt that begins now, from 2. */
    readonly attempt: number;
    readonly conflicts: readonly string[];
  };
  /** Someone is asked, and the call waits for the answer. */
  readonly 'approval-start': OfCall &
    Pick<RecordedApproval, 'policy' | 'policyPrompt' | 'reason' | 'about'> & {
      /** The files that the call would change; absent when it has not run yet. */
      readonly changes?: readonly { [Name in keyof RecordedChange]: RecordedChange[Name] }[];
    };
  /** The answer. It does not come when the run ends first. */
  readonly 'approval-end': OfCall & RecordedApproval;
  /** A policy would have refused the call, or asked, but is not enforced. */
  readonly 'policy-unenforced': OfCall &
    UnenforcedDecision & {
      /** Number of the attempt, from 1. What superseded attempts met is not part of the record of the call. */
      readonly attempt: number;
    };
  readonly 'tool-call-progress': OfCall & { readonly update: JsonValue };
  readonly 'tool-call-heartbeat': OfCall;
  /** A feedback provider ran after a call; what it said is part of the text of the call. */
  readonly 'feedback-recorded': OfCall & RecordedFeedback;
  /** An answer could not be read as the requested structured output; the model gets the reason and another request. */
  readonly 'output-rejected': {
    /** The turn whose text is discarded. */
    readonly turn: number;
    /** Number of the repair, from 1. */
    readonly repair: number;
    /** The message to the model. */
    readonly problem: string;
  };
  /** The model has answered, and a checker decided whether the task is done. */
  readonly 'completion-checked': OfTurn & {
    readonly checker: string;
    /** Number of the check, from 1. */
    readonly check: number;
    /** After `incomplete` the model is asked again, unless it was the last check. */
    readonly outcome: 'complete' | 'incomplete';
    /** The message to the model. */
    readonly feedback?: string;
  };
  readonly 'tool-call-end': OfCall & {
    readonly invocation: ToolInvokedPayload;
    /** What the handler threw, as it was thrown. */
    readonly cause?: unknown;
  };
  readonly 'run-end': {
    /** `suspended`: it waits for answers, and continues when it is resumed. */
    readonly outcome: 'finished' | 'failed' | 'suspended';
    readonly turns: number;
    readonly usage: TokenUsage;
    /** The final text of the model; absent in a tool runtime and for a run that failed. */
    readonly text?: string;
    /** The structured answer as the model wrote it; absent without an output schema. */
    readonly output?: JsonValue;
    /** Why it failed. */
    readonly error?: RecordedError;
  };
}

/** An event without where it happens: as it is emitted, and in the rows of a run. */
export type BareEvent = {
  [Type in keyof RunEvents]: { readonly type: Type } & RunEvents[Type];
}[keyof RunEvents];

/** Receives run events. Must not throw: an error is logged and changes nothing. */
export type RunEventListener = (event: RunEvent) => void;
