import {
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  type HeldSpending,
  reserveShare,
  type SpendingHolder,
  type SpendingRow,
  type SpendingTotal,
  spendingOf,
  spendMore,
} from '../../../core/runtime/index.ts';
import type { LeaseMoment } from '../../journal/index.ts';
import type { HeldClient, PostgresRow } from '../database/index.ts';
import type { PostgresLedgerParts } from './ledger-parts.ts';
import { spendingTextsOf } from './spending-texts.ts';

type TotalColumn = 'total_spent' | 'taken' | 'largest_turn';
type RowColumn = 'session_id' | 'owner' | 'spent' | 'up_to';

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
    const { total, row } = await this.#locked(client, request, runId);
    let reserved = reserveShare(total, row, request, lease);
    if (reserved.isShort)
      reserved = reserveShare(total, row, request, lease, await this.#ended(client, request, moment));
    for (const freed of reserved.freed) await this.#writeRow(client, request, freed.source, freed.row);
    await this.#writeRow(client, request, runId, reserved.row);
    await this.#writeTotal(client, request, reserved.total);
    return reserved.share;
  }

  async spend(client: HeldClient, source: string, spends: BudgetSpends): Promise<void> {
    const before = await this.#locked(client, spends, source);
    const { total, row } = spendMore(before.total, before.row, spends);
    await this.#writeRow(client, spends, source, row);
    await this.#writeTotal(client, spends, total);
  }

  /** Counts what a run says of its budgets, always in the same order: each is locked until the end of the transaction. */
  async spendAll(client: HeldClient, runId: string, spends: readonly BudgetSpends[]): Promise<void> {
    const nameOf = ({ budget, period }: BudgetPeriod): string => JSON.stringify([budget, period]);
    const inOrder = [...spends].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
    for (const each of inOrder) await this.spend(client, runId, each);
  }

  async spending({ budget, period }: BudgetPeriod): Promise<BudgetSpending> {
    const { database, checked } = this.#parts;
    const found = await database.query<TotalColumn | 'format'>(this.#texts.spending, [budget, period]);
    const [row] = checked(found);
    return spendingOf(row && toTotal(row));
  }

  /** What a budget has, which no one else reads or writes until the end of the transaction. */
  async #locked(
    client: HeldClient,
    { budget, period }: BudgetPeriod,
    source: string,
  ): Promise<{ readonly total: SpendingTotal | undefined; readonly row: SpendingRow | undefined }> {
    await client.query(this.#texts.lock, [JSON.stringify([this.#parts.schema, budget, period])]);
    const values = [budget, period, source];
    const [found] = this.#parts.checked(
      await client.query<TotalColumn | RowColumn | 'format'>(this.#texts.row, values),
    );
    return { total: found && toTotal(found), row: found && toRow(found) };
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
    { spent, taken, largestTurn }: SpendingTotal,
  ): Promise<void> {
    const amounts = [spent, taken, largestTurn].map((each) => JSON.stringify(each));
    await client.query(this.#texts.writeTotal, [budget, period, ...amounts]);
  }
}

/** Written from amounts. */
function toTotal({ total_spent, taken, largest_turn }: PostgresRow<TotalColumn>): SpendingTotal | undefined {
  if (total_spent === null || taken === null || largest_turn === null) return undefined;
  return { spent: JSON.parse(total_spent), taken: JSON.parse(taken), largestTurn: JSON.parse(largest_turn) };
}

/** Written from amounts. */
function toRow({ session_id, owner, spent, up_to }: PostgresRow<RowColumn>): SpendingRow | undefined {
  if (spent === null || up_to === null) return undefined;
  const holder = session_id === null || owner === null ? undefined : { sessionId: session_id, owner };
  return { spent: JSON.parse(spent), upTo: JSON.parse(up_to), holder };
}
