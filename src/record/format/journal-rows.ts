import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { OuterToolCall } from '../../core/tool/index.ts';
import type { AttemptPart, RunPart } from './row-parts.ts';

/** In a journal: the handler of a call with effects outside is about to begin, or resources are about to be committed. */
export interface BeginRow extends RunPart {
  readonly type: 'begin';
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  readonly attempt: number;
}

/** In a journal: what the user said when the run was resumed. */
export interface InputRow extends RunPart {
  readonly type: 'input';
  /** The turn before which it was said. */
  readonly turn: number;
  readonly items: readonly JsonObject[];
}

/** What a call has done whose changes wait for an answer. */
export interface StagedPart
  extends Pick<AttemptPart, 'reads' | 'writes' | 'log' | 'events' | 'files' | 'attachments' | 'records'> {
  readonly message: string;
  readonly value?: JsonValue;
  /** Whether the model does not get the value. */
  readonly excludesValue?: true;
}

/** A question that waits for an answer. */
export interface PendingQuestion {
  readonly id: string;
  readonly digest: string;
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  /** Identifies the call. */
  readonly key: string;
  /** The outer calls, outermost first; absent for a call of the run itself. */
  readonly path?: readonly OuterToolCall[];
  readonly attempt: number;
  readonly params: JsonValue;
  readonly policy: string;
  readonly policyPrompt?: string;
  readonly reason: string;
  /** Milliseconds since the Unix epoch. */
  readonly askedAtMs: number;
  readonly expiresAtMs?: number;
  /** Absent when the handler has not run yet. */
  readonly staged?: StagedPart;
}

/** In a journal: the run ends with questions. */
export interface PendingRow extends RunPart {
  readonly type: 'pending';
  readonly questions: readonly PendingQuestion[];
}

/** In a journal: someone is asked while the run goes on. */
export interface QuestionRow extends RunPart {
  readonly type: 'question';
  readonly question: PendingQuestion;
}

/** In a journal: a question was answered. */
export interface AnswerRow extends RunPart {
  readonly type: 'answer';
  readonly id: string;
  readonly digest: string;
  readonly approved: boolean;
  /** Who answered. */
  readonly by?: string;
  readonly note?: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** In a journal: the run goes on here after it was interrupted, or had ended without an answer. */
export interface ResumedRow extends RunPart {
  readonly type: 'resumed';
  readonly atMs: number;
  /** The turn that it goes on in. */
  readonly turn: number;
  /** What is not as it was when the run was recorded, by name. */
  readonly changed: readonly string[];
}
