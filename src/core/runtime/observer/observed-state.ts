import type { LogAppend, ObservedSlice, SliceWrite } from '../../session/index.ts';
import type { ObservedEvaluation } from './observed-evaluation.ts';

/** State that no call wrote: what a run begins with, and what a subscriber, a feedback provider or the caller has changed since. */
export interface ObservedState extends ObservedEvaluation {
  readonly atMs: number;
  /** `start`: everything that is there before the first call. `change`: what others changed since the last report. */
  readonly kind: 'start' | 'change';
  /** Slices that were installed since the last report. */
  readonly slices: readonly { [Name in keyof ObservedSlice]: ObservedSlice[Name] }[];
  readonly writes: readonly SliceWrite[];
  readonly log: readonly { [Name in keyof LogAppend]: LogAppend[Name] }[];
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}
