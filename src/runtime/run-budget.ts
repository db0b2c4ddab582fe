import { none } from '../collection/index.ts';
import type { BudgetExceededError } from '../error/index.ts';
import type { Budget, BudgetExcess, BudgetTrackerPort, Logger, TokenUsage } from '../tool/index.ts';
import { type BudgetTracker, noPrices, toBudgetTracker } from './budget-tracker.ts';
import type { ModelProvider } from './model.ts';

/**
 * The budgets that hold for one evaluation: its own, and those of the runs around it. One that several of them share is
 * counted once.
 */
export class RunBudget {
  /** True when there is no budget at all, neither of the evaluation nor around it. */
  readonly isUnlimited: boolean;
  readonly #own: BudgetTracker | undefined;
  readonly #trackers: readonly BudgetTracker[];
  readonly #model: Pick<ModelProvider, 'name' | 'prices'>;
  #hasWarned = false;

  /**
   * @param given what the evaluation was given as its budget.
   * @param model whose turns are counted.
   * @param outer of the run around it.
   * @throws {PromptValidationError} for limits out of their range, or a limit on a cost that is not known.
   */
  constructor(
    given: Budget | BudgetTrackerPort | undefined,
    model: Pick<ModelProvider, 'name' | 'prices'>,
    outer?: RunBudget,
  ) {
    const own = given === undefined ? undefined : toBudgetTracker(given);
    const around = outer === undefined ? [] : outer.#trackers;
    this.#own = own ?? outer?.tracker;
    this.#trackers = own === undefined || around.includes(own) ? around : [own, ...around];
    this.isUnlimited = this.#trackers.length === 0;
    this.#model = model;
    const unpriced = this.#trackers.find(
      ({ budget }) => budget.maxCost !== undefined && budget.prices === undefined,
    );
    if (unpriced !== undefined && model.prices === undefined) throw noPrices(model.name);
  }

  /** What handlers see: the evaluation's own, or else that of the run around it. */
  get tracker(): BudgetTracker | undefined {
    return this.#own;
  }

  /** Counts one turn of the model. @returns the limits that it passed. */
  count(usage: TokenUsage | undefined, logger: Logger): readonly BudgetExcess[] {
    if (this.isUnlimited) return none;
    this.#warnOfUncounted(usage, logger);
    return this.#trackers.flatMap((tracker) => {
      const wasExceeded = tracker.exceeded !== undefined;
      tracker.count(usage, this.#model.prices);
      const excess = tracker.exceeded;
      return wasExceeded || excess === undefined ? [] : [excess];
    });
  }

  #warnOfUncounted(usage: TokenUsage | undefined, logger: Logger): void {
    if (this.#hasWarned || (usage?.inputTokens !== undefined && usage.outputTokens !== undefined)) return;
    if (!this.#trackers.some(({ isLimited }) => isLimited)) return;
    this.#hasWarned = true;
    logger.warn(
      'A model did not report what a turn took, which counts as 0 in the budget. Set maxUncountedTurns to end runs that cannot be counted.',
      { model: this.#model.name },
    );
  }

  /** The first limit that was passed; undefined while nothing is used up. */
  get exceeded(): BudgetExcess | undefined {
    return this.#trackers.find((tracker) => tracker.exceeded !== undefined)?.exceeded;
  }

  /** Why nothing may be begun any more; undefined while something may. */
  refuse(): BudgetExceededError | undefined {
    for (const tracker of this.#trackers) {
      const refusal = tracker.refuse();
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Why a turn of the model that takes this at least must not begin; undefined when it may. */
  refuseTurn(atLeast: TokenUsage): BudgetExceededError | undefined {
    for (const tracker of this.#trackers) {
      const refusal = tracker.refuseTurn(atLeast, this.#model.prices);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** True for an error of a budget that holds here: whatever shares it must end, too. */
  hasRefused(error: unknown): boolean {
    return this.#trackers.some((tracker) => tracker.hasRefused(error));
  }
}
