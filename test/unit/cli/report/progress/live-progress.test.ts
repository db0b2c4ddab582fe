import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { createProgress } from '../../../../../src/cli/report/progress/create-progress.ts';
import type { Progress } from '../../../../../src/cli/report/progress/live-progress.ts';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { asked, ended, inside, started } from '../calls/call-events.ts';
import { ManualTimers, TerminalScreen } from './terminal-screen.ts';

const asking: RunEvent = here({ type: 'model-call-start', turn: 1 });
const says = (text: string): RunEvent => here({ type: 'text-delta', turn: 1, text });
const progressed = (callId: string, update: string): RunEvent =>
  here({
    type: 'tool-call-progress',
    turn: 1,
    callId,
    toolName: 'look',
    update,
  });

interface Live {
  readonly screen: TerminalScreen;
  readonly timers: ManualTimers;
  readonly progress: Progress;
  /** Others write to the terminal. */
  readonly other: (text: string) => void;
}

function live(columns = 80): Live {
  const screen = new TerminalScreen(columns);
  const timers = new ManualTimers();
  const listeners = new Set<(text: string) => void>();
  const progress = createProgress(screen, {
    now: timers.now,
    after: timers.after,
    onOtherOutput: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const other = (text: string): void => {
    for (const listener of listeners) listener(text);
    screen.write(text);
  };
  return { screen, timers, progress, other };
}

describe('the live line', () => {
  it('shows the tool that runs, however soon it came after what was shown', () => {
    const { screen, timers, progress } = live();
    for (const event of [asking, says('Let me look.'), asked('a'), started('a')]) progress.observe(event);
    timers.advance(80);
    expect(screen.text).toBe('turn 1, call 1: look a.md');
  });

  it('shows for a while that the provider shortened the conversation', () => {
    const { screen, timers, progress } = live();
    const answered = { text: '', toolCalls: [], finishReason: 'stop', durationMs: 1 } as const;
    for (const event of [asking, here({ type: 'model-call-end', turn: 1, ...answered, isCompacted: true })])
      progress.observe(event);
    timers.advance(80);
    expect(screen.text).toBe('turn 1: the provider shortened the conversation');
  });

  it('counts the seconds of what goes on, and shows its progress', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    timers.advance(2_999);
    expect(screen.text).toBe('turn 1, call 1, 2 s: look a.md');
    progress.observe(progressed('a', 'half \u001b[31m way'));
    progress.observe(progressed('a', 'nearly\nthere'));
    timers.advance(80);
    expect(screen.text).toBe('turn 1, call 1, 3 s: look a.md (nearly<U+000A>there)');
    timers.advance(122_000);
    expect(screen.text).toBe('turn 1, call 1, 2 min 5 s: look a.md (nearly<U+000A>there)');
  });

  it('counts calls that run at the same time, those inside others too', () => {
    const { screen, timers, progress } = live();
    for (const event of [asked('a', 'b', 'c'), started('a'), started('b'), started('c')]) {
      progress.observe(event);
    }
    timers.advance(1_200);
    expect(screen.text).toBe('turn 1, 1 s: 3 calls: look a.md, look b.md, look c.md');
    for (const event of [asking, asked('d'), started('d')]) progress.observe(inside('b', event));
    progress.observe(inside('c', asking));
    progress.observe(ended('a'));
    timers.advance(1_200);
    expect(screen.text).toBe(
      'turn 1, 2 s: 2 calls and 1 inside: waiting for the model inside look, look d.md',
    );
    progress.observe(ended('b'));
    timers.advance(80);
    expect(screen.text).toBe('turn 1, call 3, 1 s: waiting for the model inside look');
    progress.observe(ended('c'));
    timers.advance(2_200);
    expect(screen.text).toBe('turn 1, 2 s: between steps');
  });

  it('shows news for a while, then what goes on', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    progress.observe(
      here({
        type: 'tool-call-retry',
        turn: 1,
        callId: 'a',
        toolName: 'look',
        attempt: 2,
        conflicts: ['slice count'],
      }),
    );
    timers.advance(80);
    expect(screen.text).toBe('turn 1, call 1: look runs again: slice count had changed (attempt 2)');
    timers.advance(3_000);
    expect(screen.text).toBe('turn 1, call 1, 3 s: look a.md');
  });

  it('writes nothing while nothing changes, and keeps no timer when it has ended', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    const { writes } = screen;
    for (let count = 0; count < 9; count += 1) {
      progress.observe(here({ type: 'tool-call-heartbeat', turn: 1, callId: 'a', toolName: 'look' }));
      timers.advance(100);
    }
    expect(screen.writes).toBe(writes);
    progress.end();
    expect([screen.text, timers.count]).toEqual(['', 0]);
  });

  it('gives way to what others write, and comes back below it', () => {
    const { screen, timers, progress, other } = live();
    progress.observe(asking);
    progress.observe(says('One\nTwo'));
    timers.advance(500);
    other('logged\n');
    expect(screen.text).toBe('logged');
    timers.advance(80);
    expect(screen.text).toBe('logged\nturn 1: the model is writing\n  One\n  Two');
    other('more\n');
    other('no end');
    timers.advance(80);
    other(' of line');
    timers.advance(80);
    progress.end();
    other('after\n');
    expect(screen.text).toBe('logged\nmore\nno end\n of line\nafter');
  });

  it('is not there where nobody watches', () => {
    const stream = capturedStream();
    const timers = new ManualTimers();
    const progress = createProgress(stream, { now: timers.now, after: timers.after });
    progress.observe(started('a'));
    timers.advance(5_000);
    expect([stream.text(), timers.count]).toEqual(['', 0]);
  });

  it('shows what the latest state is, whatever came when', () => {
    const ids = ['a', 'b', 'c'] as const;
    const events: readonly RunEvent[] = [
      asking,
      says('Text.'),
      asked(...ids),
      ...ids.flatMap((id) => [
        started(id),
        progressed(id, 'step'),
        ended(id),
        inside(id, asking),
        inside(id, started('x')),
        inside(id, ended('x')),
      ]),
    ];
    const step = fc.tuple(fc.constantFrom(...events), fc.integer({ min: 0, max: 300 }));
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 30, max: 90 }),
        (steps, columns) => {
          const { screen, timers, progress } = live(columns);
          const atOnce = live(columns);
          for (const [event, waitMs] of steps) {
            progress.observe(event);
            atOnce.progress.observe(event);
            timers.advance(waitMs);
            // Another one, whose line is looked at only at the end.
            atOnce.timers.nowMs = timers.nowMs;
          }
          // News is old by then, and a pause is one.
          timers.advance(2_300);
          atOnce.timers.nowMs = timers.nowMs;
          atOnce.progress.hold()();
          atOnce.timers.advance(200);
          timers.advance(200);
          const withoutSeconds = (text: string): string => text.replace(/, \d+ s(?=[,:…])/, '');
          expect(withoutSeconds(screen.text)).toBe(withoutSeconds(atOnce.screen.text));
          for (const line of screen.text.split('\n')) expect(line.length).toBeLessThan(columns);
          progress.end();
          expect(screen.text).toBe('');
        },
      ),
    );
  });
});
