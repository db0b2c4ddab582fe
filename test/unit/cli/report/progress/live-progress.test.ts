import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { columnsOf } from '../../../../../src/cli/process/plain-text.ts';
import type { Progress } from '../../../../../src/cli/report/progress/progress.ts';
import { here } from '../../../../support/event-places.ts';
import { asked, ended, inside, started } from '../calls/call-events.ts';
import { shownProgress } from './shown-run.ts';
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
  const progress = shownProgress(screen, {
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

describe('the live lines', () => {
  it('show the tool that runs, however soon it came after what was shown', () => {
    const { screen, timers, progress } = live();
    for (const event of [asking, says('Let me look.'), asked('a'), started('a')]) progress.observe(event);
    timers.advance(80);
    expect(screen.text).toMatch(/^review on demo {2}turn 1 {2}0:00\n {2}look a\.md +0\.0 s$/);
  });

  it('count the time of what continues, and show what it reports', () => {
    const { screen, timers, progress } = live();
    const second = (): string => (screen.text.split('\n')[1] ?? '').replace(/ {3,}/, ' | ');
    progress.observe(started('a'));
    timers.advance(2_999);
    expect(second()).toBe('  look a.md | 2.8 s');
    progress.observe(progressed('a', 'half \u001b[31m way'));
    progress.observe(progressed('a', 'nearly\nthere'));
    timers.advance(81);
    expect(second()).toBe('  look a.md  > nearly<U+000A>there | 3.0 s');
    timers.advance(122_000);
    expect(second()).toBe('  look a.md  > nearly<U+000A>there | 2 min 5 s');
    expect(screen.text).toContain('turn 1  2:05');
  });

  it('are written a few times a second at most, and keep no timer when they have ended', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    const { writes } = screen;
    for (let count = 0; count < 100; count += 1) {
      progress.observe(progressed('a', `step ${count}`));
      timers.advance(10);
    }
    expect(screen.writes - writes).toBeLessThanOrEqual(13);
    progress.end();
    expect([screen.text, timers.count]).toEqual(['', 0]);
  });

  it('make room for a question, and show nothing until it is answered', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    const release = progress.hold();
    progress.observe(started('b'));
    timers.advance(1_000);
    expect(screen.text).toBe('');
    release();
    expect(screen.text).toContain('  look b.md');
  });

  it('show at once that someone is asked, and that a busy model is asked again', () => {
    const { screen, progress } = live();
    const of = { turn: 1, callId: 'a', toolName: 'look' } as const;
    progress.observe(started('a'));
    progress.observe(
      here({ type: 'approval-start', ...of, policy: 'careful', reason: 'sure?', about: 'call' }),
    );
    expect(screen.text).toContain('look a.md  > careful asks for approval');
    progress.observe(ended('a'));
    const busy = { attempt: 2, delayMs: 1_500, reason: 'rate-limit', message: 'busy' } as const;
    progress.observe(here({ type: 'model-call-retry', turn: 1, ...busy }));
    expect(screen.text).toContain('  asking again in 2 s: rate limit');
  });

  it('leave the terminal alone when there was nothing to show', () => {
    const { screen, progress } = live();
    progress.end();
    expect(screen.writes).toBe(0);
  });

  it('are gone also when the terminal has become narrower and has broken them', () => {
    const { screen, timers, progress } = live();
    progress.observe(started('a'));
    timers.advance(80);
    // The terminal has made two lines of each of those that had 80 columns.
    screen.columns = 40;
    const before = screen.text;
    progress.end();
    expect(before.split('\n')).toHaveLength(2);
    expect(screen.commands.at(-1)).toBe(`\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(2)}`);
  });

  it('gives way to what others write, and comes back below it', () => {
    const { screen, timers, progress, other } = live();
    progress.observe(asking);
    progress.observe(says('One\nTwo'));
    timers.advance(500);
    other('logged\n');
    expect(screen.text).toBe('logged');
    timers.advance(80);
    expect(screen.text).toBe(
      'logged\nreview on demo  turn 1  0:00\n  openai:gpt-5 is writing, 0.5 s\n  One\n  Two',
    );
    other('more\n');
    other('no end');
    timers.advance(80);
    other(' of line');
    timers.advance(80);
    progress.end();
    other('after\n');
    expect(screen.text).toBe('logged\nmore\nno end\n of line\nafter');
  });

  it('are six at most, none wider than the terminal, and of the latest state, whatever came when', () => {
    const ids = ['a', 'b', 'c'] as const;
    const events: readonly RunEvent[] = [
      asking,
      says('Text.\u0007 \u{1f642}猫 \n'),
      says('猫'.repeat(50)),
      asked(...ids),
      ...ids.flatMap((id) => [
        started(id),
        progressed(id, 'step\r 猫\u{1f642}'),
        ended(id, { outcome: 'denied', policy: 'no\u001b', message: '猫 '.repeat(30) }),
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
        fc.integer({ min: 20, max: 220 }),
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
          atOnce.progress.hold()();
          atOnce.timers.advance(200);
          timers.advance(200);
          const withoutTimes = (text: string): string =>
            text.replaceAll(/[\d.:]+/g, '#').replaceAll(/ {2,}/g, ' ');
          expect(withoutTimes(screen.text)).toBe(withoutTimes(atOnce.screen.text));
          const lines = screen.text.split('\n');
          expect(lines.length).toBeLessThanOrEqual(6);
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
          // oxlint-disable-next-line no-control-regex -- They act on a terminal.
          expect(screen.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
          progress.end();
          expect(screen.text).toBe('');
        },
      ),
    );
  });
});
