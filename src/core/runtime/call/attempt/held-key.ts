import type { OnceCall } from '../../journal/journal-ledger.ts';
import type { OnceHooks } from '../environment/call-hooks.ts';

/** A key that a call has. */
export interface HeldKey {
  readonly call: OnceCall;
  readonly ledger: OnceHooks;
  /** What became of it, unless the handler or `reconcile` says so. */
  ifUnknown: 'not-done' | 'in-doubt';
}
