import { JournalError } from '../../../core/error/index.ts';
import {
  emptyInbox,
  type JournalBatch,
  type JournaledRun,
  type JournalRow,
  listRuns,
  type RunFilter,
  type RunInbox,
  type RunLeaseIdentity,
  type RunMessage,
  type RunSummary,
  readyFromMs,
  rowsWith,
} from '../../../core/runtime/index.ts';
import { hasEnded, holderIn } from '../../../host/lock/index.ts';
import {
  type AcquiredLease,
  busy,
  fenced,
  type JournalBackend,
  type LeaseKey,
  type LeaseMoment,
  migrated,
} from '../../journal/index.ts';
import {
  type HeldClient,
  type PostgresDatabase,
  type PostgresRow,
  quoted,
  sqlStateOf,
} from '../database/index.ts';
import { type DecidedPart, DecidingCalls } from './deciding-calls.ts';
import { PostgresLedger } from './ledger-backend.ts';
import { dependOnLeases, listRunsText } from './list-text.ts';
import { postgresSchema } from './schema.ts';
import { textsOf } from './texts.ts';

/** What a {@link PostgresBackend} is made of. */
export interface PostgresBackendParts {
  readonly database: PostgresDatabase;
  /** The schema of the tables, which was checked. */
  readonly schema: string;
  /** Whether leases last by the clock of the caller. Otherwise that of the database decides, which all machines share. */
  readonly hasClock: boolean;
}

type Texts = ReturnType<typeof textsOf>;

/** The tables of a journal in a database of PostgreSQL. */
export class PostgresBackend implements JournalBackend {
  /** The calls that a resource on the same database has left to a row. */
  readonly calls: DecidingCalls = new DecidingCalls();
  readonly #parts: PostgresBackendParts;
  readonly ledger: PostgresLedger;
  readonly #texts: Texts;
  /** The last append of each run that has appends under way: several connections would change their order. */
  readonly #appends = new Map<string, Promise<unknown>>();

  constructor(parts: PostgresBackendParts) {
    this.#parts = parts;
    this.#texts = textsOf(quoted(parts.schema));
    this.ledger = new PostgresLedger({
      database: parts.database,
      schema: quoted(parts.schema),
      checked: (rows) => this.#checked(rows),
      explained: (work) => this.#explained(work),
      clockMs: (moment) => this.#clockMs(moment),
      hasHolderEnded,
    });
  }

  append(batch: JournalBatch, lease: LeaseKey, moment: LeaseMoment): Promise<RunInbox> {
    const { runId } = batch;
    const before = this.#appends.get(runId);
    const append = (): Promise<RunInbox> => this.#append(batch, lease, moment);
    const appended = before === undefined ? append() : before.then(append, append);
    this.#appends.set(runId, appended);
    const end = (): void => {
      if (this.#appends.get(runId) === appended) this.#appends.delete(runId);
    };
    appended.then(end, end);
    return appended;
  }

  async read(runId: string, from: number): Promise<readonly JournalRow[]> {
    const found = await this.#query<'seq' | 'type' | 'line'>('read', [runId, from]);
    return found.flatMap(({ seq, type, line }) =>
      seq === null || type === null || line === null ? [] : [{ seq: Number(seq), type, line }],
    );
  }

  async acquire(
    sessionId: string,
    owner: string,
    moment: LeaseMoment,
    ended: RunLeaseIdentity | undefined,
  ): Promise<AcquiredLease> {
    const values = [sessionId, owner, moment.timeoutMs, this.#clockMs(moment)];
    const [found] = await this.#query<'epoch' | 'owner' | 'former_epoch' | 'holder'>('acquire', [
      ...[...values, ended?.owner ?? null, ended?.epoch ?? null],
      ...[moment.holder, postgresSchema.format],
    ]);
    const formerOwner = found?.owner ?? undefined;
    if (found?.epoch == null) {
      const isDead = found !== undefined && hasHolderEnded(found.holder) && formerOwner !== ended?.owner;
      if (formerOwner === undefined || !isDead) throw busy(sessionId);
      return this.acquire(sessionId, owner, moment, {
        owner: formerOwner,
        epoch: Number(found.former_epoch),
      });
    }
    if (formerOwner !== undefined) this.calls.letGo(formerOwner);
    this.calls.hold(owner);
    return { epoch: Number(found.epoch), formerOwner };
  }

