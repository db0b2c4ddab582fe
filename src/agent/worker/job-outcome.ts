import {
  JournalError,
  JournalFencedError,
  PromptValidationError,
  RunLostError,
  RunRefusedError,
  SessionBusyError,
} from '../../core/error/index.ts';
import type { RunJobOutcome } from '../../durable/queue/index.ts';

/** How long a job waits whose run another process has. */
const busyMs = 3_000;
/** How long a job waits whose journal has failed. */
const lostMs = 5_000;
/** How long a job waits that no agent of the worker is for: another worker has time to take it. */
export const elsewhereMs = 5_000;

/**
 * What becomes of a job whose run was refused, or has failed.
 *
 * @param isStrict whether what has changed is for a worker of another version.
 */
export function outcomeOf(error: unknown, isStrict: boolean): RunJobOutcome {
  if (SessionBusyError.isInstance(error)) return { kind: 'again', afterMs: busyMs };
  const refused = refusalOf(error);
  if (refused !== undefined) {
    const isEnded = refused.code === 'run-cancelled' || refused.code === 'run-ended';
    return isEnded ? { kind: 'done' } : { kind: 'aside', error };
  }
  if (
    RunLostError.isInstance(error) ||
    JournalError.isInstance(error) ||
    JournalFencedError.isInstance(error)
  )
    return { kind: 'again', afterMs: lostMs };
  if (PromptValidationError.isInstance(error)) {
    const isOfOther = isStrict && error.details['changed'] !== undefined;
    return isOfOther ? { kind: 'again', afterMs: elsewhereMs } : { kind: 'aside', error };
  }
  return { kind: 'failed', error };
}

/** The refusal that an error is, or that a run has ended by which was cancelled meanwhile. */
function refusalOf(error: unknown): RunRefusedError | undefined {
  if (RunRefusedError.isInstance(error)) return error;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return RunRefusedError.isInstance(cause) ? cause : undefined;
}
