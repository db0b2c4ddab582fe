import type { RunRecord } from '../fold/run-record.ts';
import type { RequestDifference } from './request-difference.ts';

/** What of a call is not as it was. */
export interface CallDifference {
  /**
   * `outcome`: how it ended, and why; `policy`: what a policy decided; `changes`: what it did to session and files; `text`: what the model
   * read; `order`: another call was committed before it.
   */
  readonly part: 'outcome' | 'policy' | 'changes' | 'text' | 'order';
  readonly text: string;
}

/** A call of the record, or one that the replay made beside them. */
export interface ReplayedCall {
  /** Id in the record, as `RecordedCall.id`. */
  readonly id: string;
  readonly toolName: string;
  readonly turn: number;
  /**
   * - `same`: outcome, decisions, changes, text and place among the commits are as they were.
   * - `changed`: see `differences`.
   * - `unrecorded`: what it would do now is not known, and `differences` says why: its handler did not run in the record and would run now, or a
   *   resource is needed that is not part of the replay. What comes after it is not exact.
   * - `redacted`: the record does not have all of it, so it was answered from the record and is not known to be the same.
   * - `unchecked`: the record answered for the call around it, so that no policy was asked about it.
   * - `not-replayed`: the replay ended before it.
   * - `new`: the record does not have it.
   */
  readonly status: 'same' | 'changed' | 'unrecorded' | 'redacted' | 'unchecked' | 'not-replayed' | 'new';
  /** `live`: its handler ran. `recorded`: the record answered in its place. `outer`: the record answered for the outer call. */
  readonly source: 'live' | 'recorded' | 'outer' | 'none';
  readonly differences: readonly CallDifference[];
}

/** A request to the model. */
export interface ReplayedTurn {
  /** Ids of the calls that the evaluation runs inside of, outermost first. */
  readonly path: readonly string[];
  readonly turn: number;
  readonly status: 'same' | 'changed' | 'not-replayed' | 'new';
  readonly differences: readonly RequestDifference[];
}

/** Where a replay first differs from its record. */
export interface ReplayDifference {
  readonly turn: number;
  readonly path: readonly string[];
  /** Id of the call that differs; absent for a request, and for the end of the run. */
  readonly callId?: string;
  readonly text: string;
}

/** What became of a replay. Plain data, but for `record`. */
export interface ReplayReport {
  readonly runId: string;
  /** Nothing differs, and every call and request of the record was replayed; a call that is `redacted` counts as replayed. */
  readonly isSame: boolean;
  readonly firstDifference?: ReplayDifference;
  /** The first message of a conversation that differs. */
  readonly firstMessage?: ReplayDifference;
  /** How the replay ended: at the end of the record, at a difference, or on a live model. */
  readonly ending: 'complete' | 'stopped' | 'live';
  readonly turns: readonly ReplayedTurn[];
  readonly calls: readonly ReplayedCall[];
  /** How the run ended, where it ended otherwise. */
  readonly outcome?: { readonly recorded: string; readonly now: string };
  /** What could not be taken from the record. */
  readonly notes: readonly string[];
  /** What the replay itself left. */
  readonly record: RunRecord;
}
