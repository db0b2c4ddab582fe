import type { FileRead } from '../../core/filesystem/index.ts';
import type {
  BareEvent,
  CallPhases,
  PolicyAnswer,
  RecordedApproval,
  RecordedError,
  RecordedFeedback,
  ToolCallOutcome,
} from '../../core/runtime/index.ts';
import type { JsonSchema, JsonValue } from '../../core/schema/index.ts';
import type { SessionRead } from '../../core/session/index.ts';
import type { ConversationItem, ModelSettings, TokenUsage, ToolEffects } from '../../core/tool/index.ts';
import type { HeaderRow, RunHeader } from '../format/header-row.ts';
import type { RecordedWrite, RowFileChange } from '../format/row-parts.ts';
import type { RequestTokens, ResponseAnswer, RowResult } from '../format/rows.ts';

/** A text, or bytes, that a record holds. */
export interface RecordedContent {
  readonly hash: string;
  readonly bytes: number;
  /** Absent for binary content. */
  readonly text?: string;
  readonly base64?: string;
  /** The content was not kept, only its hash and size: it was too large. */
  readonly isOmitted?: boolean;
  readonly isRedacted?: boolean;
}

/** A tool that a run had. */
export interface RecordedTool {
  readonly name: string;
  readonly effects: ToolEffects;
  /** Calls with effects outside may be made again. */
  readonly idempotent?: true;
}

/** One evaluation: the root one, or one inside a call or a policy. */
export interface RecordedRun extends Omit<RunHeader, 'settings' | 'tools'> {
  /** 0 is the root. */
  readonly index: number;
  /** The attempt that it runs inside of; absent for the root. */
  readonly parent?: {
    readonly call: RecordedCall;
    readonly attempt: number;
    readonly evaluation: number;
    readonly policy?: string;
  };
  readonly settings: ModelSettings;
  readonly tools: readonly RecordedTool[];
  /** All times in a record are milliseconds after the start of the root run. */
  readonly startedAtMs: number;
  /** Absent: the record ends before the run does. */
  readonly endedAtMs?: number;
  readonly outcome?: 'finished' | 'failed' | 'suspended';
  readonly error?: RecordedError;
  readonly output?: JsonValue;
  readonly text?: string;
  readonly usage?: TokenUsage;
  readonly turns: readonly RecordedTurn[];
}

/** One answer of the model with the calls that it asked for; in a tool runtime the calls of one turn of its caller. */
export interface RecordedTurn {
  readonly run: RecordedRun;
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  /** Absent in a tool runtime. */
  readonly request?: RecordedRequest;
  readonly response?: RecordedResponse;
  readonly calls: readonly RecordedCall[];
  /** Everything else that happened in it, such as retries, dropped results, refused answers. */
  readonly events: readonly RecordedEvent[];
}

/** A run event and when it happened, in milliseconds after the start of the root run. */
export interface RecordedEvent {
  readonly atMs: number;
  readonly event: BareEvent;
}

/** A request as the model got it. */
export interface RecordedRequest {
  readonly atMs: number;
  readonly instructions: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
  }[];
  readonly hostedTools: readonly JsonValue[];
  readonly toolChoice: JsonValue;
  readonly settings: ModelSettings;
  readonly outputSchema?: JsonSchema;
  /** The whole conversation of the request. Built when it is read: O(its length). */
  readonly conversation: readonly ConversationItem[];
  /** What is new against the request before, in the order of the conversation; and how many items of it are gone. */
  readonly added: readonly ConversationItem[];
  readonly removed: number;
  /** Whether instructions and tools are others than in the request before. */
  readonly changedInstructions: boolean;
  readonly changedTools: boolean;
  /** Estimates, by characters. `added` is part of `conversation`. */
  readonly tokens: RequestTokens;
}

/** What the model answered, or why it did not. */
export interface RecordedResponse extends Omit<ResponseAnswer, 'content' | 'responseModel'> {
  readonly atMs: number;
  readonly text: string;
  readonly reasoning: string;
  readonly content: readonly JsonValue[];
  readonly model?: string;
  readonly isRedacted: boolean;
}

