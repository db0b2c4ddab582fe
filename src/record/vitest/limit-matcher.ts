import { tokenCost } from '../../core/runtime/index.ts';
import type { MatcherResult } from './matcher-context.ts';
import type { SpendingLimits } from './matcher-types.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';

/** Whether a run stayed within limits, and by how much it did not. */
export function matchLimits(received: unknown, limits: SpendingLimits): MatcherResult {
  const facts = readRunFacts(received);
  const given: unknown = limits;
  if (typeof given !== 'object' || given === null) throw new TypeError('The limits must be an object.');
  const { tokens, turns, cost } = limits;
  const checks = [
    ...(tokens === undefined ? [] : [check('tokens', tokens, tokensOf(facts))]),
    ...(turns === undefined ? [] : [check('turns', turns, facts.turns)]),
    ...(cost === undefined ? [] : [check('cost', cost, costOf(facts, limits))]),
  ];
  if (checks.length === 0) throw new TypeError('Give at least one limit: tokens, turns or cost.');
  const passed = checks.filter(({ excess }) => excess > 0);
  const pass = passed.length === 0;
  return {
    pass,
    message: () =>
      pass
        ? `Expected the run to pass one of its limits, but it stayed within all of them: ${checks.map(describeSpent).join(', ')}.`
        : `Expected the run to stay within its limits, but it passed ${passed.map(describeExcess).join(', ')}.`,
  };
}

interface LimitCheck {
  readonly name: keyof SpendingLimits;
  readonly limit: number;
  readonly spent: number;
  readonly excess: number;
}

function check(name: keyof SpendingLimits, limit: number, spent: number): LimitCheck {
  if (typeof limit !== 'number' || !(limit >= 0)) {
    throw new TypeError(`The limit ${name} must be a number of at least 0, got ${String(limit)}.`);
  }
  // Costs are sums of millionths: their difference has no more decimal places.
  return { name, limit, spent, excess: Math.round((spent - limit) * 1e6) / 1e6 };
}

function describeSpent({ name, limit, spent }: LimitCheck): string {
  return `${name} ${spent} of ${limit}`;
}

function describeExcess({ name, limit, spent, excess }: LimitCheck): string {
  return `${name}: ${spent}, which is ${excess} over ${limit}`;
}

function tokensOf({ usage }: RunFacts): number {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined)
    throw new TypeError('The model reported no token counts, so the limit tokens cannot be checked.');
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

function costOf({ usage, prices: known }: RunFacts, { prices = known }: SpendingLimits): number {
  if (prices !== undefined) return tokenCost(usage, prices);
  throw new TypeError(
    'The limit cost needs prices: the record has none of its model. Give them: toStayWithin({ cost, prices }).',
  );
}
