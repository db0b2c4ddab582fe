import { describe, expect, it } from 'vitest';
import { countCalls, describeTotals } from '../../../../../src/cli/report/calls/call-totals.ts';
import { describeCall, noLimits } from '../../../../../src/cli/report/text/describe-call.ts';
import { callRecord } from './call-records.ts';

describe('a call in doubt', () => {
  const record = callRecord({ outcome: 'aborted', reason: 'in-doubt', message: 'It began before.' });

  it('is not said to be rolled back: it may have taken effect', () => {
    const { outcome, tone } = describeCall(record, noLimits);
    expect(outcome).toBe('in doubt: it began before the interruption and may have taken effect');
    expect(tone).toBe('bad');
  });

  it('is counted apart from calls that were stopped', () => {
    const stopped = callRecord({ outcome: 'aborted', reason: 'aborted' });
    const counts = countCalls([record, stopped, callRecord()]);
    expect(counts).toMatchObject({ calls: 3, inDoubt: 1, outcomes: { aborted: 1, committed: 1 } });
    const totals = describeTotals({ turns: 1, ...counts, inner: countCalls([]) });
    expect(totals).toBe('1 turn, 3 calls: 1 committed, 1 stopped and rolled back, 1 in doubt');
  });
});
