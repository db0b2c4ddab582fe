import type { FileChange, FileRead } from '../../filesystem/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type {
  DispatchedEvent,
  LogAppend,
  ObservedSlice,
  SessionRead,
  SliceWrite,
} from '../../session/index.ts';
import type {
  ConversationItem,
  MediaPart,
  RecordedError,
  ToolEffects,
  ToolInvokedPayload,
} from '../../tool/index.ts';
import type { ModelRequest, ModelTurn } from '../model/model.ts';

/** The evaluation that something belongs to. */
export interface ObservedEvaluation {
  /** The same in everything that one evaluation reports, and in its session events. */
  readonly evaluationId: string;
  /** Ids of the calls that the evaluation runs inside of, outermost first; empty for one on a root session. */
  readonly path: readonly string[];
}

/** What an attempt spent its time on, in milliseconds since the Unix epoch. A phase that was not reached is absent. */
export interface CallPhases {
  /** The model asked for the call, and it began to wait for a place among the running ones. */
  readonly requestedAtMs: number;
  /** The attempt began. Absent: the call never began. */
  readonly startedAtMs?: number;
  /** The handler began. */
  readonly handlerStartedAtMs?: number;
  /** The handler returned, threw or was stopped. */
  readonly handlerEndedAtMs?: number;
  /** The attempt ended and began to wait for its turn to commit. */
  readonly endedAtMs?: number;
  /** It was committed, rolled back or superseded. */
  readonly settledAtMs: number;
  /** Waits for an answer of `approve`. */
  readonly approvals: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** What a policy decided about one attempt. */
export interface PolicyAnswer {
  readonly policy: string;
  /** Name of the prompt whose policy it is, where that is an outer one. */
  readonly policyPrompt?: string;
  /** What it was asked about: the call before it ran, or what it had changed. */
  readonly about: 'call' | 'changes';
  readonly outcome: 'allow' | 'deny' | 'ask';
  /** Why it denies or asks. */
  readonly reason?: string;
  /** False in a trial (`enforce: false`). */
  readonly isEnforced: boolean;
}

/** What an attempt read and what others have changed since. */
export interface ReadConflict {
  /** As `ToolInvokedPayload.conflicts` names it. */
  readonly what: string;
  /** The read; absent when the conflict has no single one. */
  readonly read?: FileRead | { [Name in keyof SessionRead]: SessionRead[Name] };
}

/** What one attempt at a call did, whatever became of it. */
export interface ObservedAttempt extends ObservedEvaluation {
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  /** Number of the attempt, from 1; 0 for a call that never began. */
  readonly attempt: number;
  /** Absent for an unknown tool. */
  readonly effects?: ToolEffects;
  /** What the handler had as `context.idempotencyKey`. Absent for a tool without effects outside, and for a call that never began. */
  readonly key?: string;
  /** The arguments as parsed JSON; absent when they were no JSON. */
  readonly params?: JsonValue;
  readonly phases: { [Name in keyof CallPhases]: CallPhases[Name] };
  /** How many final commits there were when the attempt began: what it read is the state after that one. Undefined for a call that never began. */
  readonly base?: number;
  readonly reads: readonly (FileRead | { [Name in keyof SessionRead]: SessionRead[Name] })[];
  readonly policies: readonly { [Name in keyof PolicyAnswer]: PolicyAnswer[Name] }[];
  /** What it did to STATE slices: for a commit the difference on the session, else on the attempt's own view. */
  readonly writes: readonly SliceWrite[];
  /** What it added to LOG slices; stays also after a rollback, unless the attempt was superseded. */
  readonly log: readonly { [Name in keyof LogAppend]: LogAppend[Name] }[];
  /** Events that it dispatched. */
  readonly events: readonly DispatchedEvent[];
  readonly files: readonly FileChange[];
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}

/** A call that was committed. */
export interface CallCommit extends ObservedAttempt {
  /** Number of the commit on the root session, from 1; absent inside another call. */
  readonly seq?: number;
  /** False inside another call, whose own commit decides. */
  readonly isFinal: boolean;
  /** The record of the call as it is before feedback. */
  readonly invocation: ToolInvokedPayload;
  /** Images and files that the model gets after the text. Absent: none. */
  readonly attachments?: readonly MediaPart[];
}

/** An attempt that was not committed. */
export interface DiscardedAttempt extends ObservedAttempt {
  /** `superseded`: another attempt takes its place. `failed`: the call ends without a commit. */
  readonly why: 'superseded' | 'failed';
  /** What it had read and was changed by others; empty when it was discarded for another reason. */
  readonly conflicts: readonly { [Name in keyof ReadConflict]: ReadConflict[Name] }[];
  /** The record of the call as it is before feedback; absent for a superseded attempt. */
  readonly invocation?: ToolInvokedPayload;
  /** Images and files that the model gets after the text. Absent: none. */
  readonly attachments?: readonly MediaPart[];
}

/** State that no call wrote: what a run begins with, and what a subscriber, a feedback provider or the caller has changed since. */
export interface ObservedState extends ObservedEvaluation {
  readonly atMs: number;
  /** `start`: everything that is there before the first call. `change`: what others changed since the last report. */
  readonly kind: 'start' | 'change';
  /** Slices that were installed since the last report. */
  readonly slices: readonly { [Name in keyof ObservedSlice]: ObservedSlice[Name] }[];
  readonly writes: readonly SliceWrite[];
  readonly log: readonly { [Name in keyof LogAppend]: LogAppend[Name] }[];
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}

/** A replacement of some items of a conversation. */
export interface ConversationEdit {
  /** Index of the first item that is replaced, in the conversation after the edits before this one. */
  readonly at: number;
  /** How many items are removed there. */
  readonly remove: number;
  readonly insert: readonly ConversationItem[];
}

/** A request as a model gets it. Instructions and tools are the very objects of the request before while they are the same. */
export interface ObservedRequest extends ObservedEvaluation, Omit<ModelRequest, 'conversation'> {
  readonly atMs: number;
  /** What makes the conversation of the request before into the one of this request; the first request of a run begins with none. */
  readonly edits: readonly { [Name in keyof ConversationEdit]: ConversationEdit[Name] }[];
  /** Items of the conversation. */
  readonly length: number;
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}

/** What a model answered, or why it did not. */
export type ObservedResponse = ObservedEvaluation & {
  readonly turn: number;
  readonly atMs: number;
  readonly durationMs: number;
  /** From the request to the first piece of the answer; absent when the answer was not streamed, or no piece came. */
  readonly timeToFirstPieceMs?: number;
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
} & (
    | ({ readonly outcome: 'answered' } & ModelTurn)
    | { readonly outcome: 'failed'; readonly error: RecordedError }
  );
