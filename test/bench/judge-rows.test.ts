import { describe, expect, it } from 'vitest';
import { fastestPeerName, judgeRows } from '../../bench/harness/judge-rows.ts';
import { keyOf } from '../../bench/harness/plan-jobs.ts';
import type { BenchRow, Contender, Target } from '../../bench/harness/row.ts';
import type { JobResult } from '../../bench/harness/run-jobs.ts';
import { contenderNamed, resultOf, rowOf } from './rows-support.ts';

const ours = contenderNamed('weakincentives');
const floor = contenderNamed('by hand');
const pi = contenderNamed('pi');
const ai = contenderNamed('ai');

const resultsOf = (entries: readonly (readonly [Contender, JobResult])[]) =>
  new Map(entries.map(([contender, result]) => [keyOf(contender), result]));

const measured = resultsOf([
  [ours, resultOf([4, 2, 6])],
  [floor, resultOf([2])],
  [pi, resultOf([8])],
  [ai, resultOf([80])],
]);

const outcomes = (target: Target, rows: readonly BenchRow[] = [], judge = true) =>
  judgeRows([rowOf('loop', [floor, ours, pi, ai], { targets: [target] }), ...rows], measured, judge)[0]
    ?.targets;

describe('judgeRows', () => {
  it('gives medians with their ratios to the floor and to the fastest peer, which is neither floor nor library', () => {
    const [row] = judgeRows([rowOf('loop', [floor, ours, pi, ai])], measured, true);
    expect(row?.contenders.map(({ name, toFloor, toFastestPeer }) => [name, toFloor, toFastestPeer])).toEqual(
      [
        ['by hand', 1, 0.25],
        ['weakincentives', 2, 0.5],
        ['pi', 4, 1],
        ['ai', 40, 10],
      ],
    );
    expect(row?.contenders[1]?.spread).toEqual({ median: 4, min: 2, max: 6, count: 3 });
  });

  it('takes for the floor what says how it is by hand', () => {
    const alone = contenderNamed('by hand (zod alone)');
    const results = new Map([...measured, [keyOf(alone), resultOf([2])] as const]);
    const [row] = judgeRows([rowOf('import', [alone, ours])], results, true);
    expect(row?.contenders.map(({ toFloor, toFastestPeer }) => [toFloor, toFastestPeer])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
  });

  it('takes other measurements of the library for no peers', () => {
    const own = contenderNamed('100 sessions', { isOwn: true });
    const results = new Map([...measured, [keyOf(own), resultOf([1])] as const]);
    const [row] = judgeRows([rowOf('loop', [own, ours, pi])], results, true);
    expect(row?.contenders.map(({ toFastestPeer }) => toFastestPeer)).toEqual([0.125, 0.5, 1]);
  });

  it('meets a target at its very limit, and misses it above', () => {
    expect(outcomes({ factor: 0.5, comparedTo: 'pi' })).toMatchObject([{ outcome: 'met', measured: 0.5 }]);
    expect(outcomes({ factor: 0.49, comparedTo: 'pi' })).toMatchObject([
      { outcome: 'missed', measured: 0.5 },
    ]);
  });

  it('compares with a fixed number and with another row', () => {
    expect(outcomes({ factor: 3.9 })).toMatchObject([{ outcome: 'missed', measured: 4 }]);
    const longer = rowOf('longer', [ai]);
    const target = { factor: 1, comparedTo: { row: 'longer', contender: 'ai' } };
    expect(outcomes(target, [longer])).toMatchObject([{ outcome: 'met', measured: 0.05 }]);
  });

  it('compares with the fastest peer, whoever it is', () => {
    const target = { factor: 0.5, comparedTo: fastestPeerName };
    expect(outcomes(target)).toMatchObject([{ outcome: 'met', measured: 0.5 }]);
    const [row] = judgeRows([rowOf('loop', [floor, ours], { targets: [target] })], measured, true);
    expect(row?.targets).toMatchObject([{ outcome: 'not measured' }]);
  });

  it('says that a target was not measured when one of the two is missing', () => {
    expect(outcomes({ factor: 1, comparedTo: 'nobody' })).toEqual([
      { factor: 1, comparedTo: 'nobody', outcome: 'not measured' },
    ]);
  });

  it('judges nothing when figures say nothing', () => {
    expect(outcomes({ factor: 1, comparedTo: 'pi' }, [], false)).toMatchObject([{ outcome: 'not judged' }]);
  });

  it('names what did not run, what failed, and a figure that a report does not have', () => {
    const results = resultsOf([
      [pi, { samples: new Map(), notes: [], failures: ['ended with 1: Error: no'] }],
      [ai, { samples: new Map([['wall', [1]]]), notes: ['slow'], failures: [] }],
    ]);
    const [row] = judgeRows([rowOf('loop', [ours, pi, ai])], results, true);
    expect(row?.contenders).toEqual([
      { name: 'weakincentives', samples: [], notes: ['not run'], failures: [] },
      { name: 'pi', samples: [], notes: [], failures: ['ended with 1: Error: no'] },
      { name: 'ai', samples: [], notes: ['slow'], failures: ['its report has no figure "cpu"'] },
    ]);
    const [unjudged] = judgeRows([rowOf('loop', [ai])], results, false);
    expect(unjudged?.contenders).toEqual([{ name: 'ai', samples: [], notes: ['slow'], failures: [] }]);
  });

  it('does not count what this machine cannot run as a failure', () => {
    const results = resultsOf([
      [ai, { samples: new Map(), notes: ['unavailable here: no ai'], failures: [], isUnavailable: true }],
    ]);
    const [row] = judgeRows([rowOf('loop', [ai])], results, true);
    expect(row?.contenders).toEqual([
      { name: 'ai', samples: [], notes: ['unavailable here: no ai'], failures: [] },
    ]);
  });
});
