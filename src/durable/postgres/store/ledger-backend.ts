import {
  answerOnce,
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  changeOnce,
  type IsAlive,
  type KeptOnce,
  keptOnce,
  listOnce,
  type OnceAnswer,
  type OnceCall,
  type OnceChange,
  type OnceFilter,
  type OnceKey,
  type OnceOutcome,
  type OncePurpose,
  type OnceRow,
  settledOnce,
} from '../../../core/runtime/index.ts';
import { fenced, type LeaseKey, type LeaseMoment, type LedgerBackend } from '../../journal/index.ts';
import type { HeldClient, PostgresRow } from '../database/index.ts';
import type { PostgresLedgerParts } from './ledger-parts.ts';
import { ledgerTextsOf } from './ledger-texts.ts';
import { postgresSchema } from './schema.ts';
import { PostgresSpending } from './spending-store.ts';

type KeyColumn =
  | 'tool'
  | 'key'
  | 'digest'
  | 'state'
  | 'call'
  | 'session_id'
  | 'owner'
  | 'by_call'
  | 'at_ms'
  | 'result'
  | 'holder'
  | 'is_held';

type KeyRow = PostgresRow<KeyColumn | 'format'>;

/** The tables of what tools have done once and of budgets, in a database of PostgreSQL. */
export class PostgresLedger implements LedgerBackend {
  readonly spending: PostgresSpending;
  readonly #parts: PostgresLedgerParts;
  readonly #texts: ReturnType<typeof ledgerTextsOf>;

  constructor(parts: PostgresLedgerParts) {
    this.#parts = parts;
    this.spending = new PostgresSpending(parts);
    this.#texts = ledgerTextsOf(parts.schema);
  }

