import { present } from '../../../core/internal/index.ts';
import type { BudgetTracker } from '../../../core/runtime/index.ts';
import type { BudgetExcess, TokenUsage } from '../../../core/tool/index.ts';

/** The spending of a run. */
export interface Spending {
  /** Token usage; counts that no model reported are absent. */
  readonly usage: TokenUsage;
  /** In the currency of the prices; absent when they are not known. */
  readonly cost?: number;
  /** The exceeded limit; absent without one. */
  readonly exceeded?: BudgetExcess;
  readonly uncountedTurns: number;
}

/** The spending so far. */
export function spendingOf(tracker: BudgetTracker): Spending {
  const { usage, cost, exceeded, uncountedTurns } = tracker;
  return {
    usage,
    ...present({ cost, exceeded }),
    uncountedTurns,
  };
}

/** The spending in a sentence; empty when no model has reported usage. */
export function spendingLines({ usage, cost, exceeded, uncountedTurns }: Spending): readonly string[] {
  const { inputTokens, cachedInputTokens = 0, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return [];
  const cached = cachedInputTokens === 0 ? '' : ` (${readable(cachedInputTokens)} of them cached)`;
  const parts = [
    `${readable(inputTokens ?? 0)} input tokens${cached}`,
    `${readable(outputTokens ?? 0)} output tokens`,
    ...(cost === undefined ? [] : [`cost ${costText(cost)}`]),
    ...(uncountedTurns === 0 ? [] : [`${uncountedTurns} of the turns without reported usage`]),
  ];
  const passed =
    exceeded === undefined ? [] : [`The budget was exceeded: ${exceeded.limit} is ${exceeded.maximum}.`];
  return [[`Spent ${parts.join(', ')}.`, ...passed].join(' ')];
}

function readable(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** A cost, with at least two decimal places, and as many as needed. */
export function costText(cost: number): string {
  return cost.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
}

/** A number of tokens in short: `812`, `9.9k`, `1.2M`. */
export function readableTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const [amount, unit] = tokens < 999_950 ? [tokens / 1000, 'k'] : [tokens / 1_000_000, 'M'];
  return `${amount.toFixed(1)}${unit}`;
}

/** A cost in a few characters: `0.04`, `2.00`, and below a hundredth `0.0042`. */
export function amountText(cost: number): string {
  const maximumFractionDigits = cost > 0 && cost < 0.01 ? 4 : 2;
  return cost.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits });
}
