import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { CallLog } from '../../../../../src/cli/report/calls/call-log.ts';
import { here } from '../../../../support/event-places.ts';
import { asked, ended, inside, started } from './call-events.ts';

/** The numbers that calls get, in the order their starts are told. */
function numbers(events: readonly RunEvent[]): readonly (string | undefined)[] {
  const log = new CallLog();
  return events.flatMap((event) => {
    const { event: bare, call } = log.observe(event);
    return bare.type === 'tool-call-start' ? [call?.number] : [];
  });
}

describe('the numbers of calls', () => {
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
    const log = new CallLog();
    const seen = [asked('a'), started('a'), ended('a'), asked('a'), started('a')].map((event) =>
      log.observe(event),
    );
    expect(seen.map(({ call }) => call?.number)).toEqual([undefined, '1', '1', undefined, '2']);
  });

  it('begins to count anew inside a call that runs again, and names the turn of the run', () => {
    const rerun: RunEvent = here({
      type: 'tool-call-retry',
      turn: 3,
      callId: 'a',
      toolName: 'look',
      attempt: 2,
      conflicts: ['slice s'],
    });
    const log = new CallLog();
    const events = [
      started('a', 3),
      inside('a', started('x', 1)),
      rerun,
      inside('a', started('y', 7), { attempt: 2 }),
    ];
    const last = events.map((event) => log.observe(event)).at(-1);
    expect(last).toMatchObject({
      turn: 3,
      call: { number: '1.1' },
      outerCalls: [{ number: '1', toolName: 'look' }],
    });
  });
});
