import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { CallLog } from '../../../../../src/cli/report/calls/call-log.ts';
import { here } from '../../../../support/event-places.ts';
import { asked, ended, inside, started } from './call-events.ts';

describe('CallLog', () => {
  it('numbers calls in the order they were asked for, not in which they end', () => {
    const log = new CallLog();
    log.observe(here({ type: 'model-call-start', turn: 1 }));
    for (const event of [asked('c1', 'c2'), ended('c2'), ended('c1')]) log.observe(event);
    expect(log.records.map((record) => record.number)).toEqual(['2', '1']);
  });

  it('says of a call what its tool says, unless it was rejected', () => {
    const log = new CallLog((text) => text.replaceAll('s3cret', '<removed>'));
    for (const [callId, outcome] of [
      ['c1', 'committed'],
      ['c2', 'rejected'],
    ] as const) {
      const event = started(callId);
      log.observe({ ...event, subject: 'note s3cret' } as RunEvent);
      expect(log.open.at(-1)?.subject).toBe('note <removed>');
      log.observe(ended(callId, { outcome }));
    }
    log.observe(started('c3'));
    log.observe(ended('c3'));
    expect(log.records.map(({ subject }) => subject)).toEqual(['note <removed>', 'c2.md', 'c3.md']);
  });

  it('counts outcomes and re-runs', () => {
    const log = new CallLog();
    log.observe(here({ type: 'model-call-start', turn: 4 }));
    log.observe(ended('c1', { attempts: 2 }));
    log.observe(ended('c2', { outcome: 'denied', policy: 'p', reason: 'denied' }));
    expect(log.totals()).toMatchObject({
      turns: 4,
      calls: 2,
      outcomes: { committed: 1, 'rolled-back': 0, denied: 1, rejected: 0, aborted: 0 },
      undone: 0,
      unenforced: 0,
      residual: 0,
      rerun: 1,
      inner: { calls: 0 },
    });
    expect(log.records[1]).toMatchObject({ policy: 'p', reason: 'denied' });
  });

  it('keeps the steps of the last attempt only', () => {
    const log = new CallLog();
    const step = (update: string) =>
      log.observe(here({ type: 'tool-call-progress', turn: 1, callId: 'c1', toolName: 'publish', update }));
    step('first attempt');
    log.observe(
      here({
        type: 'tool-call-retry',
        turn: 1,
        callId: 'c1',
        toolName: 'publish',
        attempt: 2,
        conflicts: ['x'],
      }),
    );
    step('second attempt');
    log.observe(ended('c1'));
    expect(log.records[0]?.steps).toEqual(['second attempt']);
  });
});

it('CallLog takes steps that are no JSON', () => {
  const circle: Record<string, unknown> = {};
  circle['itself'] = circle;
  const log = new CallLog();
  // A handler written in JavaScript may report anything.
  for (const update of [circle as never, { done: 1 }]) {
    log.observe(here({ type: 'tool-call-progress', turn: 1, callId: 'a', toolName: 'look', update }));
  }
  log.observe(ended('a'));
  expect(log.records[0]?.steps).toEqual(['(not JSON)', '{"done":1}']);
});

