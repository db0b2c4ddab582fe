import { describeError } from '../../error/index.ts';
import type { ResourceFailure } from '../../resource/index.ts';
import type { ToolCallAttempt } from './tool-call-attempt.ts';
import { type FailedVerdict, failed } from './verdict.ts';

/** A call that succeeded and comes to its commit, or does not get that far. */
interface CommittingCall {
  readonly toolName: string;
  /** Its last attempt. */
  readonly attempt: Pick<ToolCallAttempt, 'effectsStand' | 'number' | 'transaction'> | undefined;
  /** Name of the tool whose call it runs inside of; undefined outside of calls. */
  readonly outerTool: string | undefined;
}

/** What it had read was changed, and it cannot be run again. */
export function cannotRepeat(
  { toolName, attempt, outerTool }: CommittingCall,
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
        `was changed ${by} before it could be committed (${names}). Nothing it changed is left; try again.`,
      ].join(' ');
  return failed('rolled-back', 'conflict', message);
}

/** Its changes do not fit the present state. */
export function doesNotFit(call: CommittingCall, refusals: readonly string[]): FailedVerdict {
  const message = `What "${call.toolName}" changed in session and files does not fit the present state (${refusals.join(', ')}) and was rolled back.${whatStands(call)}`;
  return failed('rolled-back', 'commit-failed', message);
}

/** A resource could not be committed. */
export function resourceFailed(call: CommittingCall, { name, error }: ResourceFailure): FailedVerdict {
  const message = `What "${call.toolName}" changed in "${name}" could not be put in place, so the call was rolled back.${whatStands(call)}\n${describeError(error)}`;
  return failed('rolled-back', 'commit-failed', message, { error });
}

/** The commit itself failed. */
export function cannotCommit(call: CommittingCall, error: unknown): FailedVerdict {
  const message = `What "${call.toolName}" changed could not be put in place and was rolled back.${whatStands(call)}\n${describeError(error)}`;
  return failed('rolled-back', 'commit-failed', message, { error });
}

/** Tells the model what a rolled-back call leaves in place. */
function whatStands({ attempt }: CommittingCall): string {
  const outside = attempt?.effectsStand === true ? ' What it did outside stands.' : '';
  const committed = attempt?.transaction.committedResources ?? [];
  if (committed.length === 0) return outside;
  return ` What it changed in ${committed.map((name) => `"${name}"`).join(', ')} was committed before and stands.${outside}`;
}
