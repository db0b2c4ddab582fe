import {
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  type HeldSpending,
  type IsAlive,
  reserveShare,
  type SpendingHolder,
  type SpendingRow,
  type SpendingTotal,
  spendingOf,
  spendMore,
} from '../../../core/runtime/index.ts';
import type { SqliteStatement } from './database.ts';

interface SpendingRecord {
  readonly source: string;
  /** Of the lease that something is reserved under; empty where nothing is. */
  readonly session_id: string;
  readonly owner: string;
  readonly spent: string;
  readonly up_to: string;
}

interface TotalRecord {
  readonly spent: string;
  readonly taken: string;
  readonly largest_turn: string;
}

const texts = {
  total: 'select * from wink_budgets where budget = ? and period = ?',
  writeTotal: 'insert or replace into wink_budgets values (?, ?, ?, ?, ?)',
  row: 'select * from wink_spending where budget = ? and period = ? and source = ?',
  held: "select * from wink_spending where budget = ? and period = ? and source <> ? and owner <> ''",
  writeRow: 'insert or replace into wink_spending values (?, ?, ?, ?, ?, ?, ?)',
} as const;

/** The tables of what runs spend of budgets. Like the store of the journal, it opens no transaction. */
export class SpendingStore {
  readonly #prepare: (text: string) => SqliteStatement;

  /** @param prepare makes a statement, once for each text. */
  constructor(prepare: (text: string) => SqliteStatement) {
    this.#prepare = prepare;
  }

  reserve(request: BudgetRequest, lease: SpendingHolder, isAlive: IsAlive): BudgetShare {
    const { runId } = request;
    const total = this.#total(request);
    const row = this.#row(request, runId);
    let reserved = reserveShare(total, row, request, lease);
    if (reserved.isShort)
      reserved = reserveShare(total, row, request, lease, this.#ended(request, runId, isAlive));
    for (const freed of reserved.freed) this.#writeRow(request, freed.source, freed.row);
    this.#writeRow(request, runId, reserved.row);
    this.#writeTotal(request, reserved.total);
    return reserved.share;
  }

  spend(source: string, spends: BudgetSpends): void {
    const { total, row } = spendMore(this.#total(spends), this.#row(spends, source), spends);
    this.#writeRow(spends, source, row);
    this.#writeTotal(spends, total);
  }

  spending(period: BudgetPeriod): BudgetSpending {
    return spendingOf(this.#total(period));
  }

  /** Others with something reserved whose lease has ended. */
  #ended({ budget, period }: BudgetPeriod, runId: string, isAlive: IsAlive): readonly HeldSpending[] {
    // The rows have the columns of their statement.
    const held = this.#prepare(texts.held).all(budget, period, runId) as SpendingRecord[];
    return held
      .map((record) => ({ source: record.source, row: toRow(record) }))
      .filter(({ row: { holder } }) => holder !== undefined && !isAlive(holder));
  }

  #total({ budget, period }: BudgetPeriod): SpendingTotal | undefined {
    // The row has the columns of its statement, and each was written from amounts.
    const record = this.#prepare(texts.total).get(budget, period) as TotalRecord | undefined;
    if (record === undefined) return undefined;
    const { spent, taken, largest_turn: largestTurn } = record;
    return { spent: JSON.parse(spent), taken: JSON.parse(taken), largestTurn: JSON.parse(largestTurn) };
  }

  #row({ budget, period }: BudgetPeriod, source: string): SpendingRow | undefined {
    // The row has the columns of its statement.
    const record = this.#prepare(texts.row).get(budget, period, source) as SpendingRecord | undefined;
    return record && toRow(record);
  }

  #writeTotal({ budget, period }: BudgetPeriod, { spent, taken, largestTurn }: SpendingTotal): void {
    const amounts = [spent, taken, largestTurn].map((each) => JSON.stringify(each));
    this.#prepare(texts.writeTotal).run(budget, period, ...amounts);
  }

  #writeRow({ budget, period }: BudgetPeriod, source: string, { spent, upTo, holder }: SpendingRow): void {
    const by = [holder?.sessionId ?? '', holder?.owner ?? ''];
    const amounts = [spent, upTo].map((each) => JSON.stringify(each));
    this.#prepare(texts.writeRow).run(budget, period, source, ...by, ...amounts);
  }
}

function toRow({ session_id: sessionId, owner, spent, up_to }: SpendingRecord): SpendingRow {
  const holder = owner === '' ? undefined : { sessionId, owner };
  // Written from amounts.
  return { spent: JSON.parse(spent), upTo: JSON.parse(up_to), holder };
}
