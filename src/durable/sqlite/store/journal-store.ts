import {
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  emptyInbox,
  type IsAlive,
  inboxOf,
  type JournalBatch,
  type JournaledRun,
  type JournalRow,
  type KeptOnce,
  listRuns,
  type OnceAnswer,
  type OnceCall,
  type OnceFilter,
  type OnceKey,
  type OnceOutcome,
  type OncePurpose,
  type RunFilter,
  type RunInbox,
  type RunLeaseIdentity,
  type RunMessage,
  type RunSummary,
  rowsWith,
} from '../../../core/runtime/index.ts';
import {
  type AcquiredLease,
  busy,
  fenced,
  type LeaseKey,
  type LeaseMoment,
  migrated,
} from '../../journal/index.ts';
import type { SqliteDatabase, SqliteStatement } from './database.ts';
import { isOver, isTimeUp, type LeaseTimes } from './lease-times.ts';
import { LedgerStore } from './ledger-store.ts';
import type { JournalOperations } from './operations.ts';
import { SpendingStore } from './spending-store.ts';

// Drivers may be set up to return integers as bigint.
type Integer = number | bigint;

interface LeaseRecord extends LeaseTimes {
  readonly owner: string;
  readonly epoch: Integer;
  /** That of the journal. */
  readonly format: Integer;
}

interface RunRecord {
  readonly id: Integer;
  readonly run_id: string;
  readonly session_id: string;
  readonly row_count: Integer;
  readonly summary: string;
  readonly status: RunSummary['status'];
}

/** A run that rows are appended to. */
type AppendedRun = Pick<RunRecord, 'id' | 'session_id' | 'row_count' | 'status'>;

/** A run, and the lease of its session where there is one. */
type ListedRecord = RunRecord & (LeaseTimes | { readonly until_ms: null });

const times = 'until_ms, timeout_ms, tick_ms, process';

const listed = `select run_id, wink_runs.session_id, row_count, summary, ${times}
    from wink_runs left join wink_leases on wink_leases.session_id = wink_runs.session_id`;

const texts = {
  format: 'select format from wink_journal',
  lease: `select owner, epoch, ${times}, format from wink_leases, wink_journal where session_id = ?`,
  takeEpoch: 'update wink_journal set epochs = epochs + 1',
  epoch: 'select epochs from wink_journal',
  takeLease: 'insert or replace into wink_leases values (?, ?, ?, ?, ?, ?, ?)',
  renewLease: 'update wink_leases set until_ms = ?, timeout_ms = ?, tick_ms = ? where session_id = ?',
  dropLease: 'delete from wink_leases where session_id = ? and owner = ?',
  run: 'select id, session_id, row_count, status from wink_runs where run_id = ?',
  insertRun: `insert into wink_runs (run_id, session_id, updated_at_ms, row_count, summary, status)
    values (?, ?, ?, ?, ?, ?) returning id`,
  updateRun: 'update wink_runs set updated_at_ms = ?, row_count = ?, summary = ? where id = ?',
  updateStatus: 'update wink_runs set status = ? where id = ?',
  insertRow: 'insert into wink_rows values (? << 32 | ?, ?, ?)',
  rows: `select wink_rows.id & 0xffffffff as seq, type, line from wink_runs join wink_rows
    on wink_rows.id between wink_runs.id << 32 | ? and wink_runs.id << 32 | 0xffffffff
    where run_id = ? order by wink_rows.id`,
  insertMessage: 'insert or ignore into wink_inbox (run_id, id, message) values (?, ?, ?)',
  messages: 'select message from wink_inbox where run_id = ? and taken_seq is null order by number',
  takeMessage: 'update wink_inbox set taken_seq = ? where run_id = ? and id = ? and taken_seq is null',
  dropMessages: 'delete from wink_inbox where run_id = ?',
  dropRows: 'delete from wink_rows where id between ? << 32 and ? << 32 | 0xffffffff',
  dropRun: 'delete from wink_runs where id = ?',
} as const;