  async renew(leases: readonly LeaseKey[], moment: LeaseMoment): Promise<readonly string[]> {
    const owners = leases.map(({ owner }) => owner);
    const kept = await this.#execute<'owner'>('renew', [
      ...[moment.timeoutMs, this.#clockMs(moment)],
      ...[leases.map(({ sessionId }) => sessionId), owners, leases.map(({ epoch }) => epoch)],
    ]);
    const held = new Set(kept.map(({ owner }) => owner));
    const lost = owners.filter((owner) => !held.has(owner));
    for (const owner of lost) this.calls.letGo(owner);
    return lost;
  }

  async release({ sessionId, owner }: LeaseKey): Promise<void> {
    this.calls.letGo(owner);
    await this.#execute('release', [sessionId, owner]);
  }

  async revoke(sessionId: string): Promise<string | undefined> {
    const [revoked] = await this.#execute<'owner'>('revoke', [sessionId]);
    const owner = revoked?.owner ?? undefined;
    if (owner !== undefined) this.calls.letGo(owner);
    return owner;
  }

  async send(runId: string, message: RunMessage): Promise<RunInbox | undefined> {
    const { id, kind } = message;
    const values = [runId, JSON.stringify(id), kind, JSON.stringify(message)];
    const [sent] = await this.#query<'id' | InboxColumn>('send', values);
    return sent?.id == null ? undefined : inboxIn(sent);
  }

  async messages(runId: string): Promise<readonly RunMessage[]> {
    const found = await this.#query<'message'>('messages', [runId]);
    // Written by `send`, from a message.
    return found.flatMap(({ message }) => (message === null ? [] : [JSON.parse(message) as RunMessage]));
  }

  async inboxes(runIds: readonly string[]): Promise<readonly RunInbox[]> {
    return (await this.#query<InboxColumn>('inboxes', [runIds])).map(inboxIn);
  }

  async runs(filter: RunFilter, moment: LeaseMoment): Promise<readonly JournaledRun[]> {
    const clockMs = this.#clockMs(moment);
    const ended = dependOnLeases(filter) ? await this.#endedHolders(clockMs) : [];
    const { text, values } = listRunsText(quoted(this.#parts.schema), filter, clockMs, ended);
    const found = this.#checked(await this.#run<ListColumn>(text, values));
    const runs = found.flatMap(({ run_id: runId, session_id: sessionId, row_count: rows, ...run }) => {
      if (runId === null || sessionId === null || run.summary === null) return [];
      const isHeld = run.is_held === 't' && !hasHolderEnded(run.holder);
      // Written by `append`, from a summary.
      return [
        { runId, sessionId, rows: Number(rows), summary: JSON.parse(run.summary) as RunSummary, isHeld },
      ];
    });
    return listRuns(runs, filter, Number(found[0]?.now_ms));
  }

  async remove(runId: string, lease: LeaseKey | undefined, moment: LeaseMoment): Promise<void> {
    const { database } = this.#parts;
    const clockMs = this.#clockMs(moment);
    await this.#explained(() =>
      database.withClient(async (client) => {
        const on = <Column extends string>(name: keyof Texts, values: readonly unknown[]) =>
          client.query<Column>(this.#texts[name], values);
        await client.query('begin isolation level read committed');
        // Rows that are being appended are there then.
        const [run] = this.#checked(await on<'format' | 'id' | 'session_id'>('lockRun', [runId]));
        if (run?.id == null) return client.query('rollback');
        const [held] = await on<'owner' | 'epoch' | 'holder' | 'is_over'>('lease', [run.session_id, clockMs]);
        const isOver = held !== undefined && (held.is_over === 't' || hasHolderEnded(held.holder));
        const isOwn =
          held !== undefined && held.owner === lease?.owner && Number(held.epoch) === lease?.epoch;
        if (held !== undefined && !isOver && !isOwn) throw busy(run.session_id ?? '');
        await on('remove', [run.id, run.session_id, isOver && !isOwn ? held.owner : null]);
        return client.query('commit');
      }),
    );
  }

  /** The pool is its caller's to end. */
  async close(): Promise<void> {
    this.calls.letAllGo();
  }

  isDamage(error: unknown): boolean {
    return ['XX001', 'XX002'].includes(sqlStateOf(error) ?? '');
  }

  async #append(batch: JournalBatch, lease: LeaseKey, moment: LeaseMoment): Promise<RunInbox> {
    const { rows } = batch;
    assertStorable(batch);
    if (rows.some(({ seq }, at) => seq !== (rows[0]?.seq ?? 0) + at)) return this.#refuse(batch, lease);
    let inbox = emptyInbox;
    for (const part of this.calls.partsOf(batch, lease.owner))
      inbox = await this.#appendPart(part, lease, moment);
    return inbox;
  }

  async #appendPart({ batch, call }: DecidedPart, lease: LeaseKey, moment: LeaseMoment): Promise<RunInbox> {
    const values = appendValues(batch, lease, moment.timeoutMs, this.#clockMs(moment));
    const { once = [], spends = [] } = batch;
    const appendOn = async (client: HeldClient): Promise<readonly PostgresRow<AppendColumn>[]> => {
      const appended = await client.query<AppendColumn>(this.#texts.append, values);
      if (isWritten(appended)) {
        await this.ledger.change(client, once, lease, moment);
        await this.ledger.spending.spendAll(client, batch.runId, spends, moment);
      }
      return appended;
    };
    const isWritten = ([row]: readonly PostgresRow<AppendColumn>[]): boolean => row?.id != null;
    const appended = this.#checked(
      await this.#explained(() => {
        if (call !== undefined) return this.calls.decide(call, appendOn, isWritten);
        return once.length + spends.length === 0
          ? this.#parts.database.query<AppendColumn>(this.#texts.append, values)
          : this.ledger.inTransaction(appendOn, isWritten);
      }),
    );
    const [row] = appended;
    if (row !== undefined && isWritten(appended)) return inboxIn(row);
    if (row?.held !== '0') return this.#refuse(batch, lease);
    this.calls.letGo(lease.owner);
    throw fenced(lease);
  }

  /** @throws {JournalFencedError} for rows that do not follow those of the run. */
  async #refuse(batch: JournalBatch, lease: LeaseKey): Promise<never> {
    const [run] = await this.#query<'session_id' | 'row_count'>('run', [batch.runId]);
    const kept =
      run?.session_id == null ? undefined : { sessionId: run.session_id, rows: Number(run.row_count) };
    rowsWith(batch, lease.sessionId, kept);
    throw new Error('the run was changed while rows were appended to it');
  }

  #clockMs({ nowMs }: LeaseMoment): number | null {
    return this.#parts.hasClock ? nowMs : null;
  }

  /** Those who hold leases and have ended, as far as it can be seen from here. */
  async #endedHolders(clockMs: number | null): Promise<readonly string[]> {
    const found = await this.#query<'holder'>('holders', [clockMs]);
    return found.flatMap(({ holder }) => (holder !== null && hasHolderEnded(holder) ? [holder] : []));
  }

  /** Executes a statement that reads the format, too, and checks it. */
  async #query<Column extends string>(
    name: keyof Texts,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow<Column | 'format'>[]> {
    return this.#checked(await this.#execute<Column | 'format'>(name, values));
  }

  #execute<Column extends string>(
    name: keyof Texts,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow<Column>[]> {
    return this.#run(this.#texts[name], values);
  }

  #run<Column extends string>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow<Column>[]> {
    return this.#explained(() => this.#parts.database.query<Column>(text, values));
  }

  /** @throws {JournalError} when the tables have another format. */
  #checked<Row extends PostgresRow<'format'>>(rows: readonly Row[]): readonly Row[] {
    const [first] = rows;
    if (first !== undefined && Number(first.format) !== postgresSchema.format)
      throw formatError(first.format, this.#parts.schema);
    return rows;
  }

  /** What fails because of other tables, or none, says so. */
  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isOfTables(error)) throw error;
      const { database, schema } = this.#parts;
      let format: string | null = null;
      try {
        const [journal] = await database.query<'format'>(
          `select format from ${quoted(schema)}.wink_journal`,
          [],
        );
        format = journal?.format ?? null;
      } catch (failure) {
        if (!isOfTables(failure)) throw failure;
      }
      throw Number(format ?? undefined) === postgresSchema.format ? error : formatError(format, schema);
    }
  }
}

