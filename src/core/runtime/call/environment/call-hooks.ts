import type { PendingMark } from '../../../filesystem/index.ts';
import { none } from '../../../internal/index.ts';
import type { DecidingRow } from '../../../resource/index.ts';
import type { JsonObject } from '../../../schema/index.ts';
import type { OnceAnswer, OnceCall, OnceChange, OncePurpose } from '../../journal/journal-ledger.ts';
import type { RunShare, SharedBudget } from '../../limits/shared-budget.ts';
import type { ToolCall, ToolCallResult } from '../tool-call/tool-call.ts';
import type { CallPatch } from '../transaction/transaction.ts';
import type { KnownAnswer, OpenQuestion } from './run-suspension.ts';

/** One attempt at a call, named the same when the run is resumed. */
export interface AttemptName {
  readonly callId: string;
  readonly toolName: string;
  readonly turn: number;
  /** Number of the attempt, from 1; 0 for a call that never began. */
  readonly attempt: number;
  /** Ids of the calls that it runs inside of, outermost first. */
  readonly path: readonly string[];
  /** The evaluation whose model asked for the call. */
  readonly evaluationId: string;
}

/** What calls of tools with `once` get from the ledger of a journal. */
export interface OnceHooks {
  /** Asks for the key of a call. Rejects: the run ends. */
  ask(call: OnceCall, purpose: OncePurpose): Promise<OnceAnswer>;
  /** Says what becomes of a key, with the next rows of the run. Must not throw. */
  change(change: OnceChange): void;
}

/** What budgets over several runs get of a run with a journal. */
export interface SpendingHooks {
  /**
   * The share of the run, always the same one for a budget.
   *
   * @throws {PromptValidationError} for a budget in another journal.
   */
  shareOf(budget: SharedBudget): Promise<RunShare>;
}

/** An attempt that is about to do what cannot be taken back. */
export interface BeginningAttempt extends AttemptName {
  /** What the handler has as `context.idempotencyKey`. */
  readonly key: string;
  /** The arguments as parsed JSON. */
  readonly params: JsonObject;
  /** The handler may run again: nothing waits for the row, and the call is never in doubt. */
  readonly mayRunAgain: boolean;
}

/** What of an evaluation names its calls. */
interface NamingEvaluation {
  readonly origin: { readonly evaluationId: string };
  readonly outer: { readonly path: readonly string[] } | undefined;
}

/** The name of an attempt at `call`. */
export function nameAttempt(
  { callId, toolName, turn }: ToolCall,
  attempt: number,
  { origin, outer }: NamingEvaluation,
): AttemptName {
  const { evaluationId } = origin;
  return { callId, toolName, turn, attempt, path: outer?.path ?? none, evaluationId };
}

/** An attempt of which only log entries remain: it was rolled back, or superseded by another one. */
export interface RolledBackAttempt extends AttemptName {
  /** What it had read and was changed by others. Empty: it was rolled back for another reason. */
  readonly conflicts: readonly string[];
  /** What it had changed. */
  readonly patch: CallPatch;
}

/**
 * The seam of the commit, for a journal: what it gets of each call, in the order of the commits. Without hooks nothing of
 * it is built. What `onBegin` or `onCommit` rejects with ends the run, never a call.
 */
export interface CallHooks {
  /** Name of the run, the same when it is resumed. Default: the id of the evaluation. */
  readonly runId?: string;
  /** Whether files of a commit reach the disk after `onCommit` only: a journal decides. Default: before, with the other changes. */
  readonly decides?: boolean;
  /** The ledger of the journal. Absent: there is none, and no tool of the run has `once`. */
  readonly once?: OnceHooks | undefined;
  /** What budgets over several runs count. Absent without a journal: the run has no such budget then. */
  readonly spending?: SpendingHooks | undefined;
  /** Whether the model of an evaluation was asked for this turn before an interruption, and its answer is not known. Must not throw. Default: it was not. */
  restartsAnswer?(evaluationId: string, turn: number): boolean;
  /** The run has left its model for the next one, as an event said, and asks that one when this resolves. Default: it does so at once. */
  onModelChanged?(): Promise<void>;
  /** What the next commit is called, in case its files are not brought to the disk. Must not throw. */
  nextCommit?(): PendingMark;
  /**
   * Before something happens that cannot be taken back: the handler of a tool with external effects begins, or resources are about to be
   * committed. The call continues when this resolves.
   *
   * @param sharedTransaction what the resources share their transaction with, where all of them do.
   * @returns the row that their commit waits for. Undefined: it is final at once.
   */
  onBegin?(attempt: BeginningAttempt, sharedTransaction?: object): Promise<DecidingRow | undefined>;
  /**
   * Before someone is asked for an approval. The question is put when this resolves.
   *
   * @param question what is asked; absent where an answer would not be found again.
   */
  onAsk?(question: OpenQuestion | undefined): Promise<void>;
  /** Someone has answered. The call continues when this resolves. */
  onAnswer?(question: OpenQuestion, answer: KnownAnswer): Promise<void>;
  /**
   * The changes of a call are applied to the state; subscribers, feedback providers and the model get them when this resolves.
   *
   * @param hasStaged whether files of the call wait to be brought to the disk.
   */
  onCommit?(result: ToolCallResult, attempt: AttemptName, hasStaged: boolean): Promise<void>;
  /** The call has been delivered: the result as the model reads it. Must not throw. */
  onDelivered?(result: ToolCallResult, attempt: AttemptName): void;
  /** An attempt was discarded. Must not throw. */
  onDiscard?(attempt: RolledBackAttempt): void;
  /** Files of a commit that was decided could not be brought to the disk: the run ends. Must not throw. */
  onLost?(error: unknown): void;
  /** Whether a call runs while no other one of its evaluation does: one of them has ended the process before. Must not throw. Default: it does not. */
  runsAlone?(evaluationId: string, call: Pick<AttemptName, 'turn' | 'callId'>, reenters: boolean): boolean;
  /**
   * Before the handler of a call begins that was interrupted before, or may have been. It begins when this resolves.
   *
   * @returns undefined for any other call.
   */
  onBeginAgain?(attempt: BeginningAttempt): Promise<void> | undefined;
  /**
   * How often the process has ended while the call ran, when that is too often; undefined otherwise. Must not throw. Default: undefined.
   *
   * @param reenters whether calls inside are at fault rather than it.
   */
  tooManyInterruptions?(attempt: AttemptName, reenters: boolean): number | undefined;
  /** Whether the call began before the run was interrupted, and its result is not known. Must not throw. Default: it did not. */
  isInDoubt?(attempt: AttemptName): boolean;
  /** A call that was decided before an interruption is about to be delivered once more. Must not throw. */
  onRedeliver?(): void;
  /** A call that was made before was taken over. Must not throw. */
  onTakenOver?(result: ToolCallResult): void;
}

/** A hook has failed. It passes all tables of exceptions, since no call is at fault. */
export class HookFailure {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Awaits a hook. @throws {HookFailure} for what it rejects with. */
export async function awaitHook<T>(call: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await call();
  } catch (cause) {
    throw new HookFailure(cause);
  }
}
