import { PromptValidationError } from '../../error/index.ts';
import type { Budget, BudgetLimits } from '../../tool/index.ts';
import { toExactPrices } from './token-cost.ts';

/** The limits of a budget, in the order in which they are checked. */
export const limitNames: readonly (keyof BudgetLimits)[] = [
  'maxInputTokens',
  'maxOutputTokens',
  'maxTotalTokens',
  'maxCost',
  'maxUncountedTurns',
];

const isTokens = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;

/** Every option of a budget, with what it must be. */
const rules: Readonly<Record<keyof Budget, readonly [(value: unknown) => boolean, string]>> = {
  maxTotalTokens: [isTokens, 'a whole number of at least 1'],
  maxInputTokens: [isTokens, 'a whole number of at least 1'],
  maxOutputTokens: [isTokens, 'a whole number of at least 1'],
  // Less than half a millionth would be a limit of nothing.
  maxCost: [(value) => Number.isFinite(value) && Number(value) >= 5e-7, 'a number of at least 0.000001'],
  maxUncountedTurns: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    'a whole number of at least 0',
  ],
  prices: [(value) => typeof value === 'object' && value !== null, 'an object'],
};

/**
 * @param isLimitRequired whether a budget that limits nothing is refused
 * @throws {PromptValidationError} for an option out of its range or one that does not exist, and for a budget without a limit.
 */
export function checkBudget(budget: Budget, isLimitRequired: boolean): void {
  if (typeof budget !== 'object' || budget === null) {
    throw new PromptValidationError(`A budget must be an object, got ${String(budget)}.`, {
      details: { option: 'budget' },
    });
  }
  for (const [name, value] of Object.entries(budget)) {
    const rule = isOption(name) ? rules[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(rules).join(', ');
      throw new PromptValidationError(`A budget has no option "${name}"; its options are ${known}.`, {
        details: { option: `budget.${name}` },
      });
    }
    if (value !== undefined && !rule[0](value)) {
      throw new PromptValidationError(`The option budget.${name} must be ${rule[1]}, got ${String(value)}.`, {
        details: { option: `budget.${name}`, value },
      });
    }
  }
  if (budget.prices !== undefined) toExactPrices(budget.prices);
  if (isLimitRequired && limitNames.every((name) => budget[name] === undefined)) {
    throw new PromptValidationError(
      `A budget without a limit would limit nothing; give it at least one of ${limitNames.join(', ')}. A tracker that is only to ` +
        'count is made by new BudgetTracker(budget, { isLimitRequired: false }).',
      { details: { option: 'budget' } },
    );
  }
}

function isOption(name: string): name is keyof Budget {
  return Object.hasOwn(rules, name);
}
