/** Names what the runs of a budget spend in one period. */
export interface BudgetPeriod {
  /** Name of the budget. */
  readonly budget: string;
  /** Name of the period, such as `2026-01-31`. */
  readonly period: string;
}

/** What the limits of a budget count. Numbers of at least 0; tokens include those that were estimated. */
export interface BudgetAmounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input and output tokens together. */
  readonly totalTokens: number;
  /** Millionths of the currency unit: a whole number. */
  readonly costMillionths: number;
  /** Turns for which the provider did not report both input and output tokens. */
  readonly uncountedTurns: number;
}

/** What one source has spent in a period: all of it, so that writing it again changes nothing. Plain JSON. */
export interface BudgetSpends extends BudgetPeriod {
  readonly spent: BudgetAmounts;
  /** The most of each amount that one turn took. */
  readonly largestTurn: BudgetAmounts;
}

/** A run asks for a part of a budget, or gives back what is left of its part. Plain JSON. */
export interface BudgetRequest extends BudgetPeriod {
  /** `reserve`: for the next turns. `give-back`: the run does not spend any more. */
  readonly kind: 'reserve' | 'give-back';
  readonly runId: string;
  /** The limits for all runs of the budget together. An absent amount has none. */
  readonly limits: Partial<BudgetAmounts>;
  /** The most of each amount that one turn of the run took, as far as it knows. */
  readonly largestTurn: BudgetAmounts;
}

/** What a run has of a budget. */
export interface BudgetShare {
  /** What the run has spent in the period, as far as its rows say. */
  readonly spent: BudgetAmounts;
  /** How far the run may spend: what it has spent, and what is reserved for it. */
  readonly upTo: BudgetAmounts;
  /** What all others have spent. */
  readonly spentByOthers: BudgetAmounts;
  /** What is reserved for others, beside what they have spent. */
  readonly reservedByOthers: BudgetAmounts;
  /** The most of each amount that one turn took, of all runs. */
  readonly largestTurn: BudgetAmounts;
}

/** What all runs of a budget have spent in a period. Its limits are those of the programs, and in no ledger. Plain JSON. */
export interface BudgetSpending extends BudgetPeriod {
  readonly spent: BudgetAmounts;
  /** What is reserved beside it, by runs that hold their lease. */
  readonly reserved: BudgetAmounts;
  /** How many runs have spent or reserved. Answers that came after the end of a run count as another one. */
  readonly runs: number;
  /** How many of them have reserved, and hold their lease. */
  readonly running: number;
  /** Milliseconds since the Unix epoch, by the clock of the journal: when something was last spent, reserved or given back. Absent: an earlier version has written it. */
  readonly changedAtMs?: number;
}