/**
 * The tables of a journal. It opens no transaction: each operation runs in one of its caller's.
 *
 * Epochs are counted for the whole journal, so that they grow for each session although a lease leaves no row when it ends.
 *
 * Every operation that reads rows or writes them throws a `JournalError` once a later version has migrated the journal.
 */
export class JournalStore implements JournalOperations {
  readonly #database: SqliteDatabase;
  readonly #format: number;
  readonly #ledger: LedgerStore = new LedgerStore((text) => this.#prepared(text));
  readonly #spending: SpendingStore = new SpendingStore((text) => this.#prepared(text));
  /** By their texts. */
  readonly #statements = new Map<string, SqliteStatement>();

  /** @param format that of the tables when the database was opened. */
  constructor(database: SqliteDatabase, format: number) {
    this.#database = database;
    this.#format = format;
  }

  append(batch: JournalBatch, lease: LeaseKey, moment: LeaseMoment): RunInbox {
    const { runId, rows, summary, takes = [], once, spends = [] } = batch;
    this.#checkLease(lease, moment);
    // The row has the columns of its statement.
    const run = this.#statement('run').get(runId) as AppendedRun | undefined;
    const kept = run && { sessionId: run.session_id, rows: Number(run.row_count) };
    const next = rowsWith(batch, lease.sessionId, kept);
    const text = JSON.stringify(summary);
    let id = run?.id;
    if (id === undefined) {
      const insert = this.#statement('insertRun');
      // It returns the id of what it has inserted.
      const created = insert.get(runId, lease.sessionId, summary.updatedAtMs, next, text, summary.status);
      ({ id } = created as Pick<RunRecord, 'id'>);
    } else this.#statement('updateRun').run(summary.updatedAtMs, next, text, id);
    // Only where it differs: it is in an index.
    if (run !== undefined && run.status !== summary.status)
      this.#statement('updateStatus').run(summary.status, id);
    for (const { seq, type, line } of rows) this.#statement('insertRow').run(id, seq, type, line);
    for (const message of takes) this.#statement('takeMessage').run(next - 1, runId, message);
    if (once !== undefined) this.#ledger.change(once, lease);
    for (const each of spends) this.#spending.spend(runId, each, moment.nowMs);
    return this.#inbox(runId);
  }

  read(runId: string, from: number): readonly JournalRow[] {
    this.#checkFormat();
    // The rows have the columns of their statement.
    const found = this.#statement('rows').all(from, runId) as { seq: Integer; type: string; line: string }[];
    return found.map(({ seq, type, line }) => ({ seq: Number(seq), type, line }));
  }

  acquire(
    sessionId: string,
    owner: string,
    moment: LeaseMoment,
    ended: RunLeaseIdentity | undefined,
  ): AcquiredLease {
    const held = this.#leaseToTake(sessionId, moment, ended);
    this.#statement('takeEpoch').run();
    // The table has exactly one row.
    const { epochs } = this.#statement('epoch').get() as { epochs: Integer };
    const { nowMs, timeoutMs, tickMs, holder } = moment;
    const until = [nowMs + timeoutMs, timeoutMs, tickMs ?? null] as const;
    this.#statement('takeLease').run(sessionId, owner, Number(epochs), ...until, holder);
    return { epoch: Number(epochs), formerOwner: held?.owner };
  }

  /**
   * Refuses what `acquire` would refuse now, and only reads. Asked before the transaction of `acquire`: who waits for a lease asks again and again, and would keep the owner
   * from the lock that renewing it takes.
   *
   * @throws {SessionBusyError} while another owner has the session.
   */
  assertFree(...[sessionId, , moment, ended]: Parameters<JournalOperations['acquire']>): void {
    this.#leaseToTake(sessionId, moment, ended);
  }

