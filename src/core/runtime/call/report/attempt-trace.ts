import type { CallPhases, PolicyAnswer } from '../../observer/observed-call.ts';

type Changeable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What is noted of an attempt while it happens, for observers. Without observers of calls there is none. */
export interface AttemptTrace extends Changeable<Omit<CallPhases, 'settledAtMs' | 'approvals'>> {
  /** Number of the last commit on the root session before the attempt; undefined inside another call. */
  readonly base: number | undefined;
  readonly approvals: { readonly fromMs: number; readonly toMs: number }[];
  readonly policies: PolicyAnswer[];
}
