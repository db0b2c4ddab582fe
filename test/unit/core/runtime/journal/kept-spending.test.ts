import { describe, expect, it } from 'vitest';
import {
  isOverSince,
  listSpendings,
  noAmounts,
  spendMore,
  totalFrom,
  totalTexts,
} from '../../../../../src/core/runtime/index.ts';

const spending = { period: '2026', spent: noAmounts, reserved: noAmounts, runs: 1, running: 0 };
const spends = { spent: { ...noAmounts, totalTokens: 7 }, largestTurn: noAmounts };

describe('budgets as they are listed', () => {
  it('are in the order of their last change, those without a time at the end', () => {
    const [without, other] = [
      { ...spending, budget: 'b' },
      { ...spending, budget: 'a' },
    ];
    const [first, last] = [
      { ...spending, budget: 'c', changedAtMs: 1 },
      { ...spending, budget: 'd', changedAtMs: 2 },
    ];
    expect(listSpendings([without, first, other, last], {})).toEqual([last, first, other, without]);
    expect(listSpendings([without, first], { budget: 'c' })).toEqual([first]);
    expect(listSpendings([without, first], { budget: 'c', period: '2027' })).toEqual([]);
  });

  it('are over since a time when they were changed before, and no run holds them', () => {
    const changed = { ...spending, budget: 'b', changedAtMs: 10 };
    expect(isOverSince(changed, 11)).toBe(true);
    expect(isOverSince(changed, 10)).toBe(false);
    expect(isOverSince({ ...changed, running: 1 }, 11)).toBe(false);
    expect(isOverSince({ ...spending, budget: 'b' }, Infinity)).toBe(false);
  });
});

describe('the total of a budget', () => {
  it('comes back from its texts, with the time of its last change or without', () => {
    const { total } = spendMore(undefined, undefined, spends, 1_000.7);
    expect(total.changedAtMs).toBe(1_000);
    expect(totalFrom(...totalTexts(total))).toEqual(total);
    const earlier = { ...total, changedAtMs: undefined };
    expect(totalTexts(earlier)[1]).toBe(JSON.stringify(total.taken));
    expect(totalFrom(...totalTexts(earlier))).toEqual(earlier);
  });

  it('is not older by a clock that was set back', () => {
    const { total, row } = spendMore(undefined, undefined, spends, 1_000);
    expect(spendMore(total, row, spends, 900).total.changedAtMs).toBe(1_000);
    expect(spendMore(total, row, spends, 1_100).total.changedAtMs).toBe(1_100);
  });
});
