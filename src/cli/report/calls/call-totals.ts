import { counted, present } from '../../../core/internal/index.ts';
import type { ToolCallOutcome } from '../../../core/runtime/index.ts';
import { type EndedCall, isHosted } from './call.ts';

/** Counts of calls. Each call counts once, under its outcome or as undone. */
export interface CallCounts {
  readonly calls: number;
  readonly outcomes: Readonly<Record<ToolCallOutcome, number>>;
  /** Calls that began before an interruption, and whose effects are not known; not counted as aborted. Absent: none. */
  readonly inDoubt?: number;
  /** Calls that are not made again because they ended the process repeatedly; not counted as aborted. Absent: none. */
  readonly notAgain?: number;
  /** Inner calls that were committed and then discarded because an outer call failed. */
  readonly undone: number;
  /** Calls that were committed after more than one attempt. */
  readonly rerun: number;
  /** Calls that a policy would have denied or asked about, had it been enforced. */
  readonly unenforced: number;
  /** Calls that were not committed but left effects. */
  readonly residual: number;
  /** Calls of the provider, not counted among `calls`. */
  readonly hosted: number;
}

/** Counts of a whole run: of its own calls, and separately of inner calls. */
export interface CallTotals extends CallCounts {
  readonly turns: number;
  /** How often the process of the run has ended without an end of the run. Absent: never. */
  readonly interruptions?: number;
  readonly inner: CallCounts;
}

/** Counts calls, without nested ones. */
export function countCalls(records: readonly EndedCall[]): CallCounts {
  const outcomes = { committed: 0, 'rolled-back': 0, denied: 0, rejected: 0, aborted: 0 };
  let undone = 0;
  let rerun = 0;
  let hosted = 0;
  let inDoubt = 0;
  let notAgain = 0;
  for (const { outcome, undoneWith, attempts, reason } of records) {
    if (isHosted(outcome)) hosted += 1;
    else if (reason === 'in-doubt') inDoubt += 1;
    else if (reason === 'interrupted-repeatedly') notAgain += 1;
    else if (undoneWith !== undefined) undone += 1;
    else {
      outcomes[outcome] += 1;
      if (outcome === 'committed' && attempts > 1) rerun += 1;
    }
  }
  return {
    calls: records.length - hosted,
    outcomes,
    ...present({
      inDoubt: inDoubt === 0 ? undefined : inDoubt,
      notAgain: notAgain === 0 ? undefined : notAgain,
    }),
    undone,
    rerun,
    unenforced: records.filter(({ unenforced }) => unenforced.length > 0).length,
    residual: records.filter(({ residualEffects }) => residualEffects.length > 0).length,
    hosted,
  };
}

/** `3 turns, 4 calls: 3 committed, 1 rolled back; 2 calls inside them: 2 committed`. */
export function describeTotals(totals: CallTotals): string {
  const { turns, inner, interruptions = 0 } = totals;
  const ofInner =
    inner.calls + inner.hosted === 0
      ? ''
      : `; ${counted(inner.calls, 'call')} inside them: ${describe(inner)}`;
  const ofLives = interruptions === 0 ? '' : `; ${counted(interruptions, 'interruption')} of the process`;
  return `${counted(turns, 'turn')}, ${counted(totals.calls, 'call')}: ${describe(totals)}${ofInner}${ofLives}`;
}

function describe({
  outcomes,
  inDoubt = 0,
  notAgain = 0,
  undone,
  rerun,
  unenforced,
  residual,
  hosted,
}: CallCounts): string {
  const count = (amount: number, what: string): readonly string[] =>
    amount > 0 ? [`${amount} ${what}`] : [];
  return [
    `${outcomes.committed} committed${rerun > 0 ? ` (${rerun} of them re-run)` : ''}`,
    ...count(undone, 'undone with the enclosing call'),
    ...count(outcomes['rolled-back'], 'rolled back'),
    ...count(outcomes.denied, 'denied'),
    ...count(unenforced, 'would have been denied or asked about'),
    ...count(outcomes.rejected, 'rejected'),
    ...count(outcomes.aborted, 'stopped and rolled back'),
    ...count(inDoubt, 'in doubt'),
    ...count(notAgain, 'not made again'),
    ...count(residual, 'left effects'),
    ...count(hosted, 'more run by the provider'),
  ].join(', ');
}
