import { assertOptions, integer, number, type OptionsOf, PromptValidationError } from '../../error/index.ts';
import type { Budget, BudgetLimits } from '../../tool/index.ts';
import { priceChecks, toExactPrices } from './token-cost.ts';

/** The limits of a budget, in the order in which they are checked. */
export const limitNames: readonly (keyof BudgetLimits)[] = [
  'maxInputTokens',
  'maxOutputTokens',
  'maxTotalTokens',
  'maxCost',
  'maxUncountedTurns',
];

const tokens = integer({ min: 1 });
/** What the options of a budget must be. */
export const budgetChecks: OptionsOf<Budget> = {
  maxTotalTokens: tokens,
  maxInputTokens: tokens,
  maxOutputTokens: tokens,
  // Less than half a millionth would be a limit of nothing.
  maxCost: number({ min: 5e-7 }),
  maxUncountedTurns: integer({ min: 0 }),
  prices: priceChecks,
};

/**
 * @param isLimitRequired whether a budget that limits nothing is refused
 * @throws {PromptValidationError} for an option out of its range or one that does not exist, and for a budget without a limit.
 */
export function checkBudget(budget: Budget, isLimitRequired: boolean): void {
  assertOptions('A budget', budget, budgetChecks, { path: 'budget' });
  if (budget.prices !== undefined) toExactPrices(budget.prices);
  if (isLimitRequired && limitNames.every((name) => budget[name] === undefined)) {
    throw new PromptValidationError(
      `A budget without a limit would limit nothing; give it at least one of ${limitNames.join(', ')}. A tracker that is only to ` +
        'count is made by new BudgetTracker(budget, { isLimitRequired: false }).',
      { details: { option: 'budget' } },
    );
  }
}
