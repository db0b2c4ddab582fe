import {
  assertOptions,
  BudgetExceededError,
  integer,
  number,
  type OptionsOf,
  PromptValidationError,
} from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import type {
  Budget,
  BudgetExcess,
  BudgetLimits,
  BudgetRemainder,
  BudgetTrackerPort,
  SharedBudgetPort,
  TokenPrices,
  TokenUsage,
} from '../../tool/index.ts';
import { addTokenUsage, tokenCounts } from '../model/model.ts';
import type { RunTracker } from './shared-budget.ts';
import { costDown, costUp, exactCostOf, priceChecks, toExactAmount, toExactPrices } from './token-cost.ts';

/** What counts against the limits. */
interface Spending {
  readonly usage: TokenUsage;
  /** What turns took about that no provider reported. */
  readonly estimated: TokenUsage;
  readonly cost: bigint;
  readonly uncountedTurns: number;
}

const noTokens: TokenUsage = Object.freeze({});

/** What of the spending counts against a limit. */
interface Measure {
  /** In messages. */
  readonly name: string;
  valueOf(spending: Spending): number;
  /** The part of it that no provider reported, in tokens. */
  estimatedOf(estimated: TokenUsage): number;
}

const measures: Readonly<Record<keyof BudgetLimits, Measure>> = {
  maxInputTokens: {
    name: 'input tokens',
    valueOf: (spending) => tokensOf(spending).inputTokens ?? 0,
    estimatedOf: ({ inputTokens = 0 }) => inputTokens,
  },
  maxOutputTokens: {
    name: 'output tokens',
    valueOf: (spending) => tokensOf(spending).outputTokens ?? 0,
    estimatedOf: ({ outputTokens = 0 }) => outputTokens,
  },
  maxTotalTokens: {
    name: 'input and output tokens',
    valueOf: (spending) => totalOf(tokensOf(spending)),
    estimatedOf: totalOf,
  },
  maxCost: { name: 'the cost', valueOf: ({ cost }) => costUp(cost), estimatedOf: totalOf },
  maxUncountedTurns: {
    name: 'turns without reported tokens',
    valueOf: ({ uncountedTurns }) => uncountedTurns,
    estimatedOf: () => 0,
  },
};

const limitNames = Object.keys(measures) as readonly (keyof BudgetLimits)[]; // It has every limit, in this order.

/** Options of {@link BudgetTracker}. */
export interface BudgetTrackerOptions {
  /** Whether the budget needs a limit. Default true; with false a tracker without one counts tokens and cost, and ends nothing. */
  readonly isLimitRequired?: boolean;
}

/**
 * Counts what is spent against a budget: every turn of every evaluation it is given to, of those inside tool calls and of
 * attempts that were superseded. Give the same one to several evaluations for one budget over all of them; compared by identity.
 */
export class BudgetTracker implements RunTracker {
  readonly budget: Budget;
  readonly #refusals = new WeakSet<BudgetExceededError>();
  /** What was counted that is known by an identity. */
  readonly #counted = new WeakSet<object>();
  #spent: Spending = { usage: noTokens, estimated: noTokens, cost: 0n, uncountedTurns: 0 };
  #isPriced = true;

  /**
   * @throws {PromptValidationError} for a limit or price out of its range, an option that does not exist, and a budget without a limit
   *   where one is required.
   */
  constructor(budget: Budget, { isLimitRequired = true }: BudgetTrackerOptions = {}) {
    checkBudget(budget, isLimitRequired);
    const { prices } = budget;
    this.budget = Object.freeze({
      ...budget,
      ...present({ prices: prices === undefined ? undefined : Object.freeze({ ...prices }) }),
    });
  }

  /** Tokens spent so far; a count that no provider reported is absent. */
  get usage(): TokenUsage {
    return this.#spent.usage;
  }

  /**
   * Tokens that turns took about whose provider did not report them: counted against the limits beside {@link usage}, and a part of the cost. A count that
   * was never estimated is absent.
   */
  get estimatedUsage(): TokenUsage {
    return this.#spent.estimated;
  }

  /** What they cost, rounded up to a millionth; undefined once a turn was counted whose price is unknown. */
  get cost(): number | undefined {
    return this.#isPriced ? costUp(this.#spent.cost) : undefined;
  }

