import { none } from '../../internal/index.ts';
import type { OuterCall } from './outer-call.ts';
import type { ToolCall, ToolCallResult } from './tool-call.ts';
import type { CallPatch } from './transaction.ts';

/** One attempt at a call, named the same when the run is repeated. */
export interface AttemptName {
  readonly callId: string;
  readonly toolName: string;
  readonly turn: number;
  /** Number of the attempt, from 1; 0 for a call that never began. */
  readonly attempt: number;
  /** Ids of the calls that it runs inside of, outermost first. */
  readonly path: readonly string[];
}

/** The name of an attempt at `call`. */
export function nameAttempt(
  { callId, toolName, turn }: ToolCall,
  attempt: number,
  outer: OuterCall | undefined,
): AttemptName {
  return { callId, toolName, turn, attempt, path: outer?.path ?? none };
}

/** An attempt of which only log entries remain: it was rolled back, or superseded by another one. */
export interface RolledBackAttempt extends AttemptName {
  /** What it had read and was changed by others. Empty: it was rolled back for another reason. */
  readonly conflicts: readonly string[];
  /** What it had changed. */
  readonly patch: CallPatch;
}

/**
 * The seam of the commit, for a journal and for observers: what they get of each call, in the order of the commits. Without hooks nothing of
 * it is built. What `onBegin` or `onCommit` rejects with ends the run, never a call.
 */
export interface CallHooks {
  /**
   * Before something happens that cannot be taken back: the handler of a tool with external effects begins, or resources are about to be
   * committed. The call continues when this resolves.
   */
  onBegin?(attempt: AttemptName): Promise<void>;
  /** The changes of a call are applied to the state; subscribers, feedback providers and the model get them when this resolves. */
  onCommit?(result: ToolCallResult, attempt: AttemptName): Promise<void>;
  /** The call has been delivered: the result as the model reads it. Must not throw. */
  onDelivered?(result: ToolCallResult, attempt: AttemptName): void;
  /** An attempt was discarded. Must not throw. */
  onDiscard?(attempt: RolledBackAttempt): void;
}

/** A hook has failed. It passes all tables of exceptions, since no call is at fault. */
export class HookFailure {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Awaits a hook. @throws {HookFailure} for what it rejects with. */
export async function awaitHook(call: () => Promise<void> | undefined): Promise<void> {
  try {
    await call();
  } catch (cause) {
    throw new HookFailure(cause);
  }
}
