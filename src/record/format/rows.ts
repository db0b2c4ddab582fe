import type {
  BareEvent,
  RecordedError,
  RecordedFeedback,
  ToolInvokedPayload,
} from '../../core/runtime/index.ts';
import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { ObservedSlice } from '../../core/session/index.ts';
import type { FinishReason, TokenPrices, TokenUsage, ToolEffects } from '../../core/tool/index.ts';
import type { AnswerRow, BeginRow, InputRow, PendingRow, QuestionRow, ResumedRow } from './journal-rows.ts';
import type { AttemptPart, ContentReference, RecordedWrite, RowLog, RunPart } from './row-parts.ts';

/** The name of the format. */
export const recordVersion = 'wink-run/1';

/** What is said of an evaluation when it begins. */
export interface RunHeader {
  readonly evaluationId: string;
  readonly promptName: string;
  readonly prompt: { readonly namespace: string; readonly key: string; readonly hash: string };
  readonly agent?: string;
  readonly adapter: string;
  readonly provider?: string;
  readonly model: string;
  readonly prices?: TokenPrices;
  readonly settings: JsonObject;
  readonly tools: readonly { readonly name: string; readonly effects: ToolEffects }[];
  readonly toolsHash: string;
  readonly policies: readonly string[];
}

/** The first row: the root run. */
export interface HeaderRow extends RunHeader {
  readonly type: 'header';
  readonly version: typeof recordVersion;
  readonly runId: string;
  readonly sessionId: string;
  /** Milliseconds since the Unix epoch; `t` of all rows counts from here. */
  readonly startedAtMs: number;
  /** Where it ran, such as `node 22.11.0`. */
  readonly runtime?: string;
  /** Module of the agent as the command line got it. */
  readonly module?: string;
  /** Name of the folder that the agent works on, without the way to it. */
  readonly workspace?: string;
  /** Params that were given for the run. */
  readonly params?: JsonObject;
  /** Whether content of files that the run has only read is kept, or its size and digest. */
  readonly reads: 'content' | 'digest';
  /** True when a redaction was in place. */
  readonly redacted: boolean;
  /** The run is the life of a tool runtime: its rows have the calls, and the loop around them is not known. Absent: it is an evaluation. */
  readonly toolRuntime?: true;
  /** The run that this one was forked from, and the last commit that it took over; absent: it began by itself. */
  readonly base?: { readonly runId: string; readonly seq: number };
}

/** A text, or bytes, that other rows refer to. It comes before the first row that does. */
export interface BlobRow {
  readonly type: 'blob';
  /** SHA-256 in hexadecimal, of the bytes; for a text of its UTF-8. */
  readonly hash: string;
  readonly text?: string;
  readonly base64?: string;
}

/** An evaluation inside a call begins. */
export interface RunRow extends RunPart, RunHeader {
  readonly type: 'run';
  readonly run: number;
  readonly parent: {
    /** Number of the outer run; absent: the root run. */
    readonly run?: number;
    readonly turn: number;
    readonly callId: string;
    readonly attempt: number;
    readonly evaluation: number;
    readonly policy?: string;
  };
}

/** A slice of the session, before the first row that names it. */
export interface SliceRow extends ObservedSlice {
  readonly type: 'slice';
  readonly t: number;
}

/** State that no call wrote. */
export interface StateRow extends RunPart {
  readonly type: 'state';
  readonly kind: 'start' | 'change';
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly RowLog[];
}

/** What the run found at a path before it changed anything there; once for each path, and once more for a listing. */
export interface SeenRow extends RunPart {
  readonly type: 'seen';
  readonly path: string;
  readonly found: 'file' | 'directory' | 'absent';
  readonly content?: ContentReference;
  /** The names in a directory that was listed. */
  readonly names?: readonly string[];
}

/** A replacement of some items of a conversation. */
export interface RowEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly JsonObject[];
}

/** Estimated tokens of the parts of a request. */
export interface RequestTokens {
  readonly instructions: number;
  readonly tools: number;
  readonly conversation: number;
  /** Of what is new in the conversation. */
  readonly added: number;
}

