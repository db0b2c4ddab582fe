import { JournalFencedError, SessionBusyError } from '../../core/error/index.ts';
import type { LeaseKey } from './journal-backend.ts';

/** What a backend rejects with for a lease that has ended. */
export function fenced({ sessionId, epoch }: LeaseKey): JournalFencedError {
  return new JournalFencedError(
    `The lease of the session "${sessionId}" has ended: it was released or taken from its owner, or not renewed in time. Resume the run to continue.`,
    { details: { sessionId, epoch } },
  );
}

/** What a backend rejects with while another owner has the session. */
export function busy(sessionId: string): SessionBusyError {
  return new SessionBusyError(
    `Another owner holds the session "${sessionId}". Wait until it has ended, or until its lease has run out.`,
    { details: { sessionId } },
  );
}
