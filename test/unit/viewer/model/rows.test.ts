import { describe, expect, it } from 'vitest';
import { repeatsOf } from '../../../../src/viewer/model/repeats.ts';
import { ancestorsOf, type RowOptions, rowsOf } from '../../../../src/viewer/model/rows.ts';
import { snippetOf } from '../../../../src/viewer/model/search.ts';
import { filters, totalsOf } from '../../../../src/viewer/model/totals.ts';
import { sampleRecord } from '../sample-record.ts';

const record = sampleRecord([
  { text: 'I read first.', calls: [{ params: { file_path: 'src/a.ts' } }, { toolName: 'grep' }] },
  {
    text: 'Then I write.',
    calls: [
      { toolName: 'write_file', outcome: 'denied', policy: 'protect', modelText: 'Not in config.' },
      {
        toolName: 'review',
        inside: [{ text: 'Inner.', calls: [{ modelText: 'the needle is here' }] }, { text: 'Done.' }],
      },
    ],
  },
]);

const shown: RowOptions = { shut: new Set(), unfolded: new Set(), repeats: new Map(), query: '' };

function ids(options: Partial<RowOptions> = {}): readonly string[] {
  return rowsOf(record.root, { ...shown, ...options }).rows.map(({ id }) => id);
}

describe('rowsOf', () => {
  it('lists turns, their calls, and evaluations inside them', () => {
    expect(ids()).toEqual([
      'turn-1',
      'call-1-1',
      'call-1-2',
      'turn-2',
      'call-2-1',
      'call-2-2',
      'run-1-turn-1',
      'call-2-2/call-1-1',
      'run-1-turn-2',
    ]);
  });

  it('says the place of each row in the tree', () => {
    const { rows } = rowsOf(record.root, shown);
    expect(
      rows.map(({ level, position, siblings, isOpen, parentId }) => [
        level,
        position,
        siblings,
        isOpen,
        parentId,
      ]),
    ).toEqual([
      [1, 1, 2, true, undefined],
      [2, 1, 2, undefined, 'turn-1'],
      [2, 2, 2, undefined, 'turn-1'],
      [1, 2, 2, true, undefined],
      [2, 1, 2, undefined, 'turn-2'],
      [2, 2, 2, true, 'turn-2'],
      [3, 1, 2, true, 'call-2-2'],
      [4, 1, 1, undefined, 'run-1-turn-1'],
      [3, 2, 2, undefined, 'call-2-2'],
    ]);
  });

  it('leaves out what is folded', () => {
    expect(ids({ shut: new Set(['turn-1', 'call-2-2']) })).toEqual([
      'turn-1',
      'turn-2',
      'call-2-1',
      'call-2-2',
    ]);
  });

  it('keeps the heads of what matches a filter', () => {
    const matches = filters['denied'].matches;
    expect(ids({ matches })).toEqual(['turn-2', 'call-2-1']);
    expect(rowsOf(record.root, { ...shown, shut: new Set(['turn-2']), matches }).matching).toBe(1);
  });

  it('finds arguments, results, policies and what turns say', () => {
    expect(ids({ query: 'src/a' })).toEqual(['turn-1', 'call-1-1']);
    expect(ids({ query: 'protect' })).toEqual(['turn-2', 'call-2-1']);
    expect(ids({ query: 'then i' })).toEqual(['turn-2']);
    expect(ids({ query: 'needle' })).toEqual(['turn-2', 'call-2-2', 'run-1-turn-1', 'call-2-2/call-1-1']);
    expect(ids({ query: 'nothing of it' })).toEqual([]);
  });

  it('shows a found text only where the row does not', () => {
    const found = (query: string): readonly unknown[] =>
      rowsOf(record.root, { ...shown, query }).rows.flatMap((row) =>
        row.kind === 'call' ? [row.found] : [],
      );
    expect(found('needle')).toEqual([undefined, 'the needle is here']);
    expect(found('src/a')).toEqual([undefined]);
  });

  it('finds changed lines, not those that only surround them', () => {
    const content = (text: string) => ({ hash: text, bytes: text.length, text });
    const changed = sampleRecord([
      {
        calls: [
          {
            attempts: [
              {
                files: [
                  {
                    path: 'a.ts',
                    kind: 'modified',
                    entry: 'file',
                    before: content('same\nold line\n'),
                    after: content('same\nnew line\n'),
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
    const rows = (query: string) => rowsOf(changed.root, { ...shown, query });
    expect(rows('new line').rows.at(-1)).toMatchObject({ found: 'a.ts  + new line' });
    expect(rows('same').matching).toBe(0);
  });
});

describe('ancestorsOf', () => {
  it('names what has to be open, outermost first', () => {
    const call = record.call('call-2-2/call-1-1');
    expect(call === undefined ? [] : ancestorsOf(call)).toEqual(['turn-2', 'call-2-2', 'run-1-turn-1']);
  });
});

describe('totalsOf', () => {
  it('counts outcomes in all evaluations, and turns of the root', () => {
    const { calls, turns, counts } = totalsOf(record);
    expect([calls, turns, counts.committed, counts.denied, counts['rolled-back']]).toEqual([5, 2, 4, 1, 0]);
  });
});

describe('snippetOf', () => {
  it('is what surrounds a hit, on one line', () => {
    expect(snippetOf('one\n  two three', 'two')).toEqual(['one ', 'two', ' three']);
    const [before, hit, after] = snippetOf(`${'a'.repeat(100)}HIT${'b'.repeat(100)}`, 'hit');
    expect([before, hit, after]).toEqual([`…${'a'.repeat(36)}`, 'HIT', `${'b'.repeat(70)}…`]);
  });
});

describe('failures that came again', () => {
  const failed = {
    toolName: 'deploy',
    outcome: 'rolled-back',
    message: 'refused',
    params: { to: 'a' },
  } as const;
  const again = sampleRecord([
    { calls: [{}, failed, failed] },
    { calls: [failed] },
    { calls: [failed] },
    { calls: [{ ...failed, message: 'another reason' }] },
    { calls: [failed, {}] },
  ]);
  const [, first] = again.calls;
  const repeats = repeatsOf(again.root);
  const rows = (options: Partial<RowOptions> = {}): readonly string[] =>
    rowsOf(again.root, { ...shown, repeats, ...options }).rows.map(({ id }) => id);
  const folded = [
    ...['turn-1', 'call-1-1', 'call-1-2', 'turn-4', 'call-4-1'],
    ...['turn-5', 'call-5-1', 'call-5-2'],
  ];

  it('are one row with those right after it, and not with what came after something else', () => {
    expect(rows()).toEqual(folded);
    const others = ['call-1-3', 'call-2-1', 'call-3-1'];
    expect(first && repeats.get(first)?.others.map(({ id }) => id)).toEqual(others);
    expect(rowsOf(again.root, { ...shown, repeats }).matching).toBe(again.calls.length);
  });

  it('are rows of their own when they are unfolded, and where the timeline is narrowed', () => {
    const all = [
      ...folded.slice(0, 3),
      'call-1-3',
      'turn-2',
      'call-2-1',
      'turn-3',
      'call-3-1',
      ...folded.slice(3),
    ];
    expect(rows({ unfolded: new Set(['call-1-2']) })).toEqual(all);
    expect(rows({ query: 'deploy' })).toContain('call-3-1');
  });
});
