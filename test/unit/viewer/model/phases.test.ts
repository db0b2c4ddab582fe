import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedAttempt } from 'weakincentives/record';
import { askedMs, phasesOf, timeIn } from '../../../../src/viewer/model/phases.ts';
import { sampleRecord } from '../sample-record.ts';

function attempt(phases: RecordedAttempt['phases'], number = 1): RecordedAttempt {
  const made = sampleRecord([{ calls: [{ attempts: [{ phases, number }] }] }]).calls[0]?.attempts[0];
  if (made === undefined) throw new Error('There is no attempt.');
  return made;
}

describe('phasesOf', () => {
  it('separates waiting for a place, running, asking and waiting for a turn', () => {
    const asked = attempt({
      requestedAtMs: 0,
      startedAtMs: 5,
      endedAtMs: 40,
      settledAtMs: 100,
      approvals: [
        { fromMs: 10, toMs: 20 },
        { fromMs: 40, toMs: 90 },
      ],
    });
    expect(phasesOf(asked, undefined)).toEqual([
      { kind: 'place', fromMs: 0, toMs: 5 },
      { kind: 'ran', fromMs: 5, toMs: 10 },
      { kind: 'asked', fromMs: 10, toMs: 20 },
      { kind: 'ran', fromMs: 20, toMs: 40 },
      { kind: 'asked', fromMs: 40, toMs: 90 },
      { kind: 'turn', fromMs: 90, toMs: 100 },
    ]);
    expect([timeIn(asked, undefined, 'ran'), timeIn(asked, undefined, 'asked')]).toEqual([25, 60]);
  });

  it('counts the wait for a place once, however often a call is tried', () => {
    const first = attempt({
      requestedAtMs: 0,
      startedAtMs: 5,
      endedAtMs: 40,
      settledAtMs: 45,
      approvals: [],
    });
    const again = attempt(
      { requestedAtMs: 0, startedAtMs: 50, endedAtMs: 60, settledAtMs: 60, approvals: [] },
      2,
    );
    expect(phasesOf(again, first)).toEqual([{ kind: 'ran', fromMs: 50, toMs: 60 }]);
    // In another life of the run it waits anew.
    const resumed = attempt(
      { requestedAtMs: 70, startedAtMs: 80, endedAtMs: 90, settledAtMs: 90, approvals: [] },
      3,
    );
    expect(phasesOf(resumed, again)).toEqual([
      { kind: 'place', fromMs: 70, toMs: 80 },
      { kind: 'ran', fromMs: 80, toMs: 90 },
    ]);
  });

  it('has the wait for an answer that came when the attempt had ended', () => {
    const approvals = [{ fromMs: 20, toMs: 500 }];
    const suspended = attempt({
      requestedAtMs: 0,
      startedAtMs: 0,
      endedAtMs: 20,
      settledAtMs: 21,
      approvals,
    });
    expect(phasesOf(suspended, undefined)).toEqual([
      { kind: 'ran', fromMs: 0, toMs: 20 },
      { kind: 'asked', fromMs: 20, toMs: 500 },
    ]);
  });

  it('has a moment in which a call that never began was decided', () => {
    expect(phasesOf(attempt({ requestedAtMs: 7, settledAtMs: 7, approvals: [] }, 0), undefined)).toEqual([
      { kind: 'ran', fromMs: 7, toMs: 7 },
    ]);
  });

  it('covers an attempt from its start to its end without gaps', () => {
    const times = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(times, fc.boolean(), (list, isAskedAfter) => {
        const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = list.sort((x, y) => x - y);
        const approvals = isAskedAfter
          ? [{ fromMs: f, toMs: g }]
          : [
              { fromMs: c, toMs: d },
              { fromMs: f, toMs: g },
            ];
        const phases = phasesOf(
          attempt({ requestedAtMs: a, startedAtMs: b, endedAtMs: e, settledAtMs: h, approvals }),
          undefined,
        );
        let at = a;
        for (const phase of phases.filter(({ fromMs, toMs }) => toMs > fromMs)) {
          expect(phase.fromMs).toBe(at);
          at = phase.toMs;
        }
        expect(at).toBe(h);
      }),
    );
  });

  it('sums the waits of all attempts, and counts once what calls waited for at the same time', () => {
    const waiting = (fromMs: number, toMs: number) => ({
      phases: {
        requestedAtMs: 0,
        startedAtMs: 0,
        endedAtMs: 5,
        settledAtMs: 5,
        approvals: [{ fromMs, toMs }],
      },
    });
    const record = sampleRecord([
      { calls: [{ attempts: [waiting(1, 4), waiting(10, 14)] }, { attempts: [waiting(2, 12)] }] },
    ]);
    expect(record.calls.map((call) => askedMs([call]))).toEqual([7, 10]);
    expect(askedMs(record.calls)).toBe(13);
  });
});
