import type { RecordedCall, RunRecord } from '../../record/index.ts';
import { askedMs, timesRun } from './phases.ts';
import { runEnd } from './turns.ts';
import type { Mark } from './words.ts';

/** What the sentence of the header counts and filters by, in its order. */
export const filterNames = [
  'committed',
  'again',
  'rolled-back',
  'denied',
  'rejected',
  'aborted',
  'running',
  'waiting',
  'asked',
  'unenforced',
] as const;

export type FilterName = (typeof filterNames)[number];

export interface Filter {
  readonly mark: Mark;
  readonly label: string;
  readonly matches: (call: RecordedCall) => boolean;
}

const byOutcome = (outcome: RecordedCall['outcome'], mark: Mark, label: string): Filter => ({
  mark,
  label,
  matches: (call) => call.outcome === outcome,
});

export const filters: Readonly<Record<FilterName, Filter>> = {
  committed: byOutcome('committed', 'ok', 'committed'),
  again: { mark: 'superseded', label: 'after a re-run', matches: (call) => timesRun(call) > 1 },
  'rolled-back': byOutcome('rolled-back', 'rolled-back', 'rolled back'),
  denied: byOutcome('denied', 'denied', 'denied'),
  rejected: byOutcome('rejected', 'rejected', 'rejected'),
  aborted: byOutcome('aborted', 'rejected', 'aborted'),
  running: {
    mark: 'running',
    label: 'not ended',
    matches: (call) => call.outcome === undefined && !isWaiting(call),
  },
  waiting: { mark: 'ask', label: 'waiting', matches: isWaiting },
  asked: { mark: 'ask', label: 'asked', matches: (call) => askedMs([call]) > 0 },
  unenforced: {
    mark: 'denied',
    label: 'refused without enforcement',
    matches: (call) =>
      call.attempts.some(({ policies }) =>
        policies.some((answer) => !answer.isEnforced && answer.outcome !== 'allow'),
      ),
  },
};

/** The run has ended with a question, and the call continues with the answer. */
function isWaiting({ outcome, run }: RecordedCall): boolean {
  return outcome === undefined && run.outcome === 'suspended';
}

/** What the sentence says, without its words. */
export interface Totals {
  readonly calls: number;
  readonly turns: number;
  readonly counts: Readonly<Record<FilterName, number>>;
  readonly askedMs: number;
  /** From the start of the run to its end, and without the time in which no process worked on it. */
  readonly inAllMs: number;
  readonly workMs: number;
}

export function totalsOf(record: RunRecord): Totals {
  const counts = Object.fromEntries(
    filterNames.map((name) => [name, record.calls.filter(filters[name].matches).length]),
  );
  const inAllMs = runEnd(record);
  const pausedMs = record.pauses.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return {
    calls: record.calls.length,
    turns: record.root.turns.length,
    // Of every name, as was just counted.
    counts: counts as Record<FilterName, number>,
    askedMs: askedMs(record.calls),
    inAllMs,
    workMs: Math.max(0, inAllMs - pausedMs),
  };
}
