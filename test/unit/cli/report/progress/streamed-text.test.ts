import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { createProgress } from '../../../../../src/cli/report/progress/create-progress.ts';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { asked, inside, started } from '../calls/call-events.ts';

const begun: RunEvent = here({ type: 'model-call-start', turn: 1 });
const says = (text: string): RunEvent => here({ type: 'text-delta', turn: 1, text });
const thinks = (text: string): RunEvent => here({ type: 'reasoning-delta', turn: 1, text });
const retry: RunEvent = here({
  type: 'model-call-retry',
  turn: 1,
  attempt: 2,
  delayMs: 500,
  reason: 'server-error',
  message: 'broken',
});
const style = (tone: string, text: string): string => `<${tone}>${text}</>`;

/** What a terminal shows after each event that changes it: the lines that were written last. */
function screens(events: readonly RunEvent[], columns = 30): readonly (readonly string[])[] {
  const stream = capturedStream({ isTerminal: true, columns });
  let time = 0;
  const progress = createProgress(stream, { now: () => time, style });
  expect(progress.showsText).toBe(true);
  let before = 0;
  return events.map((event) => {
    time += 100;
    progress.observe(event);
    const written = stream.text().slice(before);
    before = stream.text().length;
    return written.replace(/^\r?/, '').replaceAll('\u001b[2K', '').replaceAll('\u001b[1A', '^').split('\n');
  });
}

describe('what a model writes, on a terminal', () => {
  it('is shown below the line, the end of it, and gives way to what comes next', () => {
    expect(
      screens([
        begun,
        thinks('Hm.'),
        says('One\ntwo\n\n'),
        says('three\t3\nfo'),
        says('ur\u001b'),
        asked(),
        started('a'),
      ]),
    ).toEqual([
      ['turn 1: waiting for the model'],
      ['turn 1: the model is thinking', '<faint>  Hm.</>'],
      ['^turn 1: the model is writing', '<faint>  One</>', '<faint>  two</>'],
      ['^^turn 1: the model is writing', '<faint>  two</>', '<faint>  three 3</>', '<faint>  fo</>'],
      ['^^^turn 1: the model is writing', '<faint>  two</>', '<faint>  three 3</>', '<faint>  four\\x1b</>'],
      [''],
      ['^^^turn 1, call 1: look a.md'],
    ]);
  });

  it.each([retry, here({ type: 'answer-restarted', turn: 1 })])(
    'is void when the model is asked again: $type',
    (event) => {
      expect(screens([says('Half'), event, says('Whole')])[2]?.slice(1)).toEqual(['<faint>  Whole</>']);
    },
  );

  it('is broken into lines of the terminal, of which wide characters take two columns', () => {
    const [shown = []] = screens([says(`${'a'.repeat(30)} ${'猫'.repeat(15)}`)], 30);
    expect(shown.slice(1)).toEqual([
      `<faint>  ${'a'.repeat(3)}</>`,
      `<faint>  ${'猫'.repeat(13)}</>`,
      '<faint>  猫猫</>',
    ]);
  });

  it('is only the run’s own: evaluations inside calls may write at the same time', () => {
    const [, shown] = screens([started('a'), inside('a', says('secret of it'))], 60);
    expect(shown).toEqual(['turn 1, call 1: the model is writing inside look']);
  });

  it('stays quick and right however long it gets', () => {
    const last = screens([...Array.from({ length: 1_000 }, () => says('word ')), says('\nend')]).at(-1);
    expect(last?.at(-1)).toBe('<faint>  end</>');
  });
});

describe('what a model writes, elsewhere', () => {
  const events = [
    begun,
    thinks('Hm.'),
    says('One\ntw'),
    says('o\n\nthr'),
    inside('a', says('inner')),
    retry,
    says('x\n'),
  ];

  it('is not shown', () => {
    const stream = capturedStream();
    const progress = createProgress(stream, { now: () => 0 });
    for (const event of events) progress.observe(event);
    expect(progress.showsText).toBe(false);
    expect(stream.text()).not.toContain('One');
  });

  it('comes line by line beside log lines, also on a terminal', () => {
    const stream = capturedStream({ isTerminal: true });
    const progress = createProgress(stream, { now: () => 0, isVerbose: true });
    for (const event of events) progress.observe(event);
    expect(progress.showsText).toBe(true);
    expect(stream.text().split('\n')).toEqual([
      'turn 1, thoughts | Hm.',
      'turn 1, text | One',
      'turn 1, text | two',
      'turn 1, text | thr',
      'turn 1: the model call failed (server-error), retrying in 500 ms',
      'turn 1, text | x',
      '',
    ]);
  });
});
