import { none, present } from '../../internal/index.ts';
import type {
  BudgetAmounts,
  BudgetPeriod,
  BudgetRequest,
  BudgetShare,
  BudgetSpending,
  BudgetSpends,
} from './journal-spending.ts';
import type { RunLease } from './run-lease.ts';

/** The lease that a part of a budget is reserved under. */
export type SpendingHolder = Pick<RunLease, 'sessionId' | 'owner'>;

/** What one source has of a budget in a period, as a ledger keeps it. A source is a run, or answers that came after its end. */
export interface SpendingRow {
  readonly spent: BudgetAmounts;
  /** How far it may spend; what it has spent may be more. */
  readonly upTo: BudgetAmounts;
  /** Undefined: nothing is reserved. */
  readonly holder: SpendingHolder | undefined;
}

/** The sum over all sources of a budget in a period, as a ledger keeps it. */
export interface SpendingTotal {
  readonly spent: BudgetAmounts;
  /** Spent or reserved. */
  readonly taken: BudgetAmounts;
  readonly largestTurn: BudgetAmounts;
  /** By the clock of the journal; undefined: an earlier version has written it. */
  readonly changedAtMs: number | undefined;
}

export const noAmounts: BudgetAmounts = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  costMillionths: 0,
  uncountedTurns: 0,
});

const noTotal: SpendingTotal = {
  spent: noAmounts,
  taken: noAmounts,
  largestTurn: noAmounts,
  changedAtMs: undefined,
};
const noRow: SpendingRow = { spent: noAmounts, upTo: noAmounts, holder: undefined };

/** What each amount is, from those of others. */
export function eachAmount(amountOf: (name: keyof BudgetAmounts) => number): BudgetAmounts {
  return {
    inputTokens: amountOf('inputTokens'),
    outputTokens: amountOf('outputTokens'),
    totalTokens: amountOf('totalTokens'),
    costMillionths: amountOf('costMillionths'),
    uncountedTurns: amountOf('uncountedTurns'),
  };
}

export const addAmounts = (left: BudgetAmounts, right: BudgetAmounts): BudgetAmounts =>
  eachAmount((name) => left[name] + right[name]);
export const subtractAmounts = (left: BudgetAmounts, right: BudgetAmounts): BudgetAmounts =>
  eachAmount((name) => left[name] - right[name]);
export const largerAmounts = (left: BudgetAmounts, right: BudgetAmounts): BudgetAmounts =>
  eachAmount((name) => Math.max(left[name], right[name]));

/** What is kept for the next turn: conversations grow. */
export function nextTurnOf(largestTurn: BudgetAmounts): BudgetAmounts {
  return eachAmount((name) => Math.ceil(largestTurn[name] * 1.25));
}

/** Turns that a run reserves at once, and the part of a limit that it reserves at least. */
const reservedTurns = 4;
const reservedPart = 0.02;

/**
 * What a source and the total are once the source has spent so much. Less than before changes nothing.
 *
 * @param keptTotal undefined: nothing was spent or reserved in the period.
 * @param keptRow undefined: nothing by this source.
 */
export function spendMore(
  keptTotal: SpendingTotal | undefined,
  keptRow: SpendingRow | undefined,
  { spent: now, largestTurn }: Pick<BudgetSpends, 'spent' | 'largestTurn'>,
  nowMs: number,
): { readonly total: SpendingTotal; readonly row: SpendingRow } {
  const total = keptTotal ?? noTotal;
  const row = keptRow ?? noRow;
  const spent = largerAmounts(row.spent, now);
  const next = { ...row, spent };
  return {
    row: next,
    total: {
      spent: addAmounts(total.spent, subtractAmounts(spent, row.spent)),
      taken: takenWith(total, row, next),
      largestTurn: largerAmounts(total.largestTurn, largestTurn),
      changedAtMs: laterOf(total, nowMs),
    },
  };
}

/** A source with something reserved, among others. */
export interface HeldSpending {
  readonly source: string;
  readonly row: SpendingRow;
}

/** What a request changes. */
export interface ReservedShare {
  readonly share: BudgetShare;
  readonly total: SpendingTotal;
  readonly row: SpendingRow;
  /** Rows of runs that have ended, with nothing reserved any more. */
  readonly freed: readonly HeldSpending[];
  /** Whether the run has got less than it asked for: what is reserved for runs that have ended may be had. */
  readonly isShort: boolean;
}

/**
 * Reserves for a run, or gives back what it has reserved.
 *
 * @param keptTotal undefined: nothing was spent or reserved in the period.
 * @param keptRow undefined: nothing by this run.
 * @param ended sources whose lease has ended with something reserved. Default: none is known.
 */