/** One tool call, with all its attempts. It has no outcome where the record ends before it does. `modelText` is exactly what the model read. */
export interface RecordedCall
  extends Partial<
    Pick<RowResult, 'outcome' | 'reason' | 'message' | 'modelText' | 'value' | 'error' | 'policy' | 'usage'>
  > {
  /** Unique within the record: the ids of the calls it runs inside of and its own, such as `call-8-1/call-1-2`; with `#N` where an id comes again. */
  readonly id: string;
  readonly run: RecordedRun;
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  /** What it is about, as its tool says; absent when the tool says nothing, and for a call that was rejected. */
  readonly subject?: string;
  readonly effects?: ToolEffects;
  readonly params?: JsonValue;
  /** Number of its commit on the root session; for a call inside another one that of the outer call, when that was committed. */
  readonly seq?: number;
  /** Committed for good. */
  readonly isFinal: boolean;
  readonly attempts: readonly RecordedAttempt[];
  readonly feedback: readonly RecordedFeedback[];
  readonly approvals: readonly { [Name in keyof RecordedApproval]: RecordedApproval[Name] }[];
  /** The model has read an excerpt of the result, and finds all of it by this id. */
  readonly resultId?: string;
  /** All of the result, where the model has read an excerpt. */
  readonly wholeText?: string;
  readonly residualEffects: readonly string[];
  readonly openedSections: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  /** Evaluations inside it, by attempt. */
  readonly inner: readonly RecordedRun[];
  readonly progress: readonly { readonly atMs: number; readonly update: JsonValue }[];
  readonly isRedacted: boolean;
}

/** One attempt at a call: what it did, whatever became of it. */
export interface RecordedAttempt {
  /** From 1, also through lives of the run: the first attempt after it was resumed follows the last one before. */
  readonly number: number;
  /** How often the run had been resumed when it was made: 0 before the first time. */
  readonly life: number;
  /** How the attempt ended. */
  readonly outcome: ToolCallOutcome | 'superseded';
  /** It ended with a question to a person, and so did the run: it is superseded by the attempt after the answer. */
  readonly isSuspended?: true;
  /** Milliseconds after the start of the root run. `approvals` holds waits that began in the attempt, also those that lasted longer than the life of the run. */
  readonly phases: { [Name in keyof CallPhases]: CallPhases[Name] };
  readonly base?: number;
  /** What the tool had as `context.idempotencyKey`; absent for a tool without effects outside. */
  readonly key?: string;
  readonly reads: readonly RecordedRead[];
  readonly policies: readonly { [Name in keyof PolicyAnswer]: PolicyAnswer[Name] }[];
  readonly conflicts: readonly RecordedConflict[];
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly { readonly slice: string; readonly items: readonly JsonValue[] }[];
  readonly events: readonly { readonly name: string; readonly payload: JsonValue }[];
  readonly files: readonly RecordedFileChange[];
}

/** A read; what was found is a content of the record. */
export type RecordedRead =
  | { [Name in keyof SessionRead]: SessionRead[Name] }
  | (Omit<FileRead, 'content'> & { readonly content?: RecordedContent });

/** Something that an attempt had read and that was changed before it could be committed. */
export interface RecordedConflict {
  readonly what: string;
  /** Ids (`RecordedCall.id`) of the calls that changed it; empty: it was changed from outside, or by what cannot be named. */
  readonly by: readonly string[];
}

/** One file, or one empty directory, that an attempt changed. */
export interface RecordedFileChange extends Omit<RowFileChange, 'before' | 'after'> {
  readonly before?: RecordedContent;
  readonly after?: RecordedContent;
}

/** One final commit of a call of the root run. */
export interface RecordedCommit {
  readonly seq: number;
  readonly atMs: number;
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt;
  /** False for a call that only read: state and files are as before. */
  readonly changes: boolean;
}

/** Something that a reader should know of. */
export interface RecordedProblem {
  readonly kind:
    | 'failed-run'
    | 'failed-call'
    | 'denied'
    | 'rejected'
    | 'conflicts'
    | 'repetition'
    | 'slow'
    | 'approval-wait'
    | 'model-retry'
    | 'model-changed'
    | 'output-rejected'
    | 'incomplete'
    | 'results-dropped'
    | 'budget'
    | 'unenforced';
  /** Failures come first; the others cost time. */
  readonly isFailure: boolean;
  /** One sentence. */
  readonly text: string;
  /** The first call that has it. */
  readonly call?: RecordedCall;
  /** All calls that have it, in the order of the run: those that failed with the same arguments for the same reason, or were made again. Absent where it is of one call alone by its kind. */
  readonly calls?: readonly RecordedCall[];
  readonly turn?: RecordedTurn;
  /** How often: the length of `calls` where it has them. */
  readonly count: number;
  readonly durationMs?: number;
}

