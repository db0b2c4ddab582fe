import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent, ToolInvokedPayload } from 'weakincentives';
import { draws } from '../../../../support/draws.ts';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { ended, started } from '../calls/call-events.ts';
import { shownProgress, shownRun } from './shown-run.ts';
import { ManualTimers } from './terminal-screen.ts';

const minuteMs = 60_000;
const asking = (turn: number): RunEvent => here({ type: 'model-call-start', turn });

function deploy(turn: number, overrides: Partial<ToolInvokedPayload> = {}): readonly RunEvent[] {
  const of = { turn, callId: `deploy-${turn}`, toolName: 'deploy' } as const;
  const failure = { success: false, outcome: 'rolled-back', message: 'connect ECONNREFUSED' } as const;
  return [
    here({ type: 'tool-call-start', ...of, params: { target: 'prod' } }),
    ended(of.callId, { ...of, params: { target: 'prod' }, ...failure, ...overrides }),
  ];
}

function lines(run = shownRun({ title: 'release on my-app' })) {
  const stream = capturedStream();
  const timers = new ManualTimers();
  const clean = (text: string): string => text.replaceAll('/home/ann', '<home>');
  const progress = shownProgress(stream, { run, now: timers.now, after: timers.after, clean });
  const observe = (...events: readonly RunEvent[]): void => {
    for (const event of events) progress.observe(event);
  };
  return { observe, progress, timers, written: () => stream.text().split('\n').slice(0, -1) };
}

