import type { BudgetTracker } from '../../runtime/index.ts';
import type { BudgetExcess, TokenUsage } from '../../tool/index.ts';

/** What a run took. */
export interface Spending {
  /** Tokens; a count that no model reported is absent. */
  readonly usage: TokenUsage;
  /** In the currency of the prices; absent when they are not known. */
  readonly cost?: number;
  /** The limit that was passed; absent when none was. */
  readonly exceeded?: BudgetExcess;
  readonly uncountedTurns: number;
}

/** What was counted so far. */
export function spendingOf(tracker: BudgetTracker): Spending {
  const { usage, cost, exceeded, uncountedTurns } = tracker;
  return {
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(exceeded === undefined ? {} : { exceeded }),
    uncountedTurns,
  };
}

/** The spending in a sentence; nothing when no model has reported any. */
export function spendingLines({ usage, cost, exceeded, uncountedTurns }: Spending): readonly string[] {
  const { inputTokens, cachedInputTokens = 0, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return [];
  const cached = cachedInputTokens === 0 ? '' : ` (${readable(cachedInputTokens)} of them cached)`;
  const parts = [
    `${readable(inputTokens ?? 0)} input tokens${cached}`,
    `${readable(outputTokens ?? 0)} output tokens`,
    ...(cost === undefined ? [] : [`cost ${costText(cost)}`]),
    ...(uncountedTurns === 0 ? [] : [`${uncountedTurns} of the turns were not counted by the model`]),
  ];
  const passed =
    exceeded === undefined ? [] : [`The budget was passed: ${exceeded.limit} is ${exceeded.maximum}.`];
  return [[`Spent ${parts.join(', ')}.`, ...passed].join(' ')];
}

function readable(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** Two decimal places at least, and as many as it takes. */
function costText(cost: number): string {
  return cost.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
}
