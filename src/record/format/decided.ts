import type { AttemptRow } from './rows.ts';

/** Whether an attempt settled its call. What the end of a run cut off is not decided: resumed, it is done again. */
export function isDecidedFailure({ why, result }: Pick<AttemptRow, 'why' | 'result'>): boolean {
  if (why !== 'failed' || result === undefined) return false;
  return result.outcome !== 'aborted' || result.reason === 'in-doubt';
}