  renew(leases: readonly LeaseKey[], moment: LeaseMoment): readonly string[] {
    const lost: string[] = [];
    for (const lease of leases) {
      // One that has run out, and that no one has taken over, is renewed as well.
      if (isSame(this.#lease(lease.sessionId), lease)) this.#renewOne(lease, moment);
      else lost.push(lease.owner);
    }
    return lost;
  }

  release({ sessionId, owner }: LeaseKey): void {
    this.#statement('dropLease').run(sessionId, owner);
  }

  revoke(sessionId: string): string | undefined {
    const owner = this.#lease(sessionId)?.owner;
    if (owner !== undefined) this.#statement('dropLease').run(sessionId, owner);
    return owner;
  }

  send(runId: string, message: RunMessage): RunInbox | undefined {
    this.#checkFormat();
    if (this.#statement('run').get(runId) === undefined) return undefined;
    this.#statement('insertMessage').run(runId, message.id, JSON.stringify(message));
    return this.#inbox(runId);
  }

  messages(runId: string): readonly RunMessage[] {
    this.#checkFormat();
    return this.#messages(runId);
  }

  inboxes(runIds: readonly string[]): readonly RunInbox[] {
    this.#checkFormat();
    return runIds.map((runId) => this.#inbox(runId));
  }

  runs(filter: RunFilter, moment: LeaseMoment): readonly JournaledRun[] {
    this.#checkFormat();
    const { text, values } = selectRuns(filter);
    // The rows have the columns of their statement.
    const found = this.#prepared(text).all(...values) as ListedRecord[];
    const runs = found.map((record) => ({
      runId: record.run_id,
      sessionId: record.session_id,
      rows: Number(record.row_count),
      // Written by `append`, from a summary.
      summary: JSON.parse(record.summary) as RunSummary,
      isHeld: record.until_ms !== null && !isOver(record, moment),
    }));
    return listRuns(runs, filter, moment.nowMs);
  }

  remove(runId: string, lease: LeaseKey | undefined, moment: LeaseMoment): void {
    this.#checkFormat();
    // The row has the columns of its statement.
    const run = this.#statement('run').get(runId) as Pick<RunRecord, 'id' | 'session_id'> | undefined;
    if (run === undefined) return;
    const held = this.#lease(run.session_id);
    const hasEnded = held !== undefined && isOver(held, moment);
    if (held !== undefined && !hasEnded && !isSame(held, lease)) throw busy(run.session_id);
    this.#statement('dropRows').run(run.id, run.id);
    this.#statement('dropMessages').run(runId);
    this.#statement('dropRun').run(run.id);
    if (hasEnded && !isSame(held, lease)) this.#statement('dropLease').run(run.session_id, held.owner);
  }

  once(call: OnceCall, lease: LeaseKey, purpose: OncePurpose, moment: LeaseMoment): OnceAnswer {
    this.#checkLease(lease, moment);
    return this.#ledger.once(call, lease, purpose, this.#isAlive(moment));
  }

  onceKeys(filter: OnceFilter, moment: LeaseMoment): readonly KeptOnce[] {
    this.#checkFormat();
    return this.#ledger.keys(filter, this.#isAlive(moment));
  }

  settleOnce(key: OnceKey, outcome: OnceOutcome, moment: LeaseMoment): KeptOnce | undefined {
    this.#checkFormat();
    return this.#ledger.settle(key, outcome, this.#isAlive(moment));
  }

  pruneOnce(beforeMs: number): number {
    this.#checkFormat();
    return this.#ledger.prune(beforeMs);
  }

  reserve(request: BudgetRequest, lease: LeaseKey, moment: LeaseMoment): BudgetShare {
    this.#checkLease(lease, moment);
    return this.#spending.reserve(request, lease, moment.nowMs, this.#isAlive(moment));
  }

  spend(source: string, spends: BudgetSpends, moment: LeaseMoment): void {
    this.#checkFormat();
    this.#spending.spend(source, spends, moment.nowMs);
  }

  budgets(filter: Partial<BudgetPeriod>, moment: LeaseMoment): readonly BudgetSpending[] {
    this.#checkFormat();
    return this.#spending.list(filter, this.#isAlive(moment));
  }

  pruneBudgets(beforeMs: number, moment: LeaseMoment): number {
    this.#checkFormat();
    return this.#spending.prune(beforeMs, this.#isAlive(moment));
  }

  /** The lease that a new one replaces, if there is one. @throws {SessionBusyError} */
  #leaseToTake(
    sessionId: string,
    moment: LeaseMoment,
    ended: RunLeaseIdentity | undefined,
  ): LeaseRecord | undefined {
    this.#checkFormat();
    const held = this.#lease(sessionId);
    if (held !== undefined && !isSame(held, ended) && !isOver(held, moment)) throw busy(sessionId);
    return held;
  }

  #isAlive(moment: LeaseMoment): IsAlive {
    return ({ sessionId, owner }) => {
      const held = this.#lease(sessionId);
      return held?.owner === owner && !isOver(held, moment);
    };
  }

  /** Renews a lease whose time is up, where no other owner has taken it. @throws {JournalFencedError} */
  #checkLease(lease: LeaseKey, moment: LeaseMoment): void {
    const held = this.#lease(lease.sessionId);
    if (held === undefined || !isSame(held, lease)) throw fenced(lease);
    if (isTimeUp(held, moment)) this.#renewOne(lease, moment);
  }

  #renewOne({ sessionId }: LeaseKey, { nowMs, timeoutMs, tickMs }: LeaseMoment): void {
    this.#statement('renewLease').run(nowMs + timeoutMs, timeoutMs, tickMs ?? null, sessionId);
  }

