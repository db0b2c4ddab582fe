import type { CallPhases, PolicyAnswer } from '../../core/runtime/index.ts';
import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { ToolEffects } from '../../core/tool/index.ts';

/** What all rows that belong to a run have. */
export interface RunPart {
  /** Number of the evaluation, from 1; absent: the root run. */
  readonly run?: number;
  /** Milliseconds after the start of the root run. */
  readonly t: number;
  /** True when something in the row was redacted. */
  readonly redacted?: true;
}

/** A content by its digest. */
export interface ContentReference {
  readonly hash: string;
  readonly bytes: number;
  /** True when no blob holds it: it was too large, or contents are not kept. */
  readonly omitted?: true;
}

/** A step of a STATE slice, or of a LOG slice that began anew. */
export type RecordedWrite = { readonly slice: string } & (
  | { readonly op: 'append'; readonly items: readonly JsonValue[] }
  | { readonly op: 'put'; readonly key: string; readonly item: JsonValue; readonly toEnd?: true }
  | { readonly op: 'remove'; readonly keys: readonly string[] }
  | { readonly op: 'clear' }
);

/** Items at the end of a LOG slice. */
export interface RowLog {
  readonly slice: string;
  readonly items: readonly JsonValue[];
}

/** What an attempt read. */
export interface RowRead {
  readonly kind: string;
  readonly what: string;
  readonly path?: string;
  readonly pattern?: string;
  readonly slice?: string;
  readonly key?: string;
  readonly found?: 'file' | 'directory' | 'absent';
  readonly content?: ContentReference;
  /** SHA-256 of what was found, in hexadecimal; only of a call whose changes wait for an answer. */
  readonly resultHash?: string;
}

/** One file, or one empty directory, that an attempt changed. */
export interface RowFileChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
  readonly entry: 'file' | 'directory';
  readonly before?: ContentReference;
  readonly after?: ContentReference;
  readonly from?: string;
  /** Permission bits, unless they are 0o644. */
  readonly mode?: number;
  readonly replacedMode?: number;
  /** The target of a symbolic link. */
  readonly link?: string;
  readonly replacedLink?: string;
  /** The outermost directory that was removed with the entry in it. */
  readonly removedWith?: string;
}

/** What one attempt did, whatever became of it. Times are milliseconds after the start of the root run. */
export interface AttemptPart extends RunPart {
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly effects?: ToolEffects;
  readonly params?: JsonValue;
  readonly phases: CallPhases;
  readonly base?: number;
  readonly reads: readonly RowRead[];
  /** Without those that allowed the call before it ran. */
  readonly policies: readonly PolicyAnswer[];
  /** Images and files of the result. */
  readonly attachments?: readonly JsonObject[];
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly RowLog[];
  readonly events: readonly {
    readonly name: string;
    readonly policy: 'state' | 'log' | 'none';
    readonly payload: JsonValue;
  }[];
  readonly files: readonly RowFileChange[];
  /** In a journal: what the library recorded of evaluations inside the call, in `log` of no row. */
  readonly records?: readonly RowLog[];
}
