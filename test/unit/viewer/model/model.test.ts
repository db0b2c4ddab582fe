import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedSlice } from 'weakincentives/record';
import { readAddress, writeAddress } from '../../../../src/viewer/model/address.ts';
import { policyMatrix } from '../../../../src/viewer/model/policy-matrix.ts';
import { problemGroups } from '../../../../src/viewer/model/problem-groups.ts';
import { messageOf, sharesOf } from '../../../../src/viewer/model/request.ts';
import { sliceChanges } from '../../../../src/viewer/model/slice-changes.ts';
import {
  changesOf,
  commitAt,
  placeOf,
  seqAt,
  seqOfCall,
  timeOf,
} from '../../../../src/viewer/model/steps.ts';
import { layoutStrip } from '../../../../src/viewer/model/strip.ts';
import { sliceTable } from '../../../../src/viewer/model/tables.ts';
import { headlineOf } from '../../../../src/viewer/model/turns.ts';
import { sampleRecord } from '../sample-record.ts';

const write = { slice: 'notes', op: 'append', items: ['x'] } as const;

describe('addresses', () => {
  it('name calls, turns, states and views', () => {
    expect(readAddress('#call-7-1')).toEqual({ kind: 'row', id: 'call-7-1' });
    expect(readAddress('#state@21')).toEqual({ kind: 'state', seq: 21 });
    expect(readAddress('#policies')).toEqual({ kind: 'tab', tab: 'policies' });
    expect([readAddress(''), readAddress('#')]).toEqual([undefined, undefined]);
    expect(readAddress('#%E0%A4%A')).toEqual({ kind: 'row', id: '%E0%A4%A' });
    expect(writeAddress({ kind: 'row', id: 'call-8-1/call-1-2#3' })).toBe('#call-8-1/call-1-2%233');
  });

  it('lead back to what they were made for', () => {
    const names = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((id) => !/^(state|policies|problems)/.test(id));
    fc.assert(
      fc.property(names, (id) => {
        expect(readAddress(writeAddress({ kind: 'row', id }))).toEqual({ kind: 'row', id });
      }),
    );
  });
});

