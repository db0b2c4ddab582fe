import { describe, expect, it } from 'vitest';
import type { RunRecord } from 'weakincentives/record';
import { outcomeOfRecord } from '../../../../src/record/index.ts';
import { commandsFor, type RecordPlace, shellWord } from '../../../../src/viewer/model/commands.ts';
import { visible } from '../../../../src/viewer/model/visible.ts';
import {
  brief,
  clock,
  costOf,
  count,
  duration,
  many,
  markOf,
  money,
  percent,
  wordOf,
} from '../../../../src/viewer/model/words.ts';
import { sampleRecord } from '../sample-record.ts';

describe('numbers', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1174, '1.17 s'],
    [9_996, '10.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 0 s'],
    [145_210, '2 min 25 s'],
    [3_599_400, '59 min 59 s'],
    [3_900_000, '1 h 5 min'],
  ])('writes a duration of %d ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [0, '0:00.000'],
    [1174.4, '0:01.174'],
    [9_999.6, '0:10.0'],
    [37_206, '0:37.2'],
    [59_960, '1:00.0'],
    [3_661_000, '1:01:01.0'],
  ])('writes the position %d ms as %s', (ms, text) => {
    expect(clock(ms)).toBe(text);
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [9618, '9,618'],
    [10_000, '10.0k'],
    [126_611, '127k'],
    [999_600, '1.0M'],
    [2_345_678, '2.3M'],
  ])('writes the count %d as %s', (value, text) => {
    expect(count(value)).toBe(text);
  });

  it('writes shares and amounts', () => {
    expect([percent(1, 3), percent(1, 0)]).toEqual([33, 0]);
    expect([money(2.5), money(0.0613), money(0.00001), money(0)]).toEqual([
      '2.50',
      '0.0613',
      '<0.0001',
      '0.0000',
    ]);
    expect([many(1, 'turn'), many(2, 'turn'), many(2, 'try', 'tries')]).toEqual([
      '1 turn',
      '2 turns',
      '2 tries',
    ]);
  });

  it('counts each kind of token at its price', () => {
    const prices = {
      inputPerMillion: 10,
      cachedInputPerMillion: 1,
      cacheWriteInputPerMillion: 20,
      outputPerMillion: 100,
    };
    const usage = { inputTokens: 1000, cachedInputTokens: 500, cacheWriteInputTokens: 100, outputTokens: 10 };
    expect(costOf(usage, prices)).toBeCloseTo((400 * 10 + 500 + 100 * 20 + 10 * 100) / 1e6, 12);
    const { inputPerMillion, outputPerMillion } = prices;
    expect(costOf(usage, { inputPerMillion, outputPerMillion })).toBeCloseTo(
      (1000 * 10 + 10 * 100) / 1e6,
      12,
    );
    expect(costOf({}, prices)).toBe(0);
  });
});

describe('outcomes', () => {
  it('has a mark and a word for each', () => {
    expect([markOf('committed'), wordOf('committed')]).toEqual(['ok', 'Committed']);
    expect([markOf('aborted'), wordOf('aborted')]).toEqual(['rejected', 'Aborted']);
    expect([markOf(undefined), wordOf(undefined)]).toEqual(['running', 'Not ended']);
  });
});

describe('brief', () => {
  it.each([
    [{ from: 'a', to: 'b', path: 'c' }, 'a → b'],
    [{ pattern: 'x', path: 'src' }, 'src'],
    [{ limit: 3, deep: { a: 1 } }, 'limit: 3, deep: {"a":1}'],
    ['text', 'text'],
    [[1, 2], '[1,2]'],
    [{}, ''],
    [null, ''],
  ])('says %j as %j', (params, text) => {
    expect(brief({ params })).toBe(text);
    expect(brief({ params, subject: 'ticket 17' })).toBe('ticket 17');
  });

  it('is one line of limited length, also for names that every object has', () => {
    expect(brief({ params: { path: 'a\nb\tc' } })).toBe('a b c');
    expect(brief({ params: { path: 'x'.repeat(500) } })).toBe(`${'x'.repeat(200)}…`);
    expect(brief({ params: JSON.parse('{"__proto__":"p","constructor":"c"}') })).toBe(
      '__proto__: p, constructor: c',
    );
  });
});

describe('visible', () => {
  it('shows what would act', () => {
    expect(visible('\u001b[31mred\u0007\u0000\u007f')).toBe('␛[31mred␇␀␡');
    expect(visible('a\tb\nc\r\nd\re')).toBe('a\tb\nc\nd␍e');
    expect(visible('user\u202e\u2066 // \u200f\u2028\u0085')).toBe(
      'user\\u202e\\u2066 // \\u200f\\u2028\\u0085',
    );
    expect(visible('Grüße, 日本 🙂')).toBe('Grüße, 日本 🙂');
  });
});

describe('commands', () => {
  const failed = { outcome: 'rolled-back', message: 'refused' } as const;
  const linesFor = (place: RecordPlace, change: Partial<RunRecord['root']> = {}): readonly string[] => {
    const record = sampleRecord([{ calls: [{}, failed, failed] }]);
    Object.assign(record.root, change);
    return commandsFor(record, outcomeOfRecord(record), place).map(({ command }) => command);
  };
  const query = `"SELECT id, tool, params, message FROM calls WHERE outcome <> 'committed'"`;

  it('are those that exist, with the name of the record as one word of a shell', () => {
    expect(linesFor({ name: 'run.jsonl', isRun: false })).toEqual([
      `wink query run.jsonl ${query}`,
      'wink replay run.jsonl',
    ]);
    expect(linesFor({ name: "a b'; rm -rf ~.jsonl", isRun: false })[1]).toBe(
      "wink replay 'a b'\\''; rm -rf ~.jsonl'",
    );
    expect([shellWord('-x'), shellWord('a/b_c.d')]).toEqual(["'-x'", 'a/b_c.d']);
  });

  it('continue a run of a journal that has not finished', () => {
    const place = { name: 'c1', isRun: true };
    const error = { name: 'Error', message: 'It failed.' };
    expect(linesFor(place, { outcome: 'failed', error })[0]).toBe('wink resume c1');
    expect(linesFor({ ...place, isRun: false }, { outcome: 'failed', error })[0]).toContain('wink query');
    expect(linesFor(place)[0]).toContain('wink query');
  });
});
