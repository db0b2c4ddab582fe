import type { Budget, TokenPrices } from '../tool/index.ts';
import { UsageError } from './usage-error.ts';

/** What the command line says about a budget; over what the agent says. */
export function readBudget(values: {
  readonly maxTokens: number | undefined;
  readonly maxCost: string | undefined;
  readonly prices: string | undefined;
}): Budget {
  const { maxTokens, maxCost, prices } = values;
  return {
    ...(maxTokens === undefined ? {} : { maxTotalTokens: maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost: readCost(maxCost) }),
    ...(prices === undefined ? {} : { prices: readPrices(prices) }),
  };
}

function readCost(text: string): number {
  const cost = readDecimal(text);
  if (cost !== undefined && cost > 0) return cost;
  throw new UsageError(
    `--max-cost is "${text}"; it must be an amount over 0 such as 2.50, with six decimal places at most.`,
  );
}

function readPrices(text: string): TokenPrices {
  const amounts = text.split('/').map(readDecimal);
  const [input, second, third] = amounts;
  const output = third ?? second;
  if (amounts.length > 3 || amounts.includes(undefined) || input === undefined || output === undefined) {
    throw new UsageError(
      `--prices is "${text}"; it must be INPUT/OUTPUT or INPUT/CACHED/OUTPUT for a million tokens, such as 1.25/0.125/10.`,
    );
  }
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(third === undefined || second === undefined ? {} : { cachedInputPerMillion: second }),
  };
}

function readDecimal(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}