type InboxColumn = 'waiting' | 'is_cancelled';
type AppendColumn = 'format' | 'held' | 'id' | InboxColumn;
type ListColumn =
  | 'format'
  | 'now_ms'
  | 'run_id'
  | 'session_id'
  | 'row_count'
  | 'summary'
  | 'holder'
  | 'is_held';

function appendValues(
  { runId, rows, summary, takes = [] }: JournalBatch,
  { sessionId, owner, epoch }: LeaseKey,
  timeoutMs: number,
  clockMs: number | null,
): readonly unknown[] {
  const { updatedAtMs, status, workspace } = summary;
  return [
    ...[sessionId, owner, epoch, timeoutMs, clockMs],
    ...[runId, rows[0]?.seq ?? null, rows.length],
    ...[updatedAtMs, status, workspace === undefined ? null : JSON.stringify(workspace)],
    ...[readyFromMs(summary) ?? null, JSON.stringify(summary)],
    ...[rows.map(({ seq }) => seq), rows.map(({ type }) => type), rows.map(({ line }) => line)],
    ...[takes.map((id) => JSON.stringify(id)), postgresSchema.format],
  ];
}

const inboxIn = ({ waiting, is_cancelled }: PostgresRow<InboxColumn>): RunInbox => ({
  waiting: Number(waiting),
  isCancelled: is_cancelled === 't',
});

