import type { FileChange } from '../../filesystem/index.ts';
import type { EnclosingAttempt } from './call-inside.ts';

/** What policies need of the attempt that they judge. */
export interface JudgedAttempt extends EnclosingAttempt {
  /** The net changes to files, once the handler has returned. */
  readonly changes: readonly FileChange[];
  /** What calls inside have changed, in the order of their commits. */
  readonly innerChanges: readonly FileChange[];
  readonly signal: AbortSignal;
  /** Waits for work, but no longer than the run lasts. */
  settled<T>(work: PromiseLike<T>): Promise<T>;
  /** Behind a message: what stands although the call is rolled back; empty when nothing does. */
  standingNote(): string;
}