export function reserveShare(
  keptTotal: SpendingTotal | undefined,
  keptRow: SpendingRow | undefined,
  { kind, limits, largestTurn: own }: BudgetRequest,
  { sessionId, owner }: SpendingHolder,
  nowMs: number,
  ended: readonly HeldSpending[] = none,
): ReservedShare {
  const total = keptTotal ?? noTotal;
  const row = keptRow ?? noRow;
  const largestTurn = largerAmounts(total.largestTurn, own);
  const freed = ended.map((held) => ({ ...held, row: { ...held.row, upTo: noAmounts, holder: undefined } }));
  const taken = ended.reduce(
    (sum, { row: held }) => subtractAmounts(sum, subtractAmounts(reachOf(held), held.spent)),
    total.taken,
  );
  const others = subtractAmounts(taken, reachOf(row));
  const turn = nextTurnOf(largestTurn);
  const wantedOf = (name: keyof BudgetAmounts, limit: number): number =>
    kind === 'give-back' ? 0 : Math.max(reservedTurns * turn[name], Math.ceil(reservedPart * limit));
  let isShort = false;
  const upTo = eachAmount((name) => {
    const limit = limits[name];
    if (limit === undefined) return row.spent[name];
    const wanted = wantedOf(name, limit);
    const free = Math.max(0, limit - others[name] - row.spent[name]);
    isShort ||= free < wanted;
    return row.spent[name] + Math.min(wanted, free);
  });
  const next: SpendingRow = {
    spent: row.spent,
    upTo,
    holder: kind === 'give-back' ? undefined : { sessionId, owner },
  };
  const spentByOthers = subtractAmounts(total.spent, row.spent);
  return {
    share: {
      spent: row.spent,
      upTo,
      spentByOthers,
      reservedByOthers: subtractAmounts(others, spentByOthers),
      largestTurn,
    },
    total: { ...total, taken: addAmounts(others, reachOf(next)), changedAtMs: laterOf(total, nowMs) },
    row: next,
    freed,
    isShort,
  };
}

/** What a ledger keeps of a budget in a period. */
export interface KeptSpending extends BudgetPeriod {
  readonly total: SpendingTotal;
  /** How many sources there are. */
  readonly runs: number;
  /** The rows of those whose lease is held that they have reserved under. */
  readonly held: readonly SpendingRow[];
}

/** What a ledger says of a budget. */
export function spendingOf({ budget, period, total, runs, held }: KeptSpending): BudgetSpending {
  const { spent, changedAtMs } = total;
  const reserved = held.reduce(
    (sum, row) => addAmounts(sum, subtractAmounts(reachOf(row), row.spent)),
    noAmounts,
  );
  return { budget, period, spent, reserved, runs, running: held.length, ...present({ changedAtMs }) };
}

/** The budgets that a filter lists, in its order. @param spendings all of them, or those that a database has chosen. */
export function listSpendings(
  spendings: readonly BudgetSpending[],
  { budget, period }: Partial<BudgetPeriod>,
): readonly BudgetSpending[] {
  return spendings
    .filter((each) => (budget ?? each.budget) === each.budget && (period ?? each.period) === each.period)
    .sort(
      (left, right) =>
        (right.changedAtMs ?? 0) - (left.changedAtMs ?? 0) ||
        (budgetNameOf(left) < budgetNameOf(right) ? -1 : 1),
    );
}

/**
 * Whether a period is over, so that it may be forgotten: nothing has changed it since a time that is known, and no run has reserved from it that may spend still. A run
 * that is resumed later finds nothing, and reserves as in a new period.
 */
export function isOverSince({ changedAtMs, running }: BudgetSpending, beforeMs: number): boolean {
  return changedAtMs !== undefined && changedAtMs < beforeMs && running === 0;
}

/** One text for each budget and period. */
export function budgetNameOf({ budget, period }: BudgetPeriod): string {
  return JSON.stringify([budget, period]);
}

/** A total as a database keeps it: three texts of JSON. The time is beside what is taken, which changes with it. */
export function totalTexts({
  spent,
  taken,
  largestTurn,
  changedAtMs,
}: SpendingTotal): readonly [string, string, string] {
  return [
    JSON.stringify(spent),
    JSON.stringify({ ...taken, ...present({ changedAtMs }) }),
    JSON.stringify(largestTurn),
  ];
}

/** A total from {@link totalTexts}. */
export function totalFrom(spent: string, taken: string, largestTurn: string): SpendingTotal {
  // Written from a total; an earlier version has written no time.
  const { changedAtMs, ...amounts }: BudgetAmounts & { changedAtMs?: number } = JSON.parse(taken);
  return { spent: JSON.parse(spent), taken: amounts, largestTurn: JSON.parse(largestTurn), changedAtMs };
}

/** A clock that was set back makes nothing older. */
function laterOf({ changedAtMs = 0 }: SpendingTotal, nowMs: number): number {
  return Math.max(changedAtMs, Math.floor(nowMs));
}

/** How far a source has spent, or may. */
function reachOf({ spent, upTo }: SpendingRow): BudgetAmounts {
  return largerAmounts(spent, upTo);
}

function takenWith({ taken }: SpendingTotal, before: SpendingRow, after: SpendingRow): BudgetAmounts {
  return addAmounts(taken, subtractAmounts(reachOf(after), reachOf(before)));
}