  /** Turns for which the provider did not report both input and output tokens. */
  get uncountedTurns(): number {
    return this.#spent.uncountedTurns;
  }

  /** The first limit that was passed (input, output, total, cost, uncounted turns, in this order); undefined while none is. */
  get exceeded(): BudgetExcess | undefined {
    return this.#excessOf(this.#spent);
  }

  /** What is left. */
  remaining(): BudgetRemainder {
    const { maxCost } = this.budget;
    const costLeft = maxCost === undefined ? undefined : toExactAmount(maxCost) - this.#spent.cost;
    const left = (limit: 'maxTotalTokens' | 'maxInputTokens' | 'maxOutputTokens'): number | undefined => {
      const maximum = this.budget[limit];
      return maximum === undefined ? undefined : Math.max(0, maximum - measures[limit].valueOf(this.#spent));
    };
    return present({
      totalTokens: left('maxTotalTokens'),
      inputTokens: left('maxInputTokens'),
      outputTokens: left('maxOutputTokens'),
      cost: costLeft === undefined ? undefined : costLeft < 0n ? 0 : costDown(costLeft),
    });
  }

  /**
   * Counts one turn of a model. Evaluations do it by themselves; for what is spent outside of them.
   *
   * @param usage undefined: the provider reported nothing.
   * @param prices of the model, unless the budget has prices. Default: unknown.
   * @throws {PromptValidationError} for a count that is not a number of at least 0, or when the budget limits the cost and no price is known.
   */
  count(usage: TokenUsage | undefined, prices?: TokenPrices): void {
    this.countTurn(usage, prices, noTokens);
  }

  /** @internal Counts a turn, with an estimate of the counts that were not reported. */
  countTurn(usage: TokenUsage | undefined, prices: TokenPrices | undefined, estimate: TokenUsage): void {
    const known = this.budget.prices ?? prices;
    if (known === undefined && this.budget.maxCost !== undefined) throw noPrices();
    checkUsage(usage);
    const { usage: before, estimated, cost, uncountedTurns } = this.#spent;
    const taken = addTokenUsage(usage ?? noTokens, estimate);
    const isCounted = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
    this.#spent = {
      usage: Object.freeze(addTokenUsage(before, usage)),
      estimated: Object.freeze(addTokenUsage(estimated, estimate)),
      cost: cost + (known === undefined ? 0n : exactCostOf(taken, toExactPrices(known))),
      uncountedTurns: uncountedTurns + (isCounted ? 0 : 1),
    };
    if (known === undefined) this.#isPriced = false;
  }

  /** @internal Whether an answer has not been counted yet; it is from now on. */
  takes(answer: object): boolean {
    if (this.#counted.has(answer)) return false;
    this.#counted.add(answer);
    return true;
  }

  /** @internal True when there is something to hold to. */
  get isLimited(): boolean {
    return limitNames.some((name) => this.budget[name] !== undefined);
  }

  /** @internal Says why nothing may be spent any more; undefined while something may. */
  refuse(): BudgetExceededError | undefined {
    const excess = this.exceeded;
    if (excess === undefined) return undefined;
    const { limit, maximum } = excess;
    return this.#refusal(
      `The budget is used up: ${this.#reached(limit)}, and ${limit} is ${maximum}.`,
      excess,
    );
  }

  /** @internal Says why a turn that takes this at least must not begin; undefined when it may. */
  refuseTurn(atLeast: TokenUsage, prices: TokenPrices | undefined): BudgetExceededError | undefined {
    const refusal = this.refuse();
    if (refusal !== undefined) return refusal;
    const known = this.budget.prices ?? prices;
    const { usage, estimated, cost, uncountedTurns } = this.#spent;
    // All of it might come out of the cache.
    const cheapest = known === undefined ? undefined : exactCostOf(atLeast, cheapestOf(known));
    const excess = this.#excessOf({
      usage: addTokenUsage(usage, atLeast),
      estimated,
      cost: cost + (cheapest ?? 0n),
      uncountedTurns,
    });
    if (excess === undefined) return undefined;
    const { limit, value: needed, maximum } = excess;
    const value = measures[limit].valueOf(this.#spent);
    return this.#refusal(
      `The budget does not allow another turn of the model: ${this.#reached(limit)} and would reach at least ${needed}, and ${limit} is ${maximum}.`,
      { limit, value, maximum, needed },
    );
  }

  /** @internal True for an error that this tracker made. */
  hasRefused(error: unknown): boolean {
    return BudgetExceededError.isInstance(error) && this.#refusals.has(error);
  }

  #refusal(message: string, excess: BudgetExcess & { readonly needed?: number }): BudgetExceededError {
    const error = new BudgetExceededError(message, { details: { ...excess } });
    this.#refusals.add(error);
    return error;
  }

  #excessOf(spending: Spending): BudgetExcess | undefined {
    for (const limit of limitNames) {
      const maximum = this.budget[limit];
      if (maximum === undefined) continue;
      const value = measures[limit].valueOf(spending);
      const isPassed = limit === 'maxCost' ? spending.cost > toExactAmount(maximum) : value > maximum;
      if (isPassed) return { limit, value, maximum };
    }
    return undefined;
  }

  /** How far a limit was reached. */
  #reached(limit: keyof BudgetLimits): string {
    const { name, valueOf, estimatedOf } = measures[limit];
    const estimated = estimatedOf(this.#spent.estimated);
    const part =
      estimated === 0 ? '' : ` (with ${estimated} estimated tokens, which the provider did not report)`;
    return `${name} reached ${valueOf(this.#spent)}${part}`;
  }
}