describe('CallLog, of calls inside others', () => {
  const failed = { success: false, outcome: 'rolled-back', reason: 'failed-result', message: 'no' } as const;

  function logOf(events: readonly RunEvent[]): CallLog {
    const log = new CallLog();
    for (const event of events) log.observe(event);
    return log;
  }

  it('keeps them under the call around them, in the order they were asked for', () => {
    const { records } = logOf([
      asked('a'),
      started('a'),
      inside('a', asked('a', 'b')),
      inside('a', started('b')),
      inside('a', ended('b')),
      inside('a', started('a')),
      inside('a', inside('a', started('c'))),
      inside('a', inside('a', ended('c', failed))),
      inside('a', ended('a')),
      ended('a'),
    ]);
    expect(records).toMatchObject([
      {
        number: '1',
        inner: [
          {
            number: '1.1',
            subject: 'a.md',
            undoneWith: undefined,
            inner: [{ number: '1.1.1', outcome: 'rolled-back' }],
          },
          { number: '1.2', subject: 'b.md', inner: [] },
        ],
      },
    ]);
  });

  it('says which call took what was committed inside of it along when it failed, and counts them apart', () => {
    const log = logOf([
      here({ type: 'model-call-start', turn: 1 }),
      inside('a', here({ type: 'model-call-start', turn: 9 })),
      inside('a', inside('b', ended('c'))),
      inside('a', inside('b', ended('d', failed))),
      inside('a', ended('b', failed)),
      inside('a', ended('e')),
      ended('a', { ...failed, residualEffects: ['resource clock: takes no part in transactions'] }),
    ]);
    expect(log.records).toMatchObject([
      {
        undoneWith: undefined,
        inner: [
          { number: '1.1', undoneWith: undefined, inner: [{ undoneWith: '1.1' }, { undoneWith: undefined }] },
          { number: '1.2', undoneWith: '1' },
        ],
      },
    ]);
    expect(log.totals()).toEqual({
      turns: 1,
      calls: 1,
      outcomes: { committed: 0, 'rolled-back': 1, denied: 0, rejected: 0, aborted: 0 },
      undone: 0,
      rerun: 0,
      unenforced: 0,
      residual: 1,
      hosted: 0,
      inner: {
        calls: 4,
        outcomes: { committed: 0, 'rolled-back': 2, denied: 0, rejected: 0, aborted: 0 },
        undone: 2,
        rerun: 0,
        unenforced: 0,
        residual: 0,
        hosted: 0,
      },
    });
  });

  it('names those whose end nobody told, because the call around them ended first', () => {
    const { records } = logOf([
      started('a'),
      inside('a', started('b')),
      inside('a', inside('b', started('c'))),
      inside('a', inside('b', ended('d'))),
      ended('a', failed),
    ]);
    expect(records[0]?.inner).toMatchObject([
      {
        number: '1.1',
        outcome: 'aborted',
        message: 'it was cancelled when call 1 ended',
        durationMs: undefined,
        inner: [
          { number: '1.1.1', outcome: 'aborted', message: 'it was cancelled when call 1.1 ended' },
          { number: '1.1.2', outcome: 'committed', undoneWith: '1.1' },
        ],
      },
    ]);
  });

  it('forgets those of a superseded attempt', () => {
    const { records } = logOf([
      started('a'),
      inside('a', started('b')),
      inside('a', inside('b', ended('c'))),
      inside('a', ended('b')),
      inside('a', started('never-ended')),
      here({
        type: 'tool-call-retry',
        turn: 1,
        callId: 'a',
        toolName: 'look',
        attempt: 2,
        conflicts: ['slice s'],
      }),
      inside('a', started('b'), { attempt: 2 }),
      inside('a', ended('b'), { attempt: 2 }),
      ended('a', { attempts: 2 }),
    ]);
    expect(records[0]?.inner).toMatchObject([{ number: '1.1', subject: 'b.md', inner: [] }]);
  });

  it('takes out of every text what must not be shown', () => {
    const log = new CallLog((text) => text.replaceAll('/home/ann', '<home>'));
    const secret = 'in /home/ann';
    const policy = { policy: 'careful', reason: secret } as const;
    log.observe(here({ type: 'tool-call-progress', turn: 1, callId: 'a', toolName: 'look', update: secret }));
    log.observe(
      ended('a', {
        ...failed,
        params: { path: '/home/ann' },
        message: secret,
        conflicts: [secret],
        approvals: [{ ...policy, about: 'call', approved: false, answer: secret }],
        unenforced: [{ ...policy, outcome: 'ask' }],
        residualEffects: [secret],
      }),
    );
    expect(JSON.stringify(log.records)).not.toContain('ann');
    expect(JSON.stringify(log.records).split('<home>')).toHaveLength(10);
  });
});
