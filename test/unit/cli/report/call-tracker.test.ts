import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { CallTracker } from '../../../../src/cli/report/call-tracker.ts';
import { asked, inside, started } from './call-events.ts';

/** The numbers that calls get, in the order their starts are told. */
function numbers(events: readonly RunEvent[]): readonly (string | undefined)[] {
  const tracker = new CallTracker();
  return events.flatMap((event) => {
    const { event: bare, call } = tracker.see(event);
    return bare.type === 'tool-call-start' ? [call?.number] : [];
  });
}

describe('CallTracker', () => {
  it('numbers calls in the order they were asked for, whatever starts first', () => {
    expect(numbers([asked('a', 'b'), started('b'), started('a')])).toEqual(['2', '1']);
  });

  it('tells calls with the same id in different evaluations apart', () => {
    expect(
      numbers([
        asked('a'),
        started('a'),
        inside('a', asked('a')),
        inside('a', started('a')),
        inside('a', inside('a', asked('a'))),
        inside('a', inside('a', started('a'))),
        inside('a', asked('a'), { evaluation: 2 }),
        inside('a', started('a'), { evaluation: 2 }),
      ]),
    ).toEqual(['1', '1.1', '1.1.1', '1.2']);
  });

  it('counts on when a model uses an id again after the call has ended', () => {
    const end = { callId: 'a', toolName: 'look' };
    const tracker = new CallTracker();
    const ended = { type: 'tool-call-end', invocation: { ...end } } as RunEvent; // Nothing else of it is looked at.
    const seen = [asked('a'), started('a'), ended, asked('a'), started('a')].map((event) =>
      tracker.see(event),
    );
    expect(seen.map(({ call }) => call?.number)).toEqual([undefined, '1', '1', undefined, '2']);
  });

  it('begins to count anew inside a call that runs again, and names the turn of the run', () => {
    const rerun: RunEvent = {
      type: 'tool-call-rerun',
      turn: 3,
      callId: 'a',
      toolName: 'look',
      attempt: 2,
      conflicts: ['slice s'],
    };
    const tracker = new CallTracker();
    const events = [
      started('a', 3),
      inside('a', started('x', 1)),
      rerun,
      inside('a', started('y', 7), { attempt: 2 }),
    ];
    const last = events.map((event) => tracker.see(event)).at(-1);
    expect(last).toMatchObject({
      turn: 3,
      call: { number: '1.1' },
      around: [{ number: '1', toolName: 'look' }],
    });
  });
});
