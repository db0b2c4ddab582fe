import type { LogAppend, SliceWrite } from '../../session/index.ts';
import type { ObservedEvaluation } from './observed-evaluation.ts';

/** A slice as far as a reader of its items has to know it. */
export interface ObservedSlice {
  readonly name: string;
  readonly policy: 'state' | 'log';
  readonly isKeyed: boolean;
  readonly version: number;
  /** How many items a LOG slice keeps; absent: all. */
  readonly retain?: number;
}

/** State that no call wrote: what a run begins with, and what a subscriber, a feedback provider or the caller has changed since. */
export interface ObservedState extends ObservedEvaluation {
  readonly atMs: number;
  /** `start`: everything that is there before the first call. `change`: what others changed since the last report. */
  readonly kind: 'start' | 'change';
  /** Slices that were installed since the last report. */
  readonly slices: readonly ObservedSlice[];
  readonly writes: readonly SliceWrite[];
  readonly log: readonly LogAppend[];
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}
