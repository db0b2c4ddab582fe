import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planJobs } from '../../bench/harness/plan-jobs.ts';
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

  it('compare the library with whom they have', () => {
    const known = new Set(
      benchRows.flatMap(({ id, contenders }) => contenders.map(({ name }) => `${id} ${name}`)),
    );
    const compared = benchRows.flatMap(({ id, targets }) =>
      targets.flatMap(({ comparedTo }) => [
        `${id} weakincentives`,
        ...(comparedTo === undefined
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
