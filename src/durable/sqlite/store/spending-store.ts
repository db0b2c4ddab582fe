import {
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  type HeldSpending,
  type IsAlive,
  isOverSince,
  listSpendings,
  reserveShare,
  type SpendingHolder,
  type SpendingRow,
  type SpendingTotal,
  spendingOf,
  spendMore,
  totalFrom,
  totalTexts,
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

interface TotalRecord extends BudgetPeriod {
  readonly spent: string;
  readonly taken: string;
  readonly largest_turn: string;
}

const texts = {
  total: 'select * from wink_budgets where budget = ? and period = ?',
  totals: `select *, (select count(*) from wink_spending as s where s.budget = b.budget and s.period = b.period) as runs
    from wink_budgets as b where budget = coalesce(?, budget) and period = coalesce(?, period)`,
  writeTotal: 'insert or replace into wink_budgets values (?, ?, ?, ?, ?)',
  row: 'select * from wink_spending where budget = ? and period = ? and source = ?',
  held: "select * from wink_spending where budget = ? and period = ? and source <> ? and owner <> ''",
  writeRow: 'insert or replace into wink_spending values (?, ?, ?, ?, ?, ?, ?)',
  dropTotal: 'delete from wink_budgets where budget = ? and period = ?',
  dropRows: 'delete from wink_spending where budget = ? and period = ?',
} as const;

/** The tables of what runs spend of budgets. Like the store of the journal, it opens no transaction. */
export class SpendingStore {
  readonly #prepare: (text: string) => SqliteStatement;

  /** @param prepare makes a statement, once for each text. */
  constructor(prepare: (text: string) => SqliteStatement) {
    this.#prepare = prepare;
  }

  reserve(request: BudgetRequest, lease: SpendingHolder, nowMs: number, isAlive: IsAlive): BudgetShare {
    const { runId } = request;
    const total = this.#total(request);
    const row = this.#row(request, runId);
    let reserved = reserveShare(total, row, request, lease, nowMs);
    if (reserved.isShort) {
      const ended = this.#held(request, runId).filter(({ row: { holder } }) => holder && !isAlive(holder));
      reserved = reserveShare(total, row, request, lease, nowMs, ended);
    }
    for (const freed of reserved.freed) this.#writeRow(request, freed.source, freed.row);
    this.#writeRow(request, runId, reserved.row);
    this.#writeTotal(request, reserved.total);
    return reserved.share;
  }

  spend(source: string, spends: BudgetSpends, nowMs: number): void {
    const { total, row } = spendMore(this.#total(spends), this.#row(spends, source), spends, nowMs);
    this.#writeRow(spends, source, row);
    this.#writeTotal(spends, total);
  }

  list(filter: Partial<BudgetPeriod>, isAlive: IsAlive): readonly BudgetSpending[] {
    const values = [filter.budget ?? null, filter.period ?? null];
    // The rows have the columns of their statement.
    const found = this.#prepare(texts.totals).all(...values) as (TotalRecord & { runs: number | bigint })[];
    const spendings = found.map((record) => {
      const { budget, period } = record;
      const rows = this.#held({ budget, period }).map(({ row }) => row);
      const held = rows.filter(({ holder }) => holder && isAlive(holder));
      return spendingOf({ budget, period, total: toTotal(record), runs: Number(record.runs), held });
    });
    return listSpendings(spendings, filter);
  }

  prune(beforeMs: number, isAlive: IsAlive): number {
    const over = this.list({}, isAlive).filter((each) => isOverSince(each, beforeMs));
    for (const { budget, period } of over) {
      this.#prepare(texts.dropTotal).run(budget, period);
      this.#prepare(texts.dropRows).run(budget, period);
    }
    return over.length;
  }

  /** Sources with something reserved, but for one. No source has the default name. */
  #held({ budget, period }: BudgetPeriod, source = ''): readonly HeldSpending[] {
    // The rows have the columns of their statement.
    const held = this.#prepare(texts.held).all(budget, period, source) as SpendingRecord[];
    return held.map((record) => ({ source: record.source, row: toRow(record) }));
  }

  #total({ budget, period }: BudgetPeriod): SpendingTotal | undefined {
    // The row has the columns of its statement.
    const record = this.#prepare(texts.total).get(budget, period) as TotalRecord | undefined;
    return record && toTotal(record);
  }

  #row({ budget, period }: BudgetPeriod, source: string): SpendingRow | undefined {
    // The row has the columns of its statement.
    const record = this.#prepare(texts.row).get(budget, period, source) as SpendingRecord | undefined;
    return record && toRow(record);
  }

  #writeTotal({ budget, period }: BudgetPeriod, total: SpendingTotal): void {
    this.#prepare(texts.writeTotal).run(budget, period, ...totalTexts(total));
  }

  #writeRow({ budget, period }: BudgetPeriod, source: string, { spent, upTo, holder }: SpendingRow): void {
    const by = [holder?.sessionId ?? '', holder?.owner ?? ''];
    const amounts = [spent, upTo].map((each) => JSON.stringify(each));
    this.#prepare(texts.writeRow).run(budget, period, source, ...by, ...amounts);
  }
}

function toTotal({ spent, taken, largest_turn: largestTurn }: TotalRecord): SpendingTotal {
  return totalFrom(spent, taken, largestTurn);
}

function toRow({ session_id: sessionId, owner, spent, up_to }: SpendingRecord): SpendingRow {
  const holder = owner === '' ? undefined : { sessionId, owner };
  // Written from amounts.
  return { spent: JSON.parse(spent), upTo: JSON.parse(up_to), holder };
}
