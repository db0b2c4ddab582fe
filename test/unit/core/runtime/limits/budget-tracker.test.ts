import { describe, expect, test } from 'vitest';
import { type Budget, BudgetTracker, PromptValidationError } from 'weakincentives';

const prices = { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000 };

describe('a budget', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ maxTotalTokens: 0 }, 'budget.maxTotalTokens must be a whole number of at least 1; received 0'],
    [{ maxInputTokens: 1.5 }, 'budget.maxInputTokens'],
    [{ maxOutputTokens: '10' }, 'budget.maxOutputTokens'],
    [{ maxCost: 0 }, 'budget.maxCost'],
    [{ maxCost: Number.NaN }, 'budget.maxCost'],
    [{ maxCost: 1e-9 }, 'budget.maxCost'],
    [{ maxUncountedTurns: -1 }, 'budget.maxUncountedTurns'],
    [{ prices: 5 }, 'budget.prices'],
    [{ prices: { inputPerMillion: 1 } }, 'outputPerMillion'],
    [{ maxTokens: 10 }, 'no option "budget.maxTokens"; the nearest is "budget.maxTotalTokens"'],
    [{ toString: 10 }, 'no option "budget.toString"'],
  ])('with %j is refused', (budget, text) => {
    expect(() => new BudgetTracker(budget as Budget)).toThrow(PromptValidationError);
    expect(() => new BudgetTracker(budget as Budget)).toThrow(text);
  });

  test('cannot be changed from outside once it is tracked', () => {
    const budget = { maxTotalTokens: 10, prices: { ...prices } };
    const tracker = new BudgetTracker(budget);
    budget.maxTotalTokens = 1_000;
    budget.prices.inputPerMillion = 0;
    tracker.count({ inputTokens: 11, outputTokens: 0 });
    expect(tracker.exceeded).toMatchObject({ limit: 'maxTotalTokens', maximum: 10 });
    expect(tracker.cost).toBe(11);
  });
});

describe('a tracker', () => {
  test('without limits only counts', () => {
    const tracker = new BudgetTracker({}, { isLimitRequired: false });
    expect(tracker.usage).toEqual({});
    expect(tracker.cost).toBe(0);
    tracker.count({ inputTokens: 1e9, outputTokens: 1, cachedInputTokens: 5 });
    tracker.count({ inputTokens: 1, outputTokens: 1 });
    expect(tracker.usage).toEqual({ inputTokens: 1e9 + 1, outputTokens: 2, cachedInputTokens: 5 });
    expect(tracker.exceeded).toBeUndefined();
    expect(tracker.remaining()).toEqual({});
  });

  test.each<[Budget, string]>([
    [{ maxInputTokens: 10 }, 'maxInputTokens'],
    [{ maxOutputTokens: 5 }, 'maxOutputTokens'],
    [{ maxTotalTokens: 15 }, 'maxTotalTokens'],
    [{ maxCost: 20, prices }, 'maxCost'],
  ])('over %j is passed by more than the limit, not by the limit', (budget, limit) => {
    const tracker = new BudgetTracker(budget);
    tracker.count({ inputTokens: 10, outputTokens: 5 });
    expect(tracker.exceeded).toBeUndefined();
    expect(Object.values(tracker.remaining())).toEqual([0]);
    tracker.count({ inputTokens: 1, outputTokens: 1 });
    expect(tracker.exceeded?.limit).toBe(limit);
    expect(tracker.exceeded?.value).toBeGreaterThan(tracker.exceeded?.maximum ?? 0);
    expect(Object.values(tracker.remaining())).toEqual([0]);
  });

  test('says what is left of each limit', () => {
    const tracker = new BudgetTracker({
      maxInputTokens: 100,
      maxOutputTokens: 50,
      maxTotalTokens: 120,
      maxCost: 300,
      prices,
    });
    tracker.count({ inputTokens: 30, outputTokens: 10 });
    expect(tracker.remaining()).toEqual({ inputTokens: 70, outputTokens: 40, totalTokens: 80, cost: 250 });
    expect(tracker.cost).toBe(50);
  });

  test('shows a cost that is passed by less than a millionth', () => {
    const fine = { inputPerMillion: 0.000001, outputPerMillion: 1 };
    const tracker = new BudgetTracker({ maxCost: 1, prices: fine });
    tracker.count({ inputTokens: 1, outputTokens: 1_000_000 });
    expect(tracker.exceeded).toEqual({ limit: 'maxCost', value: 1.000001, maximum: 1 });
    expect(tracker.remaining()).toEqual({ cost: 0 });
  });

  test('never takes a price that is not known for nothing', () => {
    const limited = new BudgetTracker({ maxCost: 1 });
    expect(() => limited.count({ inputTokens: 1, outputTokens: 1 })).toThrow(
      'what the model costs is not known',
    );
    limited.count({ inputTokens: 1, outputTokens: 0 }, prices);
    expect(limited.cost).toBe(1);
    const free = new BudgetTracker({}, { isLimitRequired: false });
    free.count({ inputTokens: 1, outputTokens: 0 }, prices);
    free.count({ inputTokens: 1, outputTokens: 0 });
    expect(free.cost).toBeUndefined();
  });

  test('takes its own prices over those of the model', () => {
    const tracker = new BudgetTracker({ prices }, { isLimitRequired: false });
    tracker.count({ inputTokens: 1, outputTokens: 0 }, { inputPerMillion: 0, outputPerMillion: 0 });
    expect(tracker.cost).toBe(1);
  });

  test('counts turns that nothing was reported of, or only a part', () => {
    const tracker = new BudgetTracker({ maxUncountedTurns: 1 });
    tracker.count(undefined);
    expect(tracker.exceeded).toBeUndefined();
    tracker.count({ inputTokens: 5 });
    expect(tracker.exceeded).toEqual({ limit: 'maxUncountedTurns', value: 2, maximum: 1 });
    expect([tracker.uncountedTurns, tracker.usage]).toEqual([2, { inputTokens: 5 }]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to count %d tokens', (count) => {
    const tracker = new BudgetTracker({}, { isLimitRequired: false });
    expect(() => tracker.count({ inputTokens: 1, outputTokens: count })).toThrow(PromptValidationError);
    expect(tracker.usage).toEqual({});
  });
});
