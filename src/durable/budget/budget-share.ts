import { BudgetExceededError, describeError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import {
  addAmounts,
  type BudgetAmounts,
  type BudgetShare,
  type BudgetSpends,
  BudgetTracker,
  largerAmounts,
  nextTurnOf,
  noAmounts,
  type RunShare,
  type SpendingRun,
  subtractAmounts,
} from '../../core/runtime/index.ts';
import type {
  Budget,
  BudgetExcess,
  BudgetRemainder,
  TokenPrices,
  TokenUsage,
} from '../../core/tool/index.ts';
import { amountsOf, asLimit, limitAmounts, limitsIn } from './limit-amounts.ts';

/** What a {@link BudgetShareOfRun} is made of. */
export interface BudgetShareParts {
  /** Name of the budget. */
  readonly name: string;
  /** Checked. */
  readonly budget: Budget;
  readonly periodOf: (atMs: number) => string;
  readonly run: SpendingRun;
}

/** What the run has in one period. */
interface PeriodShare {
  readonly period: string;
  /** What it had spent when the share was opened, by its rows. */
  readonly before: BudgetAmounts;
  /** What the counter had counted then. */
  readonly countedBefore: BudgetAmounts;
  /** What of it the ledger has. */
  written: BudgetAmounts;
  /** As it was known last. */
  share: BudgetShare;
  /** What it has spent, all of it; undefined: the share is open. */
  closedAt: BudgetAmounts | undefined;
}

/** The least that a turn takes. */
const leastTurn: BudgetAmounts = { ...noAmounts, inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/**
 * What one run has of a budget over several runs. A turn counts in the period in which the run asked for its part last.
 *
 * @see docs/spec/durable-runs.md §17
 */
export class BudgetShareOfRun implements RunShare {
  readonly kind = 'run-share';
  readonly isLimited = true;
  readonly budget: Budget;
  readonly #parts: BudgetShareParts;
  readonly #limits: Partial<BudgetAmounts>;
  readonly #refusals = new WeakSet<BudgetExceededError>();
  /** What this process has counted of the run, in all periods. */
  readonly #counter: BudgetTracker;
  #largestTurn = noAmounts;
  #current: PeriodShare;
  /** Of earlier periods, with something that is not written yet. */
  #closed: readonly PeriodShare[] = [];
  #renewing: Promise<void> | undefined;
  /** Why nothing could be reserved. */
  #failure: unknown;
  #hasEnded = false;
  /** Writes what is counted after the end, one after the other. */
  #late: Promise<void> = Promise.resolve();

  private constructor(parts: BudgetShareParts, period: string, share: BudgetShare) {
    const { budget } = parts;
    this.#parts = parts;
    this.budget = budget;
    this.#limits = limitsIn(budget);
    this.#counter = new BudgetTracker(budget);
    this.#current = openShare(period, share, noAmounts);
  }

  /** The share of a run that begins, or continues. @throws what the journal rejects with. */
  static async open(parts: BudgetShareParts): Promise<BudgetShareOfRun> {
    const { name, budget, periodOf, run } = parts;
    const period = periodOf(run.now());
    const limits = limitsIn(budget);
    const request = {
      kind: 'reserve',
      budget: name,
      period,
      runId: run.runId,
      limits,
      largestTurn: noAmounts,
    } as const;
    return new BudgetShareOfRun(parts, period, await run.reserve(request));
  }

  isOf(budget: string, period: string): boolean {
    return budget === this.#parts.name && period === this.#current.period;
  }

  /** Tokens that this process has spent of the run. */
  get usage(): TokenUsage {
    return this.#counter.usage;
  }

  get cost(): number | undefined {
    return this.#counter.cost;
  }

  get exceeded(): BudgetExcess | undefined {
    return this.#excessWith(noAmounts);
  }

  remaining(): BudgetRemainder {
    const { spentByOthers, reservedByOthers } = this.#current.share;
    const taken = addAmounts(addAmounts(spentByOthers, reservedByOthers), this.#spent);
    const left = (amount: keyof BudgetAmounts): number | undefined => {
      const limit = this.#limits[amount];
      return limit === undefined ? undefined : Math.max(0, asLimit(amount, limit - taken[amount]));
    };
    return present({
      totalTokens: left('totalTokens'),
      inputTokens: left('inputTokens'),
      outputTokens: left('outputTokens'),
      cost: left('costMillionths'),
    });
  }

  /** Answers that rows of the run have were counted with their rows. */
  takes(): boolean {
    return false;
  }

  countTurn(usage: TokenUsage | undefined, prices: TokenPrices | undefined, estimate: TokenUsage): void {
    const before = amountsOf(this.#counter);
    this.#counter.countTurn(usage, prices, estimate);
    const turn = subtractAmounts(amountsOf(this.#counter), before);
    this.#largestTurn = largerAmounts(this.#largestTurn, turn);
    if (this.#hasEnded) this.#writeLate();
  }

  hasRefused(error: unknown): boolean {
    return BudgetExceededError.isInstance(error) && this.#refusals.has(error);
  }

  refuse(): BudgetExceededError | undefined {
    if (this.#parts.run.isResuming()) return undefined;
    const excess = this.exceeded;
    if (excess === undefined) return undefined;
    const { value, maximum, limit } = excess;
    return this.#refusal(
      `is used up: ${nameOf(limit)} reached ${value}, and ${limit} is ${maximum}.`,
      excess,
    );
  }

  refuseTurn(): BudgetExceededError | undefined {
    if (this.#parts.run.isResuming()) return undefined;
    const refusal = this.refuse();
    if (refusal !== undefined) return refusal;
    const missing = this.#missing;
    if (missing === undefined) return undefined;
    const { limit, amount, name } = missing;
    const { share } = this.#current;
    const of = (amounts: BudgetAmounts): number => asLimit(amount, amounts[amount]);
    const value = of(addAmounts(share.spentByOthers, this.#spent));
    const needed = of(this.#nextTurn);
    const maximum = this.budget[limit] ?? Infinity;
    const because =
      this.#failure === undefined ? '' : ` No more could be reserved: ${describeError(this.#failure)}.`;
    return this.#refusal(
      `does not allow another turn of the model, which may take ${needed}: ${name} reached ${value}, ${of(share.reservedByOthers)} more are reserved for other runs, and ${limit} is ${maximum}.${because}`,
      { limit, value, maximum },
    );
  }

  ready(): Promise<void> | undefined {
    const { run, periodOf } = this.#parts;
    if (this.#hasEnded || run.isResuming()) return undefined;
    if (this.#renewing !== undefined) return this.#renewing;
    const period = periodOf(run.now());
    if (period === this.#current.period && this.#missing === undefined) return undefined;
    this.#renewing = this.#renew(period).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  unwritten(): readonly BudgetSpends[] {
    return this.#periods().flatMap((each) => {
      const spent = each.closedAt ?? this.#spent;
      return isSame(spent, each.written) ? [] : [this.#spends(each.period, spent)];
    });
  }

  written(spends: readonly BudgetSpends[]): void {
    for (const each of this.#periods()) {
      const found = spends.find(
        ({ budget, period }) => budget === this.#parts.name && period === each.period,
      );
      if (found !== undefined) each.written = found.spent;
    }
    this.#closed = this.#closed.filter(
      ({ closedAt, written }) => closedAt !== undefined && !isSame(closedAt, written),
    );
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return this.#late;
    this.#hasEnded = true;
    this.#writeLate();
    try {
      await this.#late;
      await this.#ask('give-back', this.#current.period);
    } catch {
      // It is free when the lease has ended.
    }
  }

  get #spent(): BudgetAmounts {
    return spentIn(this.#current, amountsOf(this.#counter));
  }

  /** What the next turn may take. */
  get #nextTurn(): BudgetAmounts {
    const largestTurn = largerAmounts(this.#largestTurn, this.#current.share.largestTurn);
    return largerAmounts(nextTurnOf(largestTurn), leastTurn);
  }

  /** The first limit of which too little is reserved for the next turn. */
  get #missing(): (typeof limitAmounts)[number] | undefined {
    const { upTo } = this.#current.share;
    const needed = addAmounts(this.#spent, this.#nextTurn);
    return limitAmounts.find(
      ({ amount }) => this.#limits[amount] !== undefined && needed[amount] > upTo[amount],
    );
  }

  #excessWith(more: BudgetAmounts): BudgetExcess | undefined {
    const { spentByOthers } = this.#current.share;
    const reached = addAmounts(addAmounts(spentByOthers, this.#spent), more);
    const passed = limitAmounts.find(({ amount }) => reached[amount] > (this.#limits[amount] ?? Infinity));
    if (passed === undefined) return undefined;
    const { limit, amount } = passed;
    return { limit, value: asLimit(amount, reached[amount]), maximum: this.budget[limit] ?? Infinity };
  }

  #refusal(message: string, excess: BudgetExcess): BudgetExceededError {
    const { name } = this.#parts;
    const { period } = this.#current;
    const error = new BudgetExceededError(`The budget "${name}" of ${period} ${message}`, {
      details: { ...excess, budget: name, period },
    });
    this.#refusals.add(error);
    return error;
  }

  async #renew(period: string): Promise<void> {
    try {
      await this.#parts.run.flush();
      const share = await this.#ask('reserve', period);
      this.#failure = undefined;
      if (period === this.#current.period) this.#current.share = share;
      else this.#moveTo(period, share);
    } catch (error) {
      // A turn begins when what is left suffices.
      this.#failure = error;
    }
  }

  /** Another period has begun: the rest of the one before is free when the run ends, or its next one needs it. */
  #moveTo(period: string, share: BudgetShare): void {
    const counted = amountsOf(this.#counter);
    const closed = { ...this.#current, closedAt: spentIn(this.#current, counted) };
    this.#closed = [...this.#closed, closed];
    this.#current = openShare(period, share, counted);
  }

  #ask(kind: 'reserve' | 'give-back', period: string): Promise<BudgetShare> {
    const { name, run } = this.#parts;
    return run.reserve({
      kind,
      budget: name,
      period,
      runId: run.runId,
      limits: this.#limits,
      largestTurn: this.#largestTurn,
    });
  }

  #periods(): readonly PeriodShare[] {
    return this.#closed.length === 0 ? [this.#current] : [...this.#closed, this.#current];
  }

  #spends(period: string, spent: BudgetAmounts): BudgetSpends {
    const largestTurn = this.#largestTurn;
    return { budget: this.#parts.name, period, spent, largestTurn };
  }

  /** What no row of the run will have is written under a name of its own. */
  #writeLate(): void {
    const spends = this.#periods().flatMap((each) => {
      const late = subtractAmounts(each.closedAt ?? this.#spent, each.written);
      return isSame(late, noAmounts) ? [] : [this.#spends(each.period, late)];
    });
    for (const each of spends) this.#late = this.#late.then(() => this.#parts.run.spendLate(each));
  }
}

function openShare(period: string, share: BudgetShare, countedBefore: BudgetAmounts): PeriodShare {
  const { spent } = share;
  return { period, before: spent, countedBefore, written: spent, share, closedAt: undefined };
}

function spentIn({ before, countedBefore }: PeriodShare, counted: BudgetAmounts): BudgetAmounts {
  return addAmounts(before, subtractAmounts(counted, countedBefore));
}

function isSame(left: BudgetAmounts, right: BudgetAmounts): boolean {
  return (
    left.inputTokens === right.inputTokens &&
    left.outputTokens === right.outputTokens &&
    left.costMillionths === right.costMillionths &&
    left.uncountedTurns === right.uncountedTurns
  );
}

function nameOf(limit: BudgetExcess['limit']): string {
  return limitAmounts.find((each) => each.limit === limit)?.name ?? limit;
}