/**
 * @internal The tracker that was given, or a new one over the limits that were.
 * @throws {PromptValidationError} for what is neither.
 */
export function toBudgetTracker(given: Budget | BudgetTrackerPort | SharedBudgetPort): BudgetTracker {
  if (given instanceof BudgetTracker) return given;
  if (typeof given === 'object' && given !== null && ('remaining' in given || 'kind' in given)) {
    throw new PromptValidationError(
      'The option budget must be limits, such as { maxTotalTokens: 100_000 }, or a BudgetTracker.',
      { details: { option: 'budget' } },
    );
  }
  return new BudgetTracker(given);
}

/** @internal The error of a limit on the cost of a model without known prices. */
export function noPrices(modelName?: string): PromptValidationError {
  const model = modelName === undefined ? 'the model' : `the model "${modelName}"`;
  return new PromptValidationError(
    `The budget limits the cost, but what ${model} costs is not known. Give prices to the budget or to the adapter: { inputPerMillion, outputPerMillion }.`,
    { details: { option: 'budget.prices' } },
  );
}

function cheapestOf(prices: TokenPrices): ReturnType<typeof toExactPrices> {
  const { input, cachedInput, cacheWrite, longCacheWrite, output } = toExactPrices(prices);
  const inputs = [cachedInput, cacheWrite, longCacheWrite];
  const cheapest = inputs.reduce((least, price) => (price < least ? price : least), input);
  return { input: cheapest, cachedInput: cheapest, cacheWrite: cheapest, longCacheWrite: cheapest, output };
}

function checkUsage(usage: TokenUsage | undefined): void {
  for (const name of tokenCounts) {
    const count = usage?.[name];
    if (count !== undefined && !(Number.isFinite(count) && count >= 0)) {
      throw new PromptValidationError(`The ${name} of a turn must be a number of at least 0, got ${count}.`, {
        details: { option: name, value: count },
      });
    }
  }
}

function tokensOf({ usage, estimated }: Pick<Spending, 'usage' | 'estimated'>): TokenUsage {
  return estimated === noTokens ? usage : addTokenUsage(usage, estimated);
}

function totalOf({ inputTokens = 0, outputTokens = 0 }: TokenUsage): number {
  return inputTokens + outputTokens;
}

const tokens = integer({ min: 1 });
/** What the options of a budget must be. */
const budgetChecks: OptionsOf<Budget> = {
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
function checkBudget(budget: Budget, isLimitRequired: boolean): void {
  assertOptions('A budget', budget, budgetChecks, { path: 'budget' });
  if (isLimitRequired && limitNames.every((name) => budget[name] === undefined)) {
    throw new PromptValidationError(
      `A budget without a limit would limit nothing; give it at least one of ${limitNames.join(', ')}. A tracker that is only to ` +
        'count is made by new BudgetTracker(budget, { isLimitRequired: false }).',
      { details: { option: 'budget' } },
    );
  }
}