  #inbox(runId: string): RunInbox {
    const messages = this.#statement('messages').all(runId);
    return messages.length === 0 ? emptyInbox : inboxOf(messages.map(toMessage));
  }

  #messages(runId: string): readonly RunMessage[] {
    return this.#statement('messages').all(runId).map(toMessage);
  }

  #lease(sessionId: string): LeaseRecord | undefined {
    // The row has the columns of its statement.
    const lease = this.#statement('lease').get(sessionId) as LeaseRecord | undefined;
    if (lease !== undefined) this.#checkFormat(lease);
    return lease;
  }

  /** @param record a row that was read with the format. Default: it is read. */
  #checkFormat(record?: Pick<LeaseRecord, 'format'>): void {
    // The table has exactly one row.
    const { format } = record ?? (this.#statement('format').get() as Pick<LeaseRecord, 'format'>);
    if (Number(format) !== this.#format) throw migrated(this.#format, Number(format));
  }

  #statement(name: keyof typeof texts): SqliteStatement {
    return this.#prepared(texts[name]);
  }

  #prepared(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** Written by `send`, from a message. @param row with the column of its statement. */
function toMessage(row: unknown): RunMessage {
  return JSON.parse((row as { readonly message: string }).message) as RunMessage;
}

/** What finds the runs of a filter, with others perhaps: whether a session is held is known afterwards. */
function selectRuns({
  runId,
  sessionId,
  workspace,
  status,
  ready,
  updatedBeforeMs,
  order,
  limit,
}: RunFilter): {
  readonly text: string;
  readonly values: readonly (string | number)[];
} {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, ...given: readonly (string | number)[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (runId !== undefined) where('run_id = ?', runId);
  if (sessionId !== undefined) where('wink_runs.session_id = ?', sessionId);
  if (workspace !== undefined) where("json_extract(summary, '$.workspace') = ?", workspace);
  if (updatedBeforeMs !== undefined) where('updated_at_ms < ?', updatedBeforeMs);
  const dependsOnLease = status === 'running' || status === 'interrupted';
  if (status !== undefined) where('status = ?', dependsOnLease ? 'running' : status);
  else if (ready === true) where("status in ('running', 'suspended')");
  const ordered = order === 'oldest' ? 'order by updated_at_ms, id' : 'order by updated_at_ms desc, id';
  const isExact = !dependsOnLease && ready !== true;
  if (isExact && limit !== undefined) values.push(limit);
  const text = [
    listed,
    conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
    ordered,
    isExact && limit !== undefined ? 'limit ?' : '',
  ].join(' ');
  return { text, values };
}

function isSame(held: LeaseRecord | undefined, lease: RunLeaseIdentity | undefined): boolean {
  return held !== undefined && held.owner === lease?.owner && Number(held.epoch) === lease.epoch;
}
