import { assertArgument, assertOptions, number, type OptionsOf, required } from '../../error/index.ts';
import type { TokenPrices, TokenUsage } from '../../tool/index.ts';

/** Prices with every member filled in, in millionths of the currency unit for a million tokens. */
interface ExactPrices {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly longCacheWrite: bigint;
  readonly output: bigint;
}

const millionth = 1_000_000n;
const perMillion = number({ min: 0 });
/** What prices must be. */
export const priceChecks: OptionsOf<TokenPrices> = {
  inputPerMillion: required(perMillion),
  cachedInputPerMillion: perMillion,
  cacheWriteInputPerMillion: perMillion,
  longCacheWriteInputPerMillion: perMillion,
  outputPerMillion: required(perMillion),
};

/**
 * What tokens cost, in the currency unit of the prices, rounded up to a millionth of it. Sums are exact when usages are
 * added (`addTokenUsage`) and the cost is asked for once. A count that is not reported costs nothing; cached input that is not
 * reported is paid like other input.
 *
 * @throws {PromptValidationError} for a price that is not a number of at least 0.
 */
export function tokenCost(usage: TokenUsage, prices: TokenPrices): number {
  assertArgument('tokenCost()', 'usage', usage, 'object');
  return costUp(exactCostOf(usage, toExactPrices(prices)));
}

/** {@link tokenCost} in millionths of a millionth of the currency unit, without rounding. */
export function exactCostOf(
  usage: TokenUsage,
  { input, cachedInput, cacheWrite, longCacheWrite, output }: ExactPrices,
): bigint {
  const inputTokens = toCount(usage.inputTokens);
  const reported = toCount(usage.cachedInputTokens);
  const cached = reported < inputTokens ? reported : inputTokens;
  const written = toCount(usage.cacheWriteInputTokens);
  const others = inputTokens - cached;
  const stored = written < others ? written : others;
  const longest = toCount(usage.longCacheWriteInputTokens);
  const long = longest < stored ? longest : stored;
  return (
    cached * cachedInput +
    (stored - long) * cacheWrite +
    long * longCacheWrite +
    (others - stored) * input +
    toCount(usage.outputTokens) * output
  );
}

/** @throws {PromptValidationError} for a price that is not a number of at least 0, or a missing one. */
export function toExactPrices(prices: TokenPrices): ExactPrices {
  assertOptions('What a model costs', prices, priceChecks, { path: 'prices' });
  const { inputPerMillion, outputPerMillion } = prices;
  const { cachedInputPerMillion = inputPerMillion, cacheWriteInputPerMillion = inputPerMillion } = prices;
  const { longCacheWriteInputPerMillion = cacheWriteInputPerMillion } = prices;
  return {
    input: toExactPrice(inputPerMillion),
    cachedInput: toExactPrice(cachedInputPerMillion),
    cacheWrite: toExactPrice(cacheWriteInputPerMillion),
    longCacheWrite: toExactPrice(longCacheWriteInputPerMillion),
    output: toExactPrice(outputPerMillion),
  };
}

/** An amount of the currency as {@link exactCostOf} counts it, taken to six decimal places. */
export function toExactAmount(amount: number): bigint {
  return BigInt(Math.round(amount * 1e6)) * millionth;
}

/** A cost as a number, rounded up to a millionth. */
export function costUp(exact: bigint): number {
  return Number((exact + millionth - 1n) / millionth) / 1e6;
}

/** A cost as a number, rounded down to a millionth. */
export function costDown(exact: bigint): number {
  return Number(exact / millionth) / 1e6;
}

function toExactPrice(price: number): bigint {
  const exact = Math.round(price * 1e6);
  return BigInt(exact === 0 && price > 0 ? 1 : exact);
}

/** Providers may report parts of a token. */
function toCount(tokens: number | undefined): bigint {
  return BigInt(Math.ceil(tokens ?? 0));
}
