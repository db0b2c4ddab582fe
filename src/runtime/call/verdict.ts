import type { VisibilityExpansionRequired } from '../../prompt/index.ts';
import type { ToolFailure, ToolSuccess } from '../../tool/index.ts';
import { ToolResult } from '../../tool/index.ts';
import type { ToolCallFailureReason, ToolCallOutcome } from '../events/tool-invoked.ts';
import type { StopReason } from '../limits/run-stop.ts';

/** A call that ended without success. Nothing it changed will be kept. */
export interface FailedVerdict {
  readonly kind: 'failed';
  readonly outcome: Exclude<ToolCallOutcome, 'committed'>;
  readonly reason: ToolCallFailureReason;
  readonly result: ToolFailure;
  readonly policy?: string;
  /** Name of the outer prompt whose policy it is. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  /** What was thrown, as it was thrown. */
  readonly error?: unknown;
}

/** A call whose handler succeeded and whose changes may be committed. */
export interface SucceededVerdict {
  readonly kind: 'succeeded';
  readonly result: ToolSuccess<unknown>;
}

/** A policy that wants someone to decide, and what it says. */
export interface PolicyQuestion {
  readonly policy: string;
  /** Name of the outer prompt whose policy it is. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  readonly reason: string;
}

/** A handler that succeeded, but a policy wants someone to look at the changes before they are committed. */
export interface AskingVerdict {
  readonly kind: 'asking';
  readonly result: ToolSuccess<unknown>;
  readonly questions: readonly PolicyQuestion[];
}

/** A handler that wants sections to be opened before it can do its work. Nothing it changed will be kept. */
export interface ExpandingVerdict {
  readonly kind: 'expanding';
  readonly signal: VisibilityExpansionRequired;
}

/** A call that ends the whole evaluation. */
export interface InterruptingVerdict {
  readonly kind: 'interrupting';
  readonly error: unknown;
}

/** How one attempt at a call ended. */
export type Verdict =
  | FailedVerdict
  | SucceededVerdict
  | AskingVerdict
  | ExpandingVerdict
  | InterruptingVerdict;

/** A failed verdict with a message for the model. */
export function failed(
  outcome: FailedVerdict['outcome'],
  reason: ToolCallFailureReason,
  message: string,
  extra: Pick<FailedVerdict, 'policy' | 'policyPrompt' | 'error'> = {},
): FailedVerdict {
  return { kind: 'failed', outcome, reason, result: ToolResult.error(message), ...extra };
}

/** The verdict over a call that was still going on when the run ended. */
export function stoppedVerdict(toolName: string, reason: StopReason, effectsStand: boolean): FailedVerdict {
  const because = {
    aborted: 'the run was aborted',
    deadline: 'the deadline of the run passed',
    budget: 'the budget of the run is used up',
    silent: 'nothing was heard of the run for too long',
    interrupted: 'an earlier call ended the run',
  }[reason.kind];
  return failed(
    'aborted',
    reason.kind === 'interrupted' ? 'aborted' : reason.kind,
    `The call of "${toolName}" was not completed because ${because}. ${nothingLeft(effectsStand)}`,
    { error: reason.cause },
  );
}

/** What is left of a call that was given up in the middle, `effectsStand` when it may have changed the outside world. */
export function nothingLeft(effectsStand: boolean): string {
  return effectsStand
    ? 'Nothing it changed in session and files is left, but what it did outside of them may stand.'
    : 'Nothing it changed is left.';
}

/** The verdict with a sentence more for the model. */
export function withNote(verdict: FailedVerdict, note: string): FailedVerdict {
  if (note === '') return verdict;
  return { ...verdict, result: { ...verdict.result, message: `${verdict.result.message}${note}` } };
}