/** A request as the model got it, as a difference from the one before. */
export interface RequestRow extends RunPart {
  readonly type: 'request';
  readonly turn: number;
  readonly instructions: string;
  /** The JSON text of the list of tools, so that it can be one reference. */
  readonly tools: string;
  readonly hostedTools?: readonly JsonObject[];
  readonly toolChoice: JsonValue;
  readonly settings: JsonObject;
  /** The JSON text of the schema. */
  readonly outputSchema?: string;
  readonly edits: readonly RowEdit[];
  readonly length: number;
  readonly tokens: RequestTokens;
}

/** What the model answered, or why it did not. */
export interface ResponseRow extends RunPart {
  readonly type: 'response';
  readonly turn: number;
  readonly durationMs: number;
  readonly timeToFirstPieceMs?: number;
  readonly content?: readonly JsonObject[];
  readonly raw?: { readonly provider: string; readonly items: readonly JsonValue[] };
  readonly hosted?: readonly JsonObject[];
  readonly hasFiles?: boolean;
  readonly finishReason?: FinishReason;
  readonly usage?: TokenUsage;
  readonly responseId?: string;
  readonly responseModel?: string;
  /** The model gave no answer. */
  readonly error?: RecordedError;
}

/** How a call ended, without what its row says already. */
export type RowResult = Omit<
  ToolInvokedPayload,
  | 'eventId'
  | 'evaluationId'
  | 'promptName'
  | 'adapter'
  | 'sessionId'
  | 'parentCallIds'
  | 'callId'
  | 'toolName'
  | 'turn'
  | 'params'
  | 'rendered'
  | 'changes'
  | 'success'
  | 'attempts'
  | 'startedAtMs'
>;

/** A call that was committed. */
export interface CommitRow extends AttemptPart {
  readonly type: 'commit';
  /** Number of the commit on the root session; absent inside another call. */
  readonly seq?: number;
  readonly result: RowResult;
}

/** What an attempt had read and others changed. */
export interface RowConflict {
  readonly what: string;
  /** Numbers of the commits that changed it; empty: it was changed from outside, or by what cannot be named. */
  readonly by: readonly number[];
}

/** An attempt that was not committed. */
export interface AttemptRow extends AttemptPart {
  readonly type: 'attempt';
  readonly why: 'superseded' | 'failed';
  readonly conflicts: readonly RowConflict[];
  /** Absent when it was superseded. */
  readonly result?: RowResult;
}

/**
 * A call was delivered after its commit, to subscribers, feedback providers and the model. A record has it for calls that feedback was added to,
 * a journal for all.
 */
export interface DeliveredRow extends RunPart {
  readonly type: 'delivered';
  readonly turn: number;
  readonly callId: string;
  /** What the model reads, with the feedback. Absent: what the row of the call says. */
  readonly modelText?: string;
  /** Absent: none was asked for. */
  readonly feedback?: readonly RecordedFeedback[];
}

/** A run event that no other row represents. */
export interface EventRow extends RunPart {
  readonly type: 'event';
  readonly event: BareEvent;
}

/** A run ended. */
export interface EndRow extends RunPart {
  readonly type: 'end';
  readonly outcome: 'finished' | 'failed' | 'suspended';
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly text?: string;
  readonly output?: JsonValue;
  readonly error?: RecordedError;
}

/** One row of a record; `wink-run/1` is one of them on each line, as JSON. */
export type Row =
  | HeaderRow
  | BlobRow
  | RunRow
  | SliceRow
  | StateRow
  | SeenRow
  | RequestRow
  | ResponseRow
  | CommitRow
  | AttemptRow
  | DeliveredRow
  | BeginRow
  | PendingRow
  | QuestionRow
  | AnswerRow
  | ResumedRow
  | InputRow
  | EventRow
  | EndRow;

/** A row of one type: `RowOf<'commit'>`. */
export type RowOf<Type extends Row['type']> = Extract<Row, { readonly type: Type }>;
