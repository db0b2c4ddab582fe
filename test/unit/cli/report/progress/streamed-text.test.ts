import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { asked, inside, started } from '../calls/call-events.ts';
import { shownProgress, shownRun } from './shown-run.ts';

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
  voidCharacters: { text: 12, reasoning: 3 },
});
const style = (tone: string, text: string): string => `<${tone}>${text}</>`;

/** What a terminal shows after each event that changes it: the lines that were written last. */
function screens(events: readonly RunEvent[], columns = 30): readonly (readonly string[])[] {
  const stream = capturedStream({ isTerminal: true, columns });
  let time = 0;
  const progress = shownProgress(stream, { run: shownRun({ modelName: 'model' }), now: () => time, style });
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

describe('what people say, on a terminal', () => {
  it('is shown until the model answers', () => {
    const said = here({ type: 'input-taken', turn: 2, ids: ['m'], by: 'ann', text: 'Use\nblue\u001b.' });
    const next = here({ type: 'model-call-start', turn: 2 });
    const answer = here({ type: 'text-delta', turn: 2, text: 'Yes.' });
    const [, , , asking, answering] = screens([begun, says('One'), said, next, answer]);
    expect(asking?.slice(-2)).toEqual(['<faint>  ann said: Use</>', '<faint>  blue<U+001B>.</>']);
    expect(answering?.slice(-1)).toEqual(['<faint>  Yes.</>']);
    expect(answering?.join()).not.toContain('blue');
  });
});

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
      ['turn 1  0:00', '  asking model, 0.0 s'],
      ['^turn 1  0:00', '  model is thinking, 0.1 s', '<faint>  Hm.</>'],
      ['^^turn 1  0:00', '  model is writing, 0.2 s', '<faint>  One</>', '<faint>  two</>'],
      [
        '^^^turn 1  0:00',
        '  model is writing, 0.3 s',
        '<faint>  two</>',
        '<faint>  three 3</>',
        '<faint>  fo</>',
      ],
      [
        '^^^^turn 1  0:00',
        '  model is writing, 0.4 s',
        '<faint>  two</>',
        '<faint>  three 3</>',
        '<faint>  four<U+001B></>',
      ],
      ['^^^^turn 1  0:00', '<faint>  two</>', '<faint>  three 3</>', '<faint>  four<U+001B></>'],
      ['^^^turn 1  0:00', '  look a.md              0.0 s'],
    ]);
  });

  it.each([retry, here({ type: 'answer-restarted', turn: 1 })])(
    'is void when the model is asked again: $type',
    (event) => {
      expect(screens([says('Half'), event, says('Whole')])[2]?.slice(2)).toEqual(['<faint>  Whole</>']);
    },
  );

  it('is broken into lines of the terminal, of which wide characters take two columns', () => {
    const [shown = []] = screens([says(`${'a'.repeat(30)} ${'猫'.repeat(15)}`)], 30);
    expect(shown.slice(2)).toEqual([
      `<faint>  ${'a'.repeat(3)}</>`,
      `<faint>  ${'猫'.repeat(13)}</>`,
      '<faint>  猫猫</>',
    ]);
  });

  it('is only the run’s own: evaluations inside calls may write at the same time', () => {
    const [, shown] = screens([started('a'), inside('a', says('secret of it'))], 60);
    expect(shown).toEqual([
      '^review on demo  turn 1  0:00',
      '  look a.md  > its model is writing, 0.0 s             0.1 s',
    ]);
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
    const progress = shownProgress(stream);
    for (const event of events) progress.observe(event);
    expect(progress.showsText).toBe(false);
    expect(stream.text()).not.toContain('One');
  });

  it('comes line by line beside log lines, also on a terminal', () => {
    const stream = capturedStream({ isTerminal: true });
    const progress = shownProgress(stream, { detail: 'all' });
    for (const event of events) progress.observe(event);
    expect(progress.showsText).toBe(true);
    expect(stream.text().split('\n')).toEqual([
      'turn 1, thoughts | Hm.',
      'turn 1, text | One',
      'turn 1, text | two',
      'turn 1, text | thr',
      'turn 1: the model call failed (server-error), retrying in 500 ms',
      'turn 1: what it wrote of this answer is void',
      'turn 1, text | x',
      '',
    ]);
  });

  const dropped = here({ type: 'tool-results-dropped', turn: 1, callIds: ['c1'], characters: 9 });
  const restarted = here({ type: 'answer-restarted', turn: 1 });
  it.each<[RunEvent['type'], RunEvent]>([
    [retry.type, retry],
    [restarted.type, restarted],
    [dropped.type, dropped],
  ])(
    'is void after %s: the line that is not written yet is left out, for the others it is said',
    (_type, event) => {
      const written = (said: readonly string[]): readonly string[] => {
        const stream = capturedStream();
        const progress = shownProgress(stream, { detail: 'all' });
        for (const each of [
          begun,
          says('Kept.'),
          asked(),
          begun,
          ...said.map(says),
          event,
          begun,
          says('Whole.\n'),
        ])
          progress.observe(each);
        return stream
          .text()
          .split('\n')
          .filter((line) => / \| | void$/.test(line));
      };
      const [kept, isVoid, whole] = [
        'turn 1, text | Kept.',
        'turn 1: what it wrote of this answer is void',
        'turn 1, text | Whole.',
      ];
      expect(written([])).toEqual([kept, whole]);
      expect(written(['Half'])).toEqual([kept, whole]);
      expect(written(['One\nHa', 'lf'])).toEqual([kept, 'turn 1, text | One', isVoid, whole]);
    },
  );
});
