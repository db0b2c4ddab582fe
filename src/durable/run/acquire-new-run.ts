import { PromptValidationError } from '../../core/error/index.ts';
import type { RunJournal, RunLease } from '../../core/runtime/index.ts';

/** A run that is to begin. */
export interface NewRun {
  readonly journal: RunJournal;
  readonly runId: string;
  readonly sessionId: string;
  /** What to do about a run that has this name, such as `Give this one another runId.` */
  readonly instead: string;
}

/**
 * Acquires the lease for a run that begins.
 *
 * @throws {PromptValidationError} for a run that the journal has already.
 * @throws {SessionBusyError} while another process holds the session.
 */
export async function acquireNewRun({ journal, runId, sessionId, instead }: NewRun): Promise<RunLease> {
  const lease = await journal.acquire(sessionId);
  try {
    const [known] = await journal.read(runId);
    if (known === undefined) return lease;
    throw new PromptValidationError(`The journal has a run "${runId}" already. ${instead}`, {
      details: { option: 'runId' },
    });
  } catch (error) {
    await lease.release();
    throw error;
  }
}