describe('steps', () => {
  const record = sampleRecord([
    { calls: [{}, { attempts: [{ writes: [write] }] }, { outcome: 'rolled-back' }, {}] },
    { calls: [{ attempts: [{ writes: [write] }] }] },
  ]);

  it('stop where something changed', () => {
    expect(changesOf(record).map(({ seq }) => seq)).toEqual([2, 4]);
    expect([0, 1, 2, 3, 4, 9].map((seq) => placeOf(changesOf(record), seq))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('do not stop where only the library noted something', () => {
    const books = { slice: 'weakincentives.policy-facts', op: 'put', key: 'a', item: 1 } as const;
    const noted = sampleRecord([
      { calls: [{ attempts: [{ writes: [books] }] }, { attempts: [{ writes: [books, write] }] }] },
    ]);
    expect(changesOf(noted).map(({ seq }) => seq)).toEqual([2]);
  });

  it('find commits by number, by time and by call', () => {
    expect([commitAt(record, 3)?.call.id, commitAt(record, 0), commitAt(record, 9)]).toEqual([
      'call-1-4',
      undefined,
      undefined,
    ]);
    expect([seqAt(record, 0), seqAt(record, 119), seqAt(record, 1e9)]).toEqual([0, 1, 4]);
    expect([timeOf(record, 0), timeOf(record, 2)]).toEqual([0, 120]);
    expect(record.calls.map((call) => seqOfCall(record, call))).toEqual([1, 2, 2, 3, 4]);
  });
});

describe('layoutStrip', () => {
  it('has a bounded number of shapes for any number of calls, and ticks that do not touch', () => {
    const turns = Array.from({ length: 2000 }, () => ({ calls: Array.from({ length: 10 }, () => ({})) }));
    const { shapes, ticks, lanes, requests } = layoutStrip(sampleRecord(turns), 760);
    expect(lanes.size).toBe(20_000);
    expect(shapes.length).toBeLessThan(6000);
    expect(requests.length).toBe(2001);
    const gaps = ticks.slice(1).map(({ x }, index) => x - (ticks[index]?.x ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(70);
  });

  it('puts parallel calls in lanes of their own, and draws an empty run', () => {
    const parallel = (startedAtMs: number) => ({ startedAtMs, endedAtMs: 500 });
    const { lanes } = layoutStrip(
      sampleRecord([{ calls: [parallel(100), parallel(110), parallel(600)] }]),
      700,
    );
    expect([...lanes.values()]).toEqual([0, 1, 0]);
    expect(layoutStrip(sampleRecord([]), 700).shapes).toEqual([]);
  });
});

describe('sliceChanges', () => {
  const former: readonly RecordedSlice[] = [
    {
      name: 'findings',
      policy: 'state',
      isKeyed: true,
      items: [{ key: 'a', value: { id: 'a', claim: 'old' } }],
    },
    {
      name: 'plan',
      policy: 'state',
      isKeyed: false,
      items: [
        {
          value: {
            title: 'T',
            steps: [
              { id: 1, done: false },
              { id: 2, done: false },
            ],
          },
        },
      ],
    },
  ];

  it('compares an item that was put with the one of its key', () => {
    const [change] = sliceChanges(
      [
        { slice: 'findings', op: 'put', key: 'a', item: { id: 'a', claim: 'new' } },
        { slice: 'findings', op: 'put', key: 'b', item: { id: 'b', claim: 'x' } },
        { slice: 'findings', op: 'remove', keys: ['c'] },
      ],
      former,
    );
    expect(change).toMatchObject({ words: 'put, removed', removedKeys: ['c'], columns: ['id', 'claim'] });
    expect(change?.rows).toEqual([
      { kind: 'changed', cells: [{ value: 'a' }, { value: 'new', before: { value: 'old' } }] },
      { kind: 'new', cells: [{ value: 'b' }, { value: 'x' }] },
    ]);
  });

  it('compares the list inside of a single item that was replaced', () => {
    const [change] = sliceChanges(
      [
        { slice: 'plan', op: 'clear' },
        {
          slice: 'plan',
          op: 'append',
          items: [
            {
              title: 'T',
              steps: [
                { id: 1, done: true },
                { id: 2, done: false },
              ],
            },
          ],
        },
      ],
      former,
    );
    expect(change).toMatchObject({
      words: 'replaced',
      rest: { title: 'T' },
      columns: ['id', 'done'],
      gone: 0,
    });
    expect(change?.rows.map(({ kind }) => kind)).toEqual(['changed', 'same']);
  });

  it('says what was cleared', () => {
    expect(sliceChanges([{ slice: 'plan', op: 'clear' }], former)[0]).toMatchObject({
      words: 'cleared',
      gone: 1,
      rows: [],
    });
  });
});

describe('sliceTable', () => {
  it('names who changed an element of the list inside of a single item last', () => {
    const steps = (first: string) => [
      {
        steps: [
          { id: 1, status: first },
          { id: 2, status: 'open' },
        ],
      },
    ];
    const put = (first: string) => [
      { slice: 'plan', op: 'clear' } as const,
      { slice: 'plan', op: 'append', items: steps(first) } as const,
    ];
    const record = sampleRecord([
      { calls: [{ attempts: [{ writes: put('open') }] }, { attempts: [{ writes: put('done') }] }] },
    ]);
    const slice: RecordedSlice = {
      name: 'plan',
      policy: 'state',
      isKeyed: false,
      items: steps('done').map((value) => ({ value })),
    };
    const writers = (seq: number) =>
      sliceTable(slice, record.commits, seq).rows.map(({ writtenBy }) => writtenBy?.id);
    expect(writers(2)).toEqual(['call-1-2', 'call-1-1']);
    expect(writers(0)).toEqual([undefined, undefined]);
  });

  it('has one column for items that are not objects, and for objects with names of every object', () => {
    const table = (values: readonly unknown[]) =>
      sliceTable(
        {
          name: 's',
          policy: 'state',
          isKeyed: false,
          items: values.map((value) => ({ value: value as string })),
        },
        [],
        0,
      );
    expect(table(['a', 1])).toEqual({ columns: ['value'], rows: [{ cells: ['a'] }, { cells: [1] }] });
    expect(table([{ a: 1 }, { b: 2 }]).rows.map(({ cells }) => cells)).toEqual([
      [1, undefined],
      [undefined, 2],
    ]);
    expect(table([JSON.parse('{"__proto__":1,"a":2}'), { a: 3 }]).rows.map(({ cells }) => cells)).toEqual([
      [1, 2],
      [undefined, 3],
    ]);
  });
});

describe('policyMatrix', () => {
  it('has the weightiest answer of each policy about each call', () => {
    const answer = { about: 'call', isEnforced: true } as const;
    const record = sampleRecord(
      [
        {
          calls: [
            {
              attempts: [
                {
                  policies: [
                    { ...answer, policy: 'p', about: 'changes', outcome: 'allow' },
                    { ...answer, policy: 'p', outcome: 'ask', reason: 'why' },
                    { ...answer, policy: 'outer', policyPrompt: 'other', outcome: 'deny', isEnforced: false },
                  ],
                },
              ],
            },
            {},
          ],
        },
      ],
      { policies: ['p', 'q'] },
    );
    const { calls, rows } = policyMatrix(record.root);
    expect(calls.length).toBe(2);
    expect(rows.map(({ policy, prompt, counts }) => [policy, prompt, counts])).toEqual([
      ['p', undefined, { allow: 0, ask: 1, deny: 0, unenforced: 0, none: 1 }],
      ['q', undefined, { allow: 0, ask: 0, deny: 0, unenforced: 0, none: 2 }],
      ['outer', 'other', { allow: 0, ask: 0, deny: 0, unenforced: 1, none: 1 }],
    ]);
    expect(rows[0]?.cells.get(0)?.answer.reason).toBe('why');
  });
});

describe('problemGroups', () => {
  it('puts failures first, whatever the order', () => {
    const problem = { text: 't', count: 1 } as const;
    expect(
      problemGroups([
        { ...problem, kind: 'slow', isFailure: false },
        { ...problem, kind: 'denied', isFailure: true },
        { ...problem, kind: 'slow', isFailure: false },
      ]).map(({ title, items }) => [title, items.length]),
    ).toEqual([
      ['Denied', 1],
      ['Slow', 2],
    ]);
  });
});

describe('requests', () => {
  const record = sampleRecord([{ calls: [{ callId: 'c1' }] }, { calls: [{ callId: 'c1' }] }, {}]);
  const [, , last] = record.root.turns;

  it('link results to the last call with their id', () => {
    if (last === undefined) throw new Error('There is no third turn.');
    const item = { type: 'tool-result', callId: 'c1', toolName: 't', text: 'r', isError: true } as const;
    const { role, texts, isError, call } = messageOf(item, last);
    expect([role, texts, isError, call?.turn]).toEqual(['result', ['r'], true, 2]);
    expect(messageOf({ ...item, callId: 'none' }, last).call).toBeUndefined();
    expect(
      messageOf(
        { type: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'n', arguments: '{}' }] },
        last,
      ).texts,
    ).toEqual(['n({})']);
  });

  it('have no shares without a request', () => {
    expect(last === undefined ? undefined : sharesOf(last)).toEqual([]);
  });

  it('head a turn with what the model said, or why it did not', () => {
    const turn = record.root.turns[0];
    if (turn?.response === undefined) throw new Error('There is no response.');
    const { response } = turn;
    expect(headlineOf(turn)).toEqual({ kind: 'said', text: 'Turn 1.' });
    expect(headlineOf({ ...turn, response: { ...response, text: ' {"a":1}' } }).kind).toBe('json');
    expect(headlineOf({ ...turn, response: { ...response, text: '' } }).text).toBe('No text, only calls');
    expect(headlineOf({ ...turn, response: { ...response, error: { name: 'E', message: 'm' } } }).text).toBe(
      'No answer: m',
    );
  });
});
