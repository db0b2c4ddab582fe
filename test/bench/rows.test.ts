import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fastestPeerName } from '../../bench/harness/judge-rows.ts';
import { keyOf, planJobs } from '../../bench/harness/plan-jobs.ts';
import { benchRows } from '../../bench/rows/index.ts';

const bench = new URL('../../bench/', import.meta.url);

describe('the rows', () => {
  it('have ids of their own, and contenders with names of their own', () => {
    const ids = benchRows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, contenders } of benchRows) {
      expect(new Set(contenders.map(({ name }) => name)).size, id).toBe(contenders.length);
    }
  });

  it('name programs that are there', () => {
    const missing = planJobs(benchRows).filter(({ program }) => !existsSync(new URL(`${program}.ts`, bench)));
    expect(missing.map(({ program }) => program)).toEqual([]);
  });

  it('take CPU and wall time of a loop from the same processes', () => {
    const loops = benchRows.filter(({ id }) => id.startsWith('loop-') && !id.endsWith('-wall'));
    expect(loops.length).toBeGreaterThan(0);
    for (const loop of loops) {
      const wall = benchRows.find(({ id }) => id === `${loop.id}-wall`);
      expect(wall?.contenders.map(keyOf), loop.id).toEqual(loop.contenders.map(keyOf));
      expect(wall?.contenders.every(({ figure }) => figure === 'wallPerStep')).toBe(true);
      expect(loop.contenders.every(({ figure }) => figure === 'cpuPerStep')).toBe(true);
    }
  });

  it('set no target by the loop that is written by hand', () => {
    const named = benchRows.flatMap(({ targets }) => targets.map(({ comparedTo }) => comparedTo));
    expect(named).not.toContain('by hand');
  });

  it('compare the library with whom they have', () => {
    const known = new Set(
      benchRows.flatMap(({ id, contenders }) => contenders.map(({ name }) => `${id} ${name}`)),
    );
    const compared = benchRows.flatMap(({ id, targets }) =>
      targets.flatMap(({ comparedTo }) => [
        `${id} weakincentives`,
        ...(comparedTo === undefined || comparedTo === fastestPeerName
          ? []
          : [
              typeof comparedTo === 'string'
                ? `${id} ${comparedTo}`
                : `${comparedTo.row} ${comparedTo.contender}`,
            ]),
      ]),
    );
    expect(compared.filter((one) => !known.has(one))).toEqual([]);
  });
});
