import type { FileChange } from '../filesystem/index.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import type { ResolvedCall } from './tool-call.ts';
import type { CallTransaction } from './transaction.ts';

/** What policies need of the attempt that they judge. */
export interface JudgedAttempt {
  readonly number: number;
  readonly resolved: ResolvedCall;
  readonly approvals: ApprovalMemory;
  readonly transaction: CallTransaction;
  /** The net changes to files, once the handler has returned. */
  readonly changes: readonly FileChange[];
  readonly signal: AbortSignal;
  /** Waits for work, but no longer than the run lasts. */
  settled<T>(work: PromiseLike<T>): Promise<T>;
  /** Behind a message: what stands although the call is rolled back; empty when nothing does. */
  standingNote(): string;
}
