import type { BudgetExceededError } from '../../error/index.ts';
import { none, present } from '../../internal/index.ts';
import type {
  Budget,
  BudgetExcess,
  BudgetTrackerPort,
  Logger,
  SharedBudgetPort,
  TokenUsage,
} from '../../tool/index.ts';
import type { LanguageModel } from '../model/model.ts';
import type { ModelSequence } from '../model/model-sequence.ts';
import { noPrices, toBudgetTracker } from './budget-tracker.ts';
import type { Deadline } from './deadline.ts';
import type { RunStop, StopReason } from './run-stop.ts';
import type { RunShare, RunTracker } from './shared-budget.ts';

const noTokens: TokenUsage = Object.freeze({});

/**
 * The budgets that hold for one evaluation: its own, and those of the outer runs. One that several of them share is
 * counted once.
 */
export class RunBudget {
  /** True when neither the evaluation nor an outer one has a budget. */
  readonly isUnlimited: boolean;
  readonly #own: RunTracker | undefined;
  readonly #trackers: readonly RunTracker[];
  readonly #model: Pick<LanguageModel, 'name' | 'prices'>;
  readonly #models: ModelSequence | undefined;
  /** Shared with the budgets of inner evaluations: it is said once a run. */
  readonly #warning: { isGiven: boolean };

  /**
   * @param given what the evaluation was given as its budget, or the share of its run.
   * @param model whose turns are counted.
   * @param outer of the outer run.
   * @param models those that `model` represents. Default: itself.
   * @throws {PromptValidationError} for limits out of their range, or a limit on a cost that is not known of each model.
   */
  constructor(
    given: Budget | BudgetTrackerPort | SharedBudgetPort | RunShare | undefined,
    model: Pick<LanguageModel, 'name' | 'prices'>,
    outer?: RunBudget,
    models?: ModelSequence,
  ) {
    const own = given === undefined || isShare(given) ? given : toBudgetTracker(given);
    const outerTrackers = outer === undefined ? [] : outer.#trackers;
    this.#own = own ?? outer?.tracker;
    this.#trackers =
      own === undefined || outerTrackers.includes(own) ? outerTrackers : [own, ...outerTrackers];
    this.#warning = outer === undefined ? { isGiven: false } : outer.#warning;
    this.isUnlimited = this.#trackers.length === 0;
    this.#model = model;
    this.#models = models;
    const needsPrices = this.#trackers.some(
      ({ budget }) => budget.maxCost !== undefined && budget.prices === undefined,
    );
    const unpriced = needsPrices ? this.#unpriced() : undefined;
    if (unpriced !== undefined) throw noPrices(unpriced);
  }

  /** Name of a model whose prices are not known; undefined: they all are. */
  #unpriced(): string | undefined {
    const { name, prices } = this.#model;
    if (this.#models === undefined) return prices === undefined ? name : undefined;
    return this.#models.models.find(({ model }) => model.prices === undefined)?.name;
  }

  /** What handlers see: the evaluation's own, or else that of the outer run. */
  get tracker(): RunTracker | undefined {
    return this.#own;
  }

  /**
   * Counts one turn of the model.
   *
   * @param estimate what the turn took about; asked where the provider did not report all of it, and something is limited. Default: not known, which
   * counts as 0.
   * @param answer identifies a turn that may come again: each budget counts it once.
   * @param answeredBy name of the model that answered, where there are several. Default: the one that the evaluation is with.
   * @returns the limits that it passed.
   */
  count(
    usage: TokenUsage | undefined,
    logger: Logger,
    estimate?: () => TokenUsage,
    answer?: object,
    answeredBy?: string,
  ): readonly BudgetExcess[] {
    if (this.isUnlimited) return none;
    const trackers =
      answer === undefined ? this.#trackers : this.#trackers.filter((tracker) => tracker.takes(answer));
    if (trackers.length === 0) return none;
    const missing = this.#estimate(usage, logger, estimate);
    return trackers.flatMap((tracker) => {
      const wasExceeded = tracker.exceeded !== undefined;
      tracker.countTurn(usage, this.#pricesOf(answeredBy), missing);
      const excess = tracker.exceeded;
      return wasExceeded || excess === undefined ? [] : [excess];
    });
  }

  #pricesOf(answeredBy?: string): LanguageModel['prices'] {
    return this.#models === undefined ? this.#model.prices : this.#models.pricesOf(answeredBy);
  }

  /** What the provider left out of what it reports, about. */
  #estimate(usage: TokenUsage | undefined, logger: Logger, estimate?: () => TokenUsage): TokenUsage {
    if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined) return noTokens;
    if (!this.#trackers.some(({ isLimited }) => isLimited)) return noTokens;
    this.#warnOfUncounted(
      logger,
      estimate === undefined ? 'counts it as 0' : 'counts an estimate by the length of the text',
    );
    if (estimate === undefined) return noTokens;
    const { inputTokens = 0, outputTokens = 0 } = estimate();
    return {
      ...present({
        inputTokens: usage?.inputTokens === undefined ? inputTokens : undefined,
        outputTokens: usage?.outputTokens === undefined ? outputTokens : undefined,
      }),
    };
  }

  #warnOfUncounted(logger: Logger, consequence: string): void {
    if (this.#warning.isGiven) return;
    this.#warning.isGiven = true;
    logger.warn(
      `A model did not report what a turn took, or reported 0 for what has a text; the budget ${consequence}. Have the provider report it (streams of OpenAI-compatible servers: includeUsage or stream_options.include_usage), or set maxUncountedTurns to end runs that cannot be counted.`,
      { model: this.#model.name },
    );
  }

  /** The first limit that was passed; undefined while nothing is used up. */
  get exceeded(): BudgetExcess | undefined {
    return this.#trackers.find((tracker) => tracker.exceeded !== undefined)?.exceeded;
  }

  /** Reserves what the next turn may take. Absent: nothing is shared with other runs. */
  get ready(): (() => Promise<unknown> | undefined) | undefined {
    const shares = this.#trackers.filter(isShare);
    if (shares.length === 0) return undefined;
    return () => {
      const waits = shares.flatMap((share) => share.ready() ?? none);
      return waits.length === 0 ? undefined : Promise.all(waits);
    };
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
      const refusal = tracker.refuseTurn(atLeast, this.#pricesOf());
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** True for an error of a budget that applies here: everything that shares it must end, too. */
  hasRefused(error: unknown): boolean {
    return this.#trackers.some((tracker) => tracker.hasRefused(error));
  }
}

function isShare(given: object): given is RunShare {
  return 'kind' in given && given.kind === 'run-share';
}

/**
 * Why neither a turn of the model nor a tool call may begin any more; undefined when they may. A used-up budget ends
 * nothing that has begun: what it has cost is spent, and what comes of it is kept.
 */
export function haltReason(run: {
  readonly stop: RunStop;
  readonly deadline: Deadline | undefined;
  readonly budget: RunBudget;
}): StopReason | undefined {
  const { stop, deadline, budget } = run;
  const reason = stop.check(deadline);
  if (reason !== undefined || budget.isUnlimited) return reason;
  const cause = budget.refuse();
  return cause === undefined ? undefined : { kind: 'budget', cause };
}
