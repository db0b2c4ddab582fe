import type { RecordedCall, RunRecord } from '../../record/index.ts';
import { askedMs } from './phases.ts';
import type { Mark } from './words.ts';

/** What the sentence of the header counts and filters by. */
export type FilterName =
  | 'committed'
  | 'again'
  | 'rolled-back'
  | 'denied'
  | 'rejected'
  | 'aborted'
  | 'running'
  | 'asked'
  | 'unenforced';

export interface Filter {
  readonly name: FilterName;
  readonly mark: Mark;
  readonly label: string;
  readonly matches: (call: RecordedCall) => boolean;
}

const byOutcome = (name: FilterName & RecordedCall['outcome'], mark: Mark, label: string): Filter => ({
  name,
  mark,
  label,
  matches: (call) => call.outcome === name,
});

/** In the order of the sentence. */
export const filters: readonly Filter[] = [
  byOutcome('committed', 'ok', 'committed'),
  { name: 'again', mark: 'superseded', label: 'after a re-run', matches: (call) => call.attempts.length > 1 },
  byOutcome('rolled-back', 'rolled-back', 'rolled back'),
  byOutcome('denied', 'denied', 'denied'),
  byOutcome('rejected', 'rejected', 'rejected'),
  byOutcome('aborted', 'rejected', 'aborted'),
  { name: 'running', mark: 'running', label: 'not ended', matches: (call) => call.outcome === undefined },
  { name: 'asked', mark: 'ask', label: 'waiting for a person', matches: (call) => askedMs(call) > 0 },
  {
    name: 'unenforced',
    mark: 'denied',
    label: 'refused without enforcement',
    matches: (call) =>
      call.attempts.some(({ policies }) =>
        policies.some((answer) => !answer.isEnforced && answer.outcome !== 'allow'),
      ),
  },
];

export function filterNamed(name: FilterName): Filter {
  const found = filters.find((filter) => filter.name === name);
  if (found === undefined) throw new RangeError(`There is no filter ${name}.`);
  return found;
}

/** What the sentence says, without its words. */
export interface Totals {
  readonly calls: number;
  readonly turns: number;
  readonly counts: Readonly<Record<FilterName, number>>;
  readonly askedMs: number;
}

export function totalsOf(record: RunRecord): Totals {
  const counts: Record<FilterName, number> = {
    committed: 0,
    again: 0,
    'rolled-back': 0,
    denied: 0,
    rejected: 0,
    aborted: 0,
    running: 0,
    asked: 0,
    unenforced: 0,
  };
  let asked = 0;
  for (const call of record.calls) {
    for (const filter of filters) if (filter.matches(call)) counts[filter.name] += 1;
    asked += askedMs(call);
  }
  return { calls: record.calls.length, turns: record.root.turns.length, counts, askedMs: asked };
}