  once(call: OnceCall, lease: LeaseKey, purpose: OncePurpose, moment: LeaseMoment): Promise<OnceAnswer> {
    return this.#parts.explained(() =>
      this.inTransaction(async (client) => {
        await this.#assertLease(client, lease, moment);
        const { row, isAlive } = await this.#locked(client, call, moment);
        const { answer, write } = answerOnce(row, call, lease, purpose, isAlive);
        if (write !== undefined) await this.#write(client, call, write);
        return answer;
      }),
    );
  }

  async onceKeys(filter: OnceFilter, moment: LeaseMoment): Promise<readonly KeptOnce[]> {
    const { database, checked, explained, clockMs } = this.#parts;
    const { toolName = null, key = null } = filter;
    const values = [clockMs(moment), toolName, key];
    const rows = await explained(() => database.query<KeyColumn | 'format'>(this.#texts.keys, values));
    const kept = checked(rows).map((row) => {
      const name = { toolName: row.tool ?? '', key: row.key ?? '' };
      return row.tool === null ? undefined : keptOnce(name, toRow(row), this.#isAlive(row));
    });
    return listOnce(kept, filter);
  }

  settleOnce(key: OnceKey, outcome: OnceOutcome, moment: LeaseMoment): Promise<KeptOnce | undefined> {
    return this.#parts.explained(() =>
      this.inTransaction(async (client) => {
        const { row, isAlive } = await this.#locked(client, key, moment);
        const kept = row && keptOnce(key, row, isAlive);
        if (row !== undefined && kept?.state === 'in-doubt')
          await this.#write(client, key, settledOnce(row, outcome));
        return kept;
      }),
    );
  }

  async pruneOnce(beforeMs: number): Promise<number> {
    const { database, checked, explained } = this.#parts;
    const values = [beforeMs, postgresSchema.format];
    const rows = await explained(() => database.query<'count' | 'format'>(this.#texts.prune, values));
    return Number(checked(rows)[0]?.count);
  }

  reserve(request: BudgetRequest, lease: LeaseKey, moment: LeaseMoment): Promise<BudgetShare> {
    return this.#parts.explained(() =>
      this.inTransaction(async (client) => {
        await this.#assertLease(client, lease, moment);
        return this.spending.reserve(client, request, lease, moment);
      }),
    );
  }

  spend(source: string, spends: BudgetSpends, moment: LeaseMoment): Promise<void> {
    return this.#parts.explained(() =>
      this.inTransaction((client) => this.spending.spend(client, source, spends, moment)),
    );
  }

  budgets(filter: Partial<BudgetPeriod>, moment: LeaseMoment): Promise<readonly BudgetSpending[]> {
    return this.#parts.explained(() => this.spending.list(filter, moment));
  }

  pruneBudgets(beforeMs: number, moment: LeaseMoment): Promise<number> {
    return this.#parts.explained(() => this.spending.prune(beforeMs, moment));
  }

  /**
   * Writes what a batch says of keys, in the transaction of its rows. The lease is locked there.
   *
   * @throws {JournalFencedError} for a call that begins and does not have its key.
   */
  async change(
    client: HeldClient,
    changes: readonly OnceChange[],
    lease: LeaseKey,
    moment: LeaseMoment,
  ): Promise<void> {
    for (const change of changes) {
      const { row } = await this.#locked(client, change, moment);
      await this.#write(client, change, changeOnce(row, change, lease));
    }
  }

  /** Does something in a transaction of its own. @param isDone whether it is committed. Default: it is. */
  inTransaction<T>(
    work: (client: HeldClient) => Promise<T>,
    isDone: (result: T) => boolean = () => true,
  ): Promise<T> {
    return this.#parts.database.withClient(async (client) => {
      await client.query('begin isolation level read committed');
      const result = await work(client);
      await client.query(isDone(result) ? 'commit' : 'rollback');
      return result;
    });
  }

  /** Locks the lease until the end of the transaction. @throws {JournalFencedError} */
  async #assertLease(client: HeldClient, lease: LeaseKey, moment: LeaseMoment): Promise<void> {
    const { checked, clockMs } = this.#parts;
    const { sessionId, owner, epoch } = lease;
    const values = [sessionId, owner, epoch, moment.timeoutMs, clockMs(moment), postgresSchema.format];
    const [found] = checked(await client.query<'format' | 'held'>(this.#texts.lease, values));
    if (found?.held !== '1') throw fenced(lease);
  }

  /** The row of a key, which no one else reads or writes until the end of the transaction. */
  async #locked(
    client: HeldClient,
    { toolName, key }: OnceKey,
    moment: LeaseMoment,
  ): Promise<{ readonly row: OnceRow | undefined; readonly isAlive: IsAlive }> {
    await client.query(this.#texts.lock, [JSON.stringify([this.#parts.schema, toolName, key])]);
    const values = [toolName, key, this.#parts.clockMs(moment)];
    const [row] = this.#parts.checked(await client.query<KeyColumn | 'format'>(this.#texts.key, values));
    if (row === undefined) return { row: undefined, isAlive: () => false };
    return { row: toRow(row), isAlive: this.#isAlive(row) };
  }

  /** Of the owner that a row names. */
  #isAlive({ is_held, holder }: KeyRow): IsAlive {
    const isAlive = is_held === 't' && !this.#parts.hasHolderEnded(holder);
    return () => isAlive;
  }

  async #write(client: HeldClient, { toolName, key }: OnceKey, row: OnceRow | undefined): Promise<void> {
    if (row === undefined) {
      await client.query(this.#texts.drop, [toolName, key]);
      return;
    }
    const { digest, state, call, holder, atMs, result } = row;
    await client.query(this.#texts.write, [
      ...[toolName, key, digest, state, call],
      ...[holder?.sessionId ?? null, holder?.owner ?? null, holder?.call ?? null],
      // JSON escapes what PostgreSQL refuses, or keeps as another character.
      ...[atMs, JSON.stringify(result)],
    ]);
  }
}

function toRow({ digest, state, call, session_id, owner, by_call, at_ms, result }: KeyRow): OnceRow {
  const holder =
    session_id === null || owner === null ? undefined : { sessionId: session_id, owner, call: by_call ?? '' };
  return {
    digest: digest ?? '',
    // Written from a row.
    state: state as OnceRow['state'],
    call: call ?? '',
    holder,
    atMs: Number(at_ms),
    result: JSON.parse(result ?? '""') as string,
  };
}
