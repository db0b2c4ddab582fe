/**
 * What a model costs, in any currency: each number is for a million tokens, 0 or more. Prices are taken
 * to six decimal places, and one over 0 never becomes 0.
 */
export interface TokenPrices {
  readonly inputPerMillion: number;
  /** For the part of the input that was read from the provider's cache. Default: as for other input. */
  readonly cachedInputPerMillion?: number;
  /** For the part of the input that was written to the provider's cache. Default: as for other input. */
  readonly cacheWriteInputPerMillion?: number;
  /** For the part of that which is kept for the longer lifetime (`longCacheWriteInputTokens`). Default: as `cacheWriteInputPerMillion`. */
  readonly longCacheWriteInputPerMillion?: number;
  readonly outputPerMillion: number;
}

/** The limits of a {@link Budget}. A limit is passed by more than its number, not by the number itself. */
export interface BudgetLimits {
  /** Input and output tokens together: a whole number of at least 1. */
  readonly maxTotalTokens?: number;
  /** Input tokens, cached ones included: a whole number of at least 1. */
  readonly maxInputTokens?: number;
  /** Output tokens: a whole number of at least 1. */
  readonly maxOutputTokens?: number;
  /** In the currency of the prices, over 0, taken to six decimal places. Needs prices: the budget's or the model's. */
  readonly maxCost?: number;
  /**
   * Turns of a model for which the provider did not report both input and output tokens: 0 or more. What is not reported
   * is estimated by the length of the text, so that with 0 here nothing is estimated. Default: no limit, and the first such turn of an
   * evaluation is warned about.
   */
  readonly maxUncountedTurns?: number;
}

/** What may be spent. Every limit is optional; without any, spending is only counted. */
export interface Budget extends BudgetLimits {
  /** Default: those the model brings. */
  readonly prices?: TokenPrices;
}

/** A limit that was passed. */
export interface BudgetExcess {
  readonly limit: keyof BudgetLimits;
  /** What was spent. A cost is rounded up to a millionth. */
  readonly value: number;
  readonly maximum: number;
}

/** What is left of each limit, 0 once it is used up; absent where there is no limit. */
export interface BudgetRemainder {
  readonly totalTokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Rounded down to a millionth. */
  readonly cost?: number;
}