describe('progress in a log', () => {
  it('is as the documentation has it', () => {
    const usage = { inputTokens: 11_000, outputTokens: 1_100 };
    const run = shownRun({ title: 'release on my-app', maxTurns: 20, usage, cost: 0.02 });
    const { observe, timers, written } = lines(run);
    observe(asking(1), started('a'), ended('a'), started('b'), ended('b'));
    observe(asking(2), ...deploy(2), asking(3), ...deploy(3), asking(4), ...deploy(4), asking(5));
    timers.advance(5 * minuteMs - 31_000);
    observe(...deploy(5).slice(0, 1));
    timers.advance(31_000);
    expect(written()).toEqual([
      'wink: release on my-app with openai:gpt-5',
      'wink: turn 2, call 3: deploy target=prod rolled back: connect ECONNREFUSED',
      'wink: turn 3, call 4: the same again (2 times)',
      'wink: 1 min, turn 5 of 20, 12.1k tokens, $0.02, asking openai:gpt-5, 1 min 0 s',
      'wink: 2 min, turn 5 of 20, 12.1k tokens, $0.02, asking openai:gpt-5, 2 min 0 s',
      'wink: 5 min, turn 5 of 20, 12.1k tokens, $0.02, running: deploy target=prod 31 s',
    ]);
  });

  it('has a line for the first, second, fourth, eighth of the same, which names the call when another came between', () => {
    const { observe, written } = lines();
    const denied = { outcome: 'denied', policy: 'careful', message: 'no.\nMore.' } as const;
    for (let turn = 1; turn <= 5; turn += 1) observe(...deploy(turn));
    observe(...deploy(6, denied));
    for (let turn = 7; turn <= 9; turn += 1) observe(...deploy(turn));
    observe(...deploy(10, denied));
    expect(written().slice(1)).toEqual([
      'wink: turn 1, call 1: deploy target=prod rolled back: connect ECONNREFUSED',
      'wink: turn 2, call 2: the same again (2 times)',
      'wink: turn 4, call 4: the same again (4 times)',
      'wink: turn 6, call 6: deploy target=prod denied by careful: no.',
      'wink: turn 9, call 9: deploy target=prod rolled back again (8 times)',
      'wink: turn 10, call 10: deploy target=prod denied again (2 times)',
    ]);
  });

  it('says what is asked where the answer takes a while, or ends the run', () => {
    const { observe, timers, written } = lines();
    const question = {
      callId: 'a',
      toolName: 'look',
      policy: 'care\nful',
      reason: 'See /home/ann\u001b.\nMore.',
    } as const;
    const start = here({ type: 'approval-start', turn: 1, ...question, about: 'call' });
    const end = here({ type: 'approval-end', turn: 1, ...question, about: 'call', approved: true });
    observe(started('a'), start, end);
    timers.advance(5_000);
    expect(written()).toHaveLength(1);
    observe(start);
    timers.advance(1_000);
    observe(end);
    observe(here({ type: 'approval-pending', turn: 1, ...question, about: 'call', id: 'x', digest: 'y' }));
    expect(written().slice(1)).toEqual([
      'wink: turn 1, call 1: look a.md asked by care<U+000A>ful: See <home><U+001B>.',
      'wink: turn 1, call 1: the same again (2 times)',
    ]);
  });

  it('says of policies that are tried out what they would have done, and that a run continues', () => {
    const { observe, written } = lines();
    const careful = { callId: 'a', toolName: 'look', policy: 'careful', reason: 'sure?' } as const;
    observe(
      here({ type: 'run-resumed', runId: 'r', turn: 3, commits: 2, changed: [], interruptions: 1 }),
      started('a', 3),
      here({ type: 'policy-unenforced', turn: 3, ...careful, attempt: 1, outcome: 'deny' }),
    );
    expect(written().slice(1)).toEqual([
      'wink: turn 3: the run continues after 2 commits and 1 interruption',
      'wink: turn 3, call 1: careful would have denied look: sure?',
    ]);
  });

  it('says what people say to the run', () => {
    const { observe, written } = lines();
    observe(here({ type: 'input-taken', turn: 2, ids: ['m'], by: 'ann\u001b', text: 'Use blue.\nNow.' }));
    expect(written().slice(1)).toEqual(['wink: turn 2: ann<U+001B> said: Use blue.']);
  });

  it('says nothing of turns, plans, calls that run again, and what a model writes', () => {
    const { observe, progress, written } = lines();
    observe(asking(1), here({ type: 'text-delta', turn: 1, text: 'Text' }), started('a'));
    observe(
      here({ type: 'tool-call-retry', turn: 1, callId: 'a', toolName: 'look', attempt: 2, conflicts: [] }),
    );
    progress.observe(ended('a'), {
      objective: 'All',
      status: 'active',
      steps: [{ stepId: 1, title: 'One', status: 'in_progress' }],
    });
    expect(written()).toEqual(['wink: release on my-app with openai:gpt-5']);
    expect(progress.showsText).toBe(false);
  });

  it('gives signs of life that become rare, once after a sleep of the machine, and none after the end', () => {
    const { observe, progress, timers, written } = lines();
    observe(asking(1));
    timers.advance(181 * minuteMs);
    const times = (): readonly string[] =>
      written()
        .slice(1)
        .map((line) => line.replace(/,.*/, ''));
    expect(times()).toEqual(
      [
        '1 min',
        '2 min',
        '5 min',
        '10 min',
        '20 min',
        '30 min',
        '1 h',
        '1 h 30 min',
        '2 h',
        '2 h 30 min',
        '3 h',
      ].map((time) => `wink: ${time}`),
    );
    // The timer of the next sign comes late.
    timers.sleepMs = 300 * minuteMs;
    timers.advance(29 * minuteMs);
    expect(times().slice(11)).toEqual(['wink: 8 h 30 min']);
    progress.end();
    timers.advance(90 * minuteMs);
    expect([times().length, timers.count]).toEqual([12, 0]);
  });

  it('has at most 20 lines, 6 signs of life and 2 an hour, whatever comes when', () => {
    const failure = fc.record({
      id: fc.integer({ min: 0, max: 40 }),
      outcome: fc.constantFrom('denied', 'rolled-back', 'rejected', 'committed'),
      message: fc.constantFrom('no', 'never\u001b[2J', 'late'),
      waitMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 40 * minuteMs })),
    });
    fc.assert(
      fc.property(fc.array(failure, { maxLength: 300 }), (failures) => {
        const { observe, progress, timers, written } = lines();
        for (const { id, outcome, message, waitMs } of failures) {
          const callId = `call-${id}`;
          observe(started(callId), ended(callId, { outcome: outcome as 'denied', message }));
          timers.advance(waitMs);
        }
        progress.end();
        const hours = timers.nowMs / (60 * minuteMs);
        expect(written().length).toBeLessThanOrEqual(20 + 6 + 2 * hours);
        // oxlint-disable-next-line no-control-regex -- They act on a terminal.
        for (const line of written()) expect(line).toMatch(/^wink: [^\u0000-\u001f]+$/);
      }),
      { numRuns: draws(100) },
    );
  });
});
