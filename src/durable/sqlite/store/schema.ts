import type { FormatStep, Formats } from '../../journal/index.ts';
import type { SqliteDatabase } from './database.ts';

/** How the tables of a format become those of the next one. */
export interface Migration extends FormatStep {
  /** Changes tables and rows. It runs in a transaction, with the migrations before and after it. */
  upgrade(database: SqliteDatabase): void;
  /**
   * The tables that differ, as the next format has them: by name a `select` over tables of `from`, each under the name that `table` gives it. So an older
   * journal is read without being changed.
   */
  readAs(table: (name: string) => string): Readonly<Record<string, string>>;
}

/** The tables of a journal, and how those of earlier formats become them. */
export interface JournalSchema extends Formats<Migration> {
  /** The statements that create the tables. `temp`: for this connection only. */
  tables(place: 'main' | 'temp'): string;
}

const currentFormat = 4;

/**
 * A lease was renewed for the last time `timeout_ms` before `until_ms`, by the clock of the journal, and at `tick_ms` by that of its machine since it has
 * started; null: that is not known. `process`: the process that holds it, as JSON; '' where it is not known.
 */
const leaseColumns = `
    session_id text primary key, owner text not null, epoch integer not null, until_ms integer not null,
    timeout_ms integer not null, tick_ms integer, process text not null
  `;

/** `status`: that of the summary. */
const runColumns = `
    id integer primary key, run_id text not null unique, session_id text not null, updated_at_ms integer not null,
    row_count integer not null, summary text not null, status text not null
  `;

/** What others have said to a run, in the order of `number`; `taken_seq`: the row that took it, null while it waits. */
const inboxColumns = `
    number integer primary key, run_id text not null, id text not null, message text not null, taken_seq integer, unique (run_id, id)
  `;

/**
 * What tools have done once. `call`: the idempotency key of the call that claimed it, has begun it or did it. `session_id`, `owner` and `holder`: the call that has the key, and the lease that it has it
 * with; '' where no call has it. `result`: '' until it is done.
 */
const onceColumns = `
    tool text not null, key text not null, digest text not null, state text not null, call text not null, session_id text not null,
    owner text not null, holder text not null, at_ms integer not null, result text not null, primary key (tool, key)
  `;

/** What all runs of a budget spend in a period, as JSON: `taken` is spent or reserved, with the time of the last change. */
const budgetColumns = `
    budget text not null, period text not null, spent text not null, taken text not null, largest_turn text not null, primary key (budget, period)
  `;

/** What one run spends of a budget in a period, or answers after its end. `session_id`, `owner`: the lease that something is reserved under; '' where nothing is. */
const spendingColumns = `
    budget text not null, period text not null, source text not null, session_id text not null, owner text not null, spent text not null,
    up_to text not null, primary key (budget, period, source)
  `;

/** The indexes of runs. */
const runIndexes = (place: string): string => `
  create index if not exists ${place}.wink_runs_by_session on wink_runs (session_id);
  create index if not exists ${place}.wink_runs_by_status on wink_runs (status);
`;

/** The time-out of leases in format 2, unless its program named another one, in milliseconds. */
const timeoutOf2 = 30_000;

/**
 * The tables of this version. When they change, or what rows mean: raise the format, and add the migration of the one before.
 *
 * The id of a row is that of its run, shifted by 32 bits, with its number: the rows of a run lie together, and need no second tree to be found.
 *
 * A test refuses other tables until a fixture has them: `test/fixtures/stored/README.md`.
 *
 * @see docs/spec/durable-runs.md §1
 */
export const journalSchema: JournalSchema = {
  format: currentFormat,
  tables: (place) => `
  create table if not exists ${place}.wink_journal (
    one integer primary key check (one = 1), format integer not null, epochs integer not null
  );
  create table if not exists ${place}.wink_runs (${runColumns});
  ${runIndexes(place)}
  create table if not exists ${place}.wink_rows (id integer primary key, type text not null, line text not null);
  create table if not exists ${place}.wink_leases (${leaseColumns}) without rowid;
  create table if not exists ${place}.wink_inbox (${inboxColumns});
  create table if not exists ${place}.wink_once (${onceColumns}) without rowid;
  create table if not exists ${place}.wink_budgets (${budgetColumns}) without rowid;
  create table if not exists ${place}.wink_spending (${spendingColumns}) without rowid;
  insert or ignore into ${place}.wink_journal values (1, ${currentFormat}, 0);
`,
  migrations: [
    {
      from: 2,
      upgrade: (database) =>
        database.exec(`
  alter table wink_leases rename to wink_leases_2;
  create table wink_leases (${leaseColumns}) without rowid;
  insert into wink_leases ${leasesOf2('wink_leases_2')};
  drop table wink_leases_2;
  alter table wink_runs rename to wink_runs_2;
  create table wink_runs (${runColumns});
  insert into wink_runs ${runsOf2('wink_runs_2')};
  drop table wink_runs_2;
  ${runIndexes('main')}
  create table wink_inbox (${inboxColumns});
`),
      readAs: (table) => ({
        wink_leases: leasesOf2(table('wink_leases')),
        wink_runs: runsOf2(table('wink_runs')),
        wink_inbox: emptyInbox,
      }),
    },
    {
      from: 3,
      upgrade: (database) =>
        database.exec(`
  create table wink_once (${onceColumns}) without rowid;
  create table wink_budgets (${budgetColumns}) without rowid;
  create table wink_spending (${spendingColumns}) without rowid;
`),
      readAs: () => ({ wink_once: emptyOnce, wink_budgets: emptyBudgets, wink_spending: emptySpending }),
    },
  ],
};

/** Format 2 has no messages. */
const emptyInbox = "select 0 as number, '' as run_id, '' as id, '' as message, null as taken_seq where false";

/** Format 3 has no keys. */
const emptyOnce = `select '' as tool, '' as key, '' as digest, '' as state, '' as call, '' as session_id, '' as owner,
    '' as holder, 0 as at_ms, '' as result where false`;

/** Format 3 has no budgets. */
const emptyBudgets =
  "select '' as budget, '' as period, '' as spent, '' as taken, '' as largest_turn where false";
const emptySpending = `select '' as budget, '' as period, '' as source, '' as session_id, '' as owner, '' as spent,
    '' as up_to where false`;

/** A run of format 2 says how it is in its summary alone. */
function runsOf2(table: string): string {
  return `select id, run_id, session_id, updated_at_ms, row_count, summary, json_extract(summary, '$.status') as status from ${table}`;
}

/** A lease of format 2 lasts as long as it said, and says nothing of its process. */
function leasesOf2(table: string): string {
  return `select session_id, owner, epoch, until_ms, ${timeoutOf2} as timeout_ms, null as tick_ms, '' as process from ${table}`;
}
