import { describeError } from '../../../error/index.ts';
import { quotedList } from '../../../internal/index.ts';
import type { VisibilityExpansionRequired } from '../../../prompt/index.ts';
import type { ResourceFailure } from '../../../resource/index.ts';
import type {
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolFailure,
  ToolSuccess,
} from '../../../tool/index.ts';
import { ToolResult } from '../../../tool/index.ts';
import type { StopReason } from '../../limits/run-stop.ts';
import type { CallTransaction } from '../transaction/transaction.ts';

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

/** A handler that succeeded, but a policy requests approval of the changes before they are committed. */
export interface ApprovalVerdict {
  readonly kind: 'needs-approval';
  readonly questions: readonly PolicyQuestion[];
}

/** A call that waits for an answer, or for a call before it that does: the run ends without it. */
export interface SuspendedVerdict {
  readonly kind: 'suspended';
}

/** A handler that wants sections to be opened before it can do its work. Nothing it changed will be kept. */
export interface SectionsVerdict {
  readonly kind: 'needs-sections';
  readonly signal: VisibilityExpansionRequired;
}

/** A call that ends the whole evaluation. */
export interface FatalVerdict {
  readonly kind: 'fatal';
  readonly error: unknown;
}

/** A final verdict. */
export type FinalVerdict = FailedVerdict | SucceededVerdict | FatalVerdict;

/** How one attempt at a call ended. */
export type Verdict = FinalVerdict | ApprovalVerdict | SectionsVerdict | SuspendedVerdict;

/** A failed verdict with a message for the model. */
export function failed(
  outcome: FailedVerdict['outcome'],
  reason: ToolCallFailureReason,
  message: string,
  extra: Pick<FailedVerdict, 'policy' | 'policyPrompt' | 'error'> = {},
): FailedVerdict {
  return { kind: 'failed', outcome, reason, result: ToolResult.error(message), ...extra };
}

/** The verdict with a sentence more for the model. */
export function withNote(verdict: FailedVerdict, note: string): FailedVerdict {
  if (note === '') return verdict;
  return { ...verdict, result: { ...verdict.result, message: `${verdict.result.message}${note}` } };
}

/** The verdict on a call that was still continuing when the run ended. */
export function stoppedVerdict(
  toolName: string,
  reason: StopReason,
  hasExternalEffects: boolean,
): FailedVerdict {
  const because = {
    aborted: 'the run was aborted',
    cancelled: 'the run was cancelled',
    deadline: 'the deadline of the run passed',
    budget: 'the budget of the run is used up',
    idle: 'the run was idle for too long',
    interrupted: 'an earlier call ended the run',
  }[reason.kind];
  return failed(
    'aborted',
    reason.kind === 'interrupted' || reason.kind === 'cancelled' ? 'aborted' : reason.kind,
    `The call of "${toolName}" was not completed because ${because}. ${whatIsLeft(hasExternalEffects)}`,
    { error: reason.cause },
  );
}

/** The remaining changes of a call that ended before its handler did, as a sentence. */
export function whatIsLeft(hasExternalEffects: boolean): string {
  return hasExternalEffects
    ? 'Its changes to session and files were rolled back, but its effects outside of them may remain.'
    : 'Its changes were rolled back.';
}

/** For the end of a message: what a rolled-back call leaves outside; empty when it leaves nothing. */
export function externalEffectsNote(hasExternalEffects: boolean): string {
  return hasExternalEffects ? ' Its effects outside of session and files remain.' : '';
}

/** A call that succeeded but cannot be committed. */
export interface UncommittedCall {
  readonly toolName: string;
  /** Its last attempt; undefined when it never began. */
  readonly attempt:
    | {
        readonly number: number;
        readonly hasExternalEffects: boolean;
        readonly transaction: Pick<CallTransaction, 'committedResources' | 'stuckResources'>;
      }
    | undefined;
  /** Name of the tool whose call it runs inside of; undefined outside of calls. */
  readonly outerTool: string | undefined;
}

/** What it had read was changed, and it cannot be run again. */
export function cannotRepeat(
  { toolName, attempt, outerTool }: UncommittedCall,
  changed: readonly string[],
): FailedVerdict {
  const names = changed.join(', ');
  // Other evaluations inside that call take turns with this one: it is the handler itself that writes.
  const by = outerTool === undefined ? 'from outside' : `by the call of "${outerTool}" around it`;
  const isStuck = (attempt?.transaction.stuckResources.length ?? 0) > 0;
  const message = isStuck
    ? `What the call of "${toolName}" had read was changed before it could be committed (${names}), and it could not be repeated.`
    : [
        `The call of "${toolName}" was run ${attempt?.number ?? 0} times, and each time something it had read`,
        `was changed ${by} before it could be committed (${names}). Its changes were rolled back; try again.`,
      ].join(' ');
  return failed('rolled-back', 'conflict', message);
}

/** Its changes do not fit the present state. */
export function doesNotFit(call: UncommittedCall, refusals: readonly string[]): FailedVerdict {
  const message = `What "${call.toolName}" changed in session and files does not fit the present state (${refusals.join(', ')}) and was rolled back.${residualEffectsNote(call)}`;
  return failed('rolled-back', 'commit-failed', message);
}

/** A resource could not be committed. */
export function resourceFailed(call: UncommittedCall, { name, error }: ResourceFailure): FailedVerdict {
  return notInPlace(call, ` in "${name}"`, error);
}

/** The commit itself failed. */
export function cannotCommit(call: UncommittedCall, error: unknown): FailedVerdict {
  return notInPlace(call, '', error);
}

/** The reason is in the first line: reports show no other. */
function notInPlace(call: UncommittedCall, where: string, error: unknown): FailedVerdict {
  const what = `What "${call.toolName}" changed${where} could not be put in place, so the call was rolled back.`;
  const message = `${what}${residualEffectsNote(call)} ${describeError(error)}`;
  return failed('rolled-back', 'commit-failed', message, { error });
}

function residualEffectsNote({ attempt }: UncommittedCall): string {
  const outside = attempt?.hasExternalEffects === true ? ' Its effects outside remain.' : '';
  const committed = attempt?.transaction.committedResources ?? [];
  if (committed.length === 0) return outside;
  return ` Its changes in ${quotedList(committed)} were committed before and remain.${outside}`;
}