/** JSON escapes what PostgreSQL refuses, or keeps as another character. */
function assertStorable({ runId, rows }: JournalBatch): void {
  const refused = rows.find(({ type, line }) =>
    [type, line].some((text) => text.includes('\0') || !text.isWellFormed()),
  );
  if (refused === undefined) return;
  throw new JournalError(
    'journal-invalid',
    `Row ${refused.seq} of the run "${runId}" has U+0000 or half of a surrogate pair as a character, which PostgreSQL cannot keep. JSON.stringify() escapes both.`,
  );
}

const hasHolderEnded = (text: string | null): boolean => {
  const holder = text === null ? undefined : holderIn(text);
  return holder !== undefined && hasEnded(holder);
};

/** Whether a statement has failed because the schema, a table or a column is not there. */
const isOfTables = (error: unknown): boolean => ['3F000', '42P01', '42703'].includes(sqlStateOf(error) ?? '');

/** @param format that of the tables; null: there are none. */
function formatError(format: string | null, schema: string): JournalError {
  const version = Number(format ?? 0);
  const { format: present } = postgresSchema;
  if (version > present) return migrated(present, version);
  const found =
    format === null
      ? 'has no journal'
      : `has a journal of format ${version}, and this version writes format ${present}`;
  return new JournalError(
    'journal-version-unsupported',
    `The schema "${schema}" of the database ${found}. Run "wink journal migrate", or call migrate() of weakincentives/postgres, with a user who may create tables.`,
    { details: { version } },
  );
}