/** A slice and its items at one moment. */
export interface RecordedSlice {
  readonly name: string;
  readonly policy: 'state' | 'log';
  readonly isKeyed: boolean;
  readonly items: readonly {
    readonly key?: string;
    readonly value: JsonValue;
    /** The call that wrote it last; absent: it was there at the start, or comes from outside. */
    readonly writtenBy?: RecordedCall;
  }[];
}

/** A file at one moment. */
export interface RecordedFile {
  readonly path: string;
  readonly content: RecordedContent;
  /** Whether the run changed it up to here. */
  readonly isChanged: boolean;
}

/** One line of a file and the call that wrote it last; absent: it was there at the start, or comes from outside. */
export interface BlamedLine {
  readonly text: string;
  readonly writtenBy?: RecordedCall;
}

/** What a run left, folded from its rows. */
export interface RunRecord
  extends Pick<
    HeaderRow,
    'runId' | 'sessionId' | 'startedAtMs' | 'runtime' | 'module' | 'workspace' | 'apply' | 'params' | 'base'
  > {
  readonly version: string;
  /** A redaction was in place; what it has replaced is in `redactions`. */
  readonly isRedacted: boolean;
  /** Where the redaction has replaced something: in a call, in a turn, or, without both, in state that no call wrote. Each place once, in the order of the rows. A request is one only where nothing before it in its run was. */
  readonly redactions: readonly { readonly call?: RecordedCall; readonly turn?: RecordedTurn }[];
  /** The run is the life of a tool runtime: its calls are known, and the loop around them is not. */
  readonly isToolRuntime: boolean;
  /** The run has ended, and so does the record. */
  readonly isComplete: boolean;
  /** The last line was cut off, and was left out. */
  readonly isTorn: boolean;
  /** Types of rows that this version does not know, and how many there are. */
  readonly unknownRows: Readonly<Record<string, number>>;
  readonly root: RecordedRun;
  /** In the order they began, the root first. */
  readonly runs: readonly RecordedRun[];
  readonly turns: readonly RecordedTurn[];
  readonly calls: readonly RecordedCall[];
  readonly commits: readonly RecordedCommit[];
  readonly problems: readonly RecordedProblem[];
  /** The questions to people that were answered, and those that the run waits for, in the order in which they were asked. */
  readonly questions: readonly {
    /** What an answer names. */
    readonly id: string;
    readonly digest: string;
    readonly toolName: string;
    /** The policy that asks, and why. */
    readonly policy: string;
    readonly reason: string;
    /** `call`: it has not run yet. `changes`: it has, and its changes wait; the last attempt of the call has them. */
    readonly about: 'call' | 'changes';
    /** Milliseconds after the start of the root run. */
    readonly askedAtMs: number;
    readonly expiresAtMs?: number;
    /** Absent: there is no answer yet. */
    readonly answer?: {
      readonly approved: boolean;
      readonly by?: string;
      readonly note?: string;
      readonly atMs: number;
    };
    /** The call that waits. Absent: the record does not have it. */
    readonly call?: RecordedCall;
  }[];
  /** When no process worked on the run: from its end, or the last that is known before an interruption, to where it was resumed. */
  readonly pauses: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** `cancelRun` has ended the run for good, and when; absent: it has not. */
  readonly cancelled?: { readonly atMs: number; readonly by?: string; readonly reason?: string };
  /** How often its process has ended without an end of the run, as far as it was resumed since. */
  readonly interruptions: number;
  /** Call by `RecordedCall.id`. */
  call(id: string): RecordedCall | undefined;
  /** State after a commit; 0: at the start. */
  stateAt(seq: number): readonly RecordedSlice[];
  /** Files that the run has seen or changed, as they were after a commit. */
  filesAt(seq: number): readonly RecordedFile[];
  /** The lines of a file after a commit, each with the call that wrote it last; empty for a file that is not there, or is not text. */
  blameLines(path: string, seq: number): readonly BlamedLine[];
}
