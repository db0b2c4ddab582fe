import { describe, expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { approvalsOf, askedText, readAdvice, writtenText } from '../../../../src/viewer/model/overview.ts';
import { spentOf } from '../../../../src/viewer/model/spent.ts';
import { inputText, resumeText } from '../../../../src/viewer/model/turns.ts';
import { failedRun, waitingRun } from '../../../browser/support/ended-runs.ts';
import { headerRow, responseRow } from '../../../browser/support/rows.ts';
import { answeredRun, suspendedRun } from '../../../browser/support/suspended-run.ts';
import { sampleRecord } from '../sample-record.ts';

const minute = 60_000;
const day = 1_440 * minute;

describe('what was spent', () => {
  it('is beside its limit', async () => {
    expect(spentOf(await readRunRecord(failedRun), 7_000)).toMatchInlineSnapshot(`
      [
        {
          "name": "Tokens in",
          "note": "62 % cached",
          "share": undefined,
          "value": "16.9k",
        },
        {
          "name": "Tokens out",
          "note": "",
          "share": undefined,
          "value": "214",
        },
        {
          "name": "Cost",
          "note": "of 0.0200",
          "share": 100,
          "value": "0.0233",
        },
        {
          "name": "Turns",
          "note": "of 20",
          "share": 30,
          "value": "6",
        },
      ]
    `);
  });

  it('has a figure for tokens in all and for time where these are limited', async () => {
    const limits = { maxTotalTokens: 1_000, maxInputTokens: 101, expiresAtMs: Date.UTC(2026, 0, 2, 3, 14) };
    const rows = [headerRow({ limits }), responseRow(1, 1_000, 'Hi.')].map((row) => JSON.stringify(row));
    expect(spentOf(await readRunRecord(rows), 5 * minute)).toMatchInlineSnapshot(`
      [
        {
          "name": "Tokens in",
          "note": "of 101",
          "share": 100,
          "value": "101",
        },
        {
          "name": "Tokens out",
          "note": "",
          "share": undefined,
          "value": "10",
        },
        {
          "name": "Tokens in all",
          "note": "of 1,000",
          "share": 11,
          "value": "111",
        },
        {
          "name": "Cost",
          "note": "",
          "share": undefined,
          "value": "–",
        },
        {
          "name": "Turns",
          "note": "",
          "share": undefined,
          "value": "1",
        },
        {
          "name": "Time",
          "note": "of 10 min 0 s",
          "share": 50,
          "value": "5 min 0 s",
        },
      ]
    `);
  });

  it('has no limit in an older record', () => {
    const figures = spentOf(sampleRecord([{}]), 100);
    expect(figures.map(({ note, share }) => [note, share])).toEqual([
      ['', undefined],
      ['', undefined],
      ['', undefined],
      ['', undefined],
    ]);
  });
});

describe('a question', () => {
  const record = { startedAtMs: 5_000 };

  it.each([
    [12 * minute, 'asked 11 min ago'],
    [40_500, 'asked 34 s ago'],
    [1_000, 'asked 0 s ago'],
    [day, 'asked 23 h 59 min ago'],
    [9 * day, 'asked 8 d 23 h ago'],
  ])('that is looked at after %d ms says %s', (nowMs, text) => {
    expect(askedText({ askedAtMs: 1_000 }, record, nowMs)).toBe(text);
  });

  it('says how long it can be answered', () => {
    const question = { askedAtMs: 0, expiresAtMs: 7 * day };
    expect(askedText(question, record, 5_000 + 12 * minute)).toBe(
      'asked 12 min ago, can be answered for 6 d 23 h',
    );
    expect(askedText(question, record, 5_000 + 7 * day)).toBe('asked 7 d 0 h ago, can no longer be answered');
  });

  it('is an approval without an answer, and then one with its policy and the length of the wait', async () => {
    const waiting = await readRunRecord(waitingRun);
    const nowMs = waiting.startedAtMs + 2_200 + 12 * minute;
    expect(approvalsOf(waiting, nowMs)).toMatchObject([
      {
        toolName: 'edit_file',
        words: 'protect-src · asked 12 min ago, can be answered for 6 d 23 h',
        approved: undefined,
      },
    ]);
    expect(approvalsOf(await readRunRecord(answeredRun), nowMs)).toMatchObject([
      { toolName: 'note', words: 'first · answered, after 50.0 s', approved: true },
    ]);
  });
});

describe('files', () => {
  it.each([
    [undefined, 'failed', ''],
    ['never', 'finished', 'in memory: not written to the folder'],
    ['each', 'failed', 'written to the folder'],
    ['end', 'finished', 'written when the run ended, unless others had changed them'],
    ['end', 'failed', 'not written because the run failed'],
    ['end', 'interrupted', 'not written because the run was interrupted'],
    ['end', 'cancelled', 'not written because the run was ended'],
    ['end', 'waiting', 'not written while the run waits'],
    ['end', 'running', 'not written yet'],
  ] as const)('that are written %s say of a run that is %s: %s', (apply, kind, text) => {
    const record = sampleRecord([{}]);
    expect(writtenText(apply === undefined ? record : { ...record, apply }, kind)).toBe(text);
  });
});

describe('a turn', () => {
  it('says what people said to the run before it, on one line', () => {
    const said = (more: { readonly by?: string; readonly text: string }) => ({
      atMs: 0,
      event: { type: 'input-taken' as const, turn: 1, ids: ['m1'], ...more },
    });
    const { turns } = sampleRecord([
      { events: [said({ by: 'ann', text: 'Use\nblue.' }), said({ text: 'x'.repeat(300) })] },
      {},
    ]);
    const [text, none] = turns.map(inputText);
    expect(text).toMatch(/^ann said: Use blue\. · someone said: x+…$/);
    expect(text).toHaveLength(201);
    expect(none).toBeUndefined();
  });

  it('says that the run continued in it, and how much later', async () => {
    const record = await readRunRecord(answeredRun);
    expect(record.turns.map((turn) => resumeText(turn, record))).toEqual([
      undefined,
      'after resume, 1 min 0 s later',
    ]);
    const changed = await readRunRecord(suspendedRun);
    expect(changed.turns.map((turn) => resumeText(turn, changed))).toEqual([
      undefined,
      'after resume; changed since: tools',
    ]);
  });
});

it('reads what to do about codes from the page, and nothing from a text that has none', () => {
  expect([...readAdvice('{"evaluation-idle":"find what hung.","other":7}')]).toEqual([
    ['evaluation-idle', 'find what hung.'],
  ]);
  for (const text of ['', '{', 'null', '7', '[]']) expect(readAdvice(text).size).toBe(0);
});
