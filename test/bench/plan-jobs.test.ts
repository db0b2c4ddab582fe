import { describe, expect, it } from 'vitest';
import { planJobs, selectRows } from '../../bench/harness/plan-jobs.ts';
import { contenderNamed, rowOf } from './rows-support.ts';

describe('planJobs', () => {
  it('runs a program once for all rows that want it with the same settings, however they are written', () => {
    const jobs = planJobs([
      rowOf('cpu', [
        contenderNamed('pi', { settings: { steps: 10, kind: 'loop' } }),
        contenderNamed('ai', { settings: { steps: 10, kind: 'loop' } }),
      ]),
      rowOf('wall', [contenderNamed('pi', { settings: { kind: 'loop', steps: 10 }, figure: 'wall' })]),
      rowOf('longer', [contenderNamed('pi', { settings: { kind: 'loop', steps: 20 } })]),
    ]);
    expect(jobs.map(({ name, settings }) => [name, settings['steps']])).toEqual([
      ['pi', 10],
      ['ai', 10],
      ['pi', 20],
    ]);
  });
});

describe('selectRows', () => {
  const slow = contenderNamed('ai', { leftOutByQuick: true });
  const rows = [
    rowOf('a', [contenderNamed('pi'), slow]),
    rowOf('b', [slow], { leftOutByTiny: true }),
    rowOf('c', [contenderNamed('pi')]),
  ];
  const selected = (selection: Parameters<typeof selectRows>[1]) =>
    selectRows(rows, selection).map(({ id, contenders }) => `${id}: ${contenders.map(({ name }) => name)}`);

  it('takes everything without a wish', () => {
    expect(selected({ effort: 'full' })).toEqual(['a: pi,ai', 'b: ai', 'c: pi']);
  });

  it('takes rows by id and contenders by name, and drops rows that nobody is left in', () => {
    expect(selected({ effort: 'full', rows: ['b', 'a'] })).toEqual(['a: pi,ai', 'b: ai']);
    expect(selected({ effort: 'full', contenders: ['pi'] })).toEqual(['a: pi', 'c: pi']);
  });

  it('takes the rows that the results begin with', () => {
    const few = [rowOf('a', [slow]), rowOf('b', [slow], { headline: true })];
    expect(selectRows(few, { effort: 'full', headline: true }).map(({ id }) => id)).toEqual(['b']);
  });

  it('keeps the targets of the Node that is measured', () => {
    const target = { factor: 1, comparedTo: 'pi' };
    const targets = [target, { ...target, factor: 0.4, node: 20 }, { ...target, factor: 0.9, node: 24 }];
    const kept = (node?: number) =>
      selectRows([rowOf('a', [slow], { targets })], { effort: 'full', ...(node && { node }) })[0]?.targets;
    expect(kept()).toHaveLength(3);
    expect(kept(20)?.map(({ factor }) => factor)).toEqual([1, 0.4]);
    expect(kept(22)?.map(({ factor }) => factor)).toEqual([1]);
  });

  it('leaves out what takes too long for quick', () => {
    expect(selected({ effort: 'quick' })).toEqual(['a: pi', 'c: pi']);
  });

  it('leaves out rows that tiny shows nothing new by, unless they are asked for', () => {
    expect(selected({ effort: 'tiny' })).toEqual(['a: pi,ai', 'c: pi']);
    expect(selected({ effort: 'tiny', rows: ['b'] })).toEqual(['b: ai']);
  });
});
