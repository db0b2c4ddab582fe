import { type BudgetAmounts, eachAmount } from '../../core/runtime/index.ts';
import type { Budget, BudgetLimits, TokenUsage } from '../../core/tool/index.ts';

/** What a limit counts. */
interface LimitAmount {
  readonly limit: keyof BudgetLimits;
  readonly amount: keyof BudgetAmounts;
  /** In messages. */
  readonly name: string;
}

/** In the order in which limits are named that were passed. */
export const limitAmounts: readonly LimitAmount[] = [
  { limit: 'maxInputTokens', amount: 'inputTokens', name: 'input tokens' },
  { limit: 'maxOutputTokens', amount: 'outputTokens', name: 'output tokens' },
  { limit: 'maxTotalTokens', amount: 'totalTokens', name: 'input and output tokens' },
  { limit: 'maxCost', amount: 'costMillionths', name: 'the cost' },
  { limit: 'maxUncountedTurns', amount: 'uncountedTurns', name: 'turns without reported tokens' },
];

const millionth = 1e6;

/** An amount as its limit has it. */
export function asLimit(amount: keyof BudgetAmounts, value: number): number {
  return amount === 'costMillionths' ? value / millionth : value;
}

/** The limits of a budget as amounts. */
export function limitsIn(budget: Budget): Partial<BudgetAmounts> {
  return Object.fromEntries(
    limitAmounts.flatMap(({ limit, amount }) => {
      const maximum = budget[limit];
      return maximum === undefined
        ? []
        : [[amount, amount === 'costMillionths' ? toMillionths(maximum) : maximum]];
    }),
  );
}

/** What was counted, as amounts. */
export function amountsOf(counted: {
  readonly usage: TokenUsage;
  readonly estimatedUsage: TokenUsage;
  readonly cost: number | undefined;
  readonly uncountedTurns: number;
}): BudgetAmounts {
  const { usage, estimatedUsage, cost = 0, uncountedTurns } = counted;
  const inputTokens = (usage.inputTokens ?? 0) + (estimatedUsage.inputTokens ?? 0);
  const outputTokens = (usage.outputTokens ?? 0) + (estimatedUsage.outputTokens ?? 0);
  const amounts = {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    costMillionths: toMillionths(cost),
    uncountedTurns,
  };
  return eachAmount((name) => amounts[name]);
}

function toMillionths(cost: number): number {
  return Math.round(cost * millionth);
}
