import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addTokenUsage,
  BudgetTracker,
  PromptValidationError,
  type TokenUsage,
  tokenCost,
} from 'weakincentives';

const prices = { inputPerMillion: 1.1, cachedInputPerMillion: 0.11, outputPerMillion: 4.4 };

test.each<[string, TokenUsage, number]>([
  ['nothing', {}, 0],
  ['input and output', { inputTokens: 1_000_000, outputTokens: 500_000 }, 3.3],
  ['cached input, which is part of the input', { inputTokens: 1_000_000, cachedInputTokens: 900_000 }, 0.209],
  [
    'more cached than input, which no provider should say',
    { inputTokens: 10, cachedInputTokens: 20 },
    0.000002,
  ],
  ['what is less than a millionth', { inputTokens: 1 }, 0.000002],
  ['parts of a token', { outputTokens: 0.2 }, 0.000005],
])('the cost of %s', (_what, usage, cost) => {
  expect(tokenCost(usage, prices)).toBe(cost);
});

test('cached input is paid like other input unless it has a price', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 1_000_000 };
  expect(tokenCost(usage, { inputPerMillion: 2, outputPerMillion: 0 })).toBe(2);
  expect(tokenCost(usage, { inputPerMillion: 2, cachedInputPerMillion: 0, outputPerMillion: 0 })).toBe(0);
});

test('a price over 0 is never taken as 0', () => {
  const tiny = { inputPerMillion: 1e-9, outputPerMillion: 0 };
  expect(tokenCost({ inputTokens: 1_000_000 }, tiny)).toBe(0.000001);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined])('a price of %s is refused', (price) => {
  // As a caller without types would write it.
  const wrong = { inputPerMillion: price as number, outputPerMillion: 1 };
  expect(() => tokenCost({}, wrong)).toThrow(PromptValidationError);
  expect(() => new BudgetTracker({ prices: wrong })).toThrow(PromptValidationError);
});

test('a sum over many turns is the cost of their sum, to the last millionth', () => {
  const tokens = fc.integer({ min: 0, max: 5_000_000 });
  const usage = fc.record({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: fc.constant(0) });
  const price = fc.integer({ min: 0, max: 100_000_000 }).map((millionths) => millionths / 1e6);
  const pricing = fc.record({ inputPerMillion: price, outputPerMillion: price });
  fc.assert(
    fc.property(fc.array(usage, { maxLength: 50 }), pricing, (usages, given) => {
      const tracker = new BudgetTracker({ prices: given }, { isLimitRequired: false });
      for (const turn of usages) tracker.count(turn);
      const sum = usages.reduce<TokenUsage>(addTokenUsage, {});
      expect(tracker.usage).toEqual(sum);
      expect(tracker.cost).toBe(tokenCost(sum, given));
      // By integers of our own: a price in millionths times tokens is millionths of a millionth.
      const exact =
        BigInt(sum.inputTokens ?? 0) * BigInt(Math.round(given.inputPerMillion * 1e6)) +
        BigInt(sum.outputTokens ?? 0) * BigInt(Math.round(given.outputPerMillion * 1e6));
      expect(BigInt(Math.round((tracker.cost ?? 0) * 1e6))).toBe((exact + 999_999n) / 1_000_000n);
    }),
  );
});
