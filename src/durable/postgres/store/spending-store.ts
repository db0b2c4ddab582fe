import {
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  budgetNameOf,
  type HeldSpending,
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
import type { LeaseMoment } from '../../journal/index.ts';
import type { HeldClient, PostgresRow } from '../database/index.ts';
import type { PostgresLedgerParts } from './ledger-parts.ts';
import { postgresSchema } from './schema.ts';
import { spendingTextsOf } from './spending-texts.ts';

type TotalColumn = 'total_spent' | 'taken' | 'largest_turn';
type RowColumn = 'session_id' | 'owner' | 'spent' | 'up_to';
type ListColumn = TotalColumn | RowColumn | 'budget' | 'period' | 'runs' | 'holder' | 'is_held' | 'format';

/** A budget as it is listed, and the text by which one knows that it is still so. */
interface ListedBudget {
  readonly spending: BudgetSpending;
  readonly taken: string;
}

/** Most budgets that are locked at a time. */
const maxLocked = 100;

/** The tables of what runs spend of budgets. Each operation that writes is in a transaction of its caller. */
export class PostgresSpending {
  readonly #parts: PostgresLedgerParts;
  readonly #texts: ReturnType<typeof spendingTextsOf>;

  constructor(parts: PostgresLedgerParts) {
    this.#parts = parts;
    this.#texts = spendingTextsOf(parts.schema);
  }

  async reserve(
    client: HeldClient,
    request: BudgetRequest,
    lease: SpendingHolder,
    moment: LeaseMoment,
  ): Promise<BudgetShare> {
    const { runId } = request;
    const { total, row, nowMs } = await this.#locked(client, request, runId, moment);
    let reserved = reserveShare(total, row, request, lease, nowMs);
    if (reserved.isShort)
      reserved = reserveShare(total, row, request, lease, nowMs, await this.#ended(client, request, moment));
    for (const freed of reserved.freed) await this.#writeRow(client, request, freed.source, freed.row);
    await this.#writeRow(client, request, runId, reserved.row);
    await this.#writeTotal(client, request, reserved.total);
    return reserved.share;
  }

  async spend(client: HeldClient, source: string, spends: BudgetSpends, moment: LeaseMoment): Promise<void> {
    const before = await this.#locked(client, spends, source, moment);
    const { total, row } = spendMore(before.total, before.row, spends, before.nowMs);
    await this.#writeRow(client, spends, source, row);
    await this.#writeTotal(client, spends, total);
  }

  /** Counts what a run says of its budgets, always in the same order: each is locked until the end of the transaction. */
  async spendAll(
    client: HeldClient,
    runId: string,
    spends: readonly BudgetSpends[],
    moment: LeaseMoment,
  ): Promise<void> {
    for (const each of inLockOrder(spends, (spent) => spent)) await this.spend(client, runId, each, moment);
  }

  async list(filter: Partial<BudgetPeriod>, moment: LeaseMoment): Promise<readonly BudgetSpending[]> {
    const listed = await this.#list(filter, moment);
    return listSpendings(
      listed.map(({ spending }) => spending),
      filter,
    );
  }

  async prune(beforeMs: number, moment: LeaseMoment): Promise<number> {
    const { database, checked } = this.#parts;
    const listed = await this.#list({}, moment, beforeMs);
    const over = inLockOrder(
      listed.filter(({ spending }) => isOverSince(spending, beforeMs)),
      ({ spending }) => spending,
    );
    let count = 0;
    for (let at = 0; at < over.length; at += maxLocked) {
      const part = over.slice(at, at + maxLocked);
      const values = [
        part.map(({ spending }) => this.#lockOf(spending)),
        part.map(({ spending }) => spending.budget),
        part.map(({ spending }) => spending.period),
        part.map(({ taken }) => taken),
        postgresSchema.format,
      ];
      const rows = checked(await database.query<'count' | 'format'>(this.#texts.prune, values));
      count += Number(rows[0]?.count);
    }
    return count;
  }

  /** @param beforeMs only those that were changed before. Default: all. */
  async #list(
    { budget = null, period = null }: { readonly [Name in keyof BudgetPeriod]?: string | null },
    moment: LeaseMoment,
    beforeMs: number | null = null,
  ): Promise<readonly ListedBudget[]> {
    const { database, checked, clockMs, hasHolderEnded } = this.#parts;
    const values = [clockMs(moment), budget, period, beforeMs];
    const found = checked(await database.query<ListColumn>(this.#texts.list, values));
    const groups = new Map<string, PostgresRow<ListColumn>[]>();
    for (const record of found) {
      if (record.budget === null || record.period === null) continue;
      const name = budgetNameOf({ budget: record.budget, period: record.period });
      groups.set(name, [...(groups.get(name) ?? []), record]);
    }
    return [...groups.values()].flatMap((records) => {
      const [first] = records;
      const total = first && toTotal(first);
      if (first === undefined || total === undefined) return [];
      const held = records.flatMap((record) => {
        const row = record.is_held === 't' && !hasHolderEnded(record.holder) ? toRow(record) : undefined;
        return row === undefined ? [] : [row];
      });
      const names = { budget: first.budget ?? '', period: first.period ?? '' };
      const spending = spendingOf({ ...names, total, runs: Number(first.runs), held });
      return [{ spending, taken: first.taken ?? '' }];
    });
  }

  /** What a budget has, which no one else reads or writes until the end of the transaction. */
  async #locked(
    client: HeldClient,
    period: BudgetPeriod,
    source: string,
    moment: LeaseMoment,
  ): Promise<{
    readonly total: SpendingTotal | undefined;
    readonly row: SpendingRow | undefined;
    readonly nowMs: number;
  }> {
    const { checked, clockMs } = this.#parts;
    await client.query(this.#texts.lock, [this.#lockOf(period)]);
    const values = [period.budget, period.period, source, clockMs(moment)];
    const [found] = checked(
      await client.query<TotalColumn | RowColumn | 'now_ms' | 'format'>(this.#texts.row, values),
    );
    return { total: found && toTotal(found), row: found && toRow(found), nowMs: Number(found?.now_ms) };
  }

  #lockOf({ budget, period }: BudgetPeriod): string {
    return JSON.stringify([this.#parts.schema, budget, period]);
  }

  /** Others with something reserved whose lease has ended. */
  async #ended(
    client: HeldClient,
    { budget, period, runId }: BudgetRequest,
    moment: LeaseMoment,
  ): Promise<readonly HeldSpending[]> {
    const { clockMs, hasHolderEnded } = this.#parts;
    const values = [budget, period, runId, clockMs(moment)];
    const found = await client.query<RowColumn | 'source' | 'holder' | 'is_held'>(this.#texts.held, values);
    return found.flatMap((each) => {
      const row = toRow(each);
      const isAlive = each.is_held === 't' && !hasHolderEnded(each.holder);
      return isAlive || row === undefined || each.source === null ? [] : [{ source: each.source, row }];
    });
  }

  async #writeRow(
    client: HeldClient,
    { budget, period }: BudgetPeriod,
    source: string,
    { spent, upTo, holder }: SpendingRow,
  ): Promise<void> {
    const by = [holder?.sessionId ?? null, holder?.owner ?? null];
    const amounts = [spent, upTo].map((each) => JSON.stringify(each));
    await client.query(this.#texts.writeRow, [budget, period, source, ...by, ...amounts]);
  }

  async #writeTotal(
    client: HeldClient,
    { budget, period }: BudgetPeriod,
    total: SpendingTotal,
  ): Promise<void> {
    await client.query(this.#texts.writeTotal, [budget, period, ...totalTexts(total)]);
  }
}

/** Who locks several takes them in this order, so that no two wait for each other. */
function inLockOrder<T>(items: readonly T[], periodOf: (item: T) => BudgetPeriod): readonly T[] {
  const nameOf = (item: T): string => budgetNameOf(periodOf(item));
  return [...items].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

function toTotal({ total_spent, taken, largest_turn }: PostgresRow<TotalColumn>): SpendingTotal | undefined {
  if (total_spent === null || taken === null || largest_turn === null) return undefined;
  return totalFrom(total_spent, taken, largest_turn);
}

/** Written from amounts. */
function toRow({ session_id, owner, spent, up_to }: PostgresRow<RowColumn>): SpendingRow | undefined {
  if (spent === null || up_to === null) return undefined;
  const holder = session_id === null || owner === null ? undefined : { sessionId: session_id, owner };
  return { spent: JSON.parse(spent), upTo: JSON.parse(up_to), holder };
}
