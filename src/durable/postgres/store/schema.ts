import type { FormatStep, Formats } from '../../journal/index.ts';

/** How the tables of a format become those of the next one. */
export interface PostgresMigration extends FormatStep {
  /** The statements, which run in one transaction with those before and after. @param schema as it is written in statements. */
  upgrade(schema: string): readonly string[];
}

/** The tables of a journal, and how those of earlier formats become them. */
export interface PostgresSchema extends Formats<PostgresMigration> {
  /** The statements that create the tables. @param schema as it is written in statements. */
  tables(schema: string): readonly string[];
}

const currentFormat = 1;

/**
 * The tables of this version. When they change, or what rows mean: raise the format, and add the migration of the one before.
 *
 * Rows are `text`, never `jsonb`, which refuses U+0000 and does not keep the bytes. Names and ids that others choose are JSON texts for the same reason. What each append changes is
 * in no index, so that an append writes none: `ready_ms` and `status` are those of the summary.
 *
 * @see docs/spec/durable-runs.md §18
 */
export const postgresSchema: PostgresSchema = {
  format: currentFormat,
  tables: (schema) => [
    `create table ${schema}.wink_journal (one boolean primary key default true check (one), format integer not null)`,
    // A table that counts would let all owners wait for one another.
    `create sequence ${schema}.wink_epochs`,
    `create table ${schema}.wink_runs (
      id bigint generated always as identity primary key, run_id text not null unique, session_id text not null, updated_at_ms double precision not null,
      row_count integer not null, status text not null, workspace text, ready_ms double precision, summary text not null
    ) with (fillfactor = 70)`,
    `create index wink_runs_by_session on ${schema}.wink_runs (session_id)`,
    `create index wink_runs_open on ${schema}.wink_runs (status) where status in ('running', 'suspended')`,
    `create index wink_runs_ready on ${schema}.wink_runs (ready_ms) where ready_ms is not null`,
    `create table ${schema}.wink_rows (
      run bigint not null, seq integer not null, type text not null, line text not null, primary key (run, seq)
    )`,
    // Two writes a session and one a beat: each finds room in its page, and what is left is cleared early.
    `create table ${schema}.wink_leases (
      session_id text primary key, owner text not null, epoch bigint not null, until_ms double precision not null, timeout_ms double precision not null, holder text not null
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500)`,
    `create table ${schema}.wink_inbox (
      number bigint generated always as identity primary key, run bigint not null references ${schema}.wink_runs (id) on delete cascade,
      id text not null, kind text not null, message text not null, taken_seq integer, unique (run, id)
    )`,
    // A key without an owner has no session. `call`: the call that claimed it, has begun it or did it; `by_call`: the one that has it.
    `create table ${schema}.wink_once (
      tool text not null, key text not null, digest text not null, state text not null, call text not null, session_id text, owner text, by_call text,
      at_ms double precision not null, result text not null, primary key (tool, key)
    )`,
    // What all runs of a budget spend in a period, and each of them, as JSON; `taken` has the time of the last change, too. Each row is written again with every turn.
    `create table ${schema}.wink_budgets (
      budget text not null, period text not null, spent text not null, taken text not null, largest_turn text not null, primary key (budget, period)
    ) with (fillfactor = 50)`,
    `create table ${schema}.wink_spending (
      budget text not null, period text not null, source text not null, session_id text, owner text, spent text not null, up_to text not null,
      primary key (budget, period, source)
    ) with (fillfactor = 70)`,
    `insert into ${schema}.wink_journal (format) values (${currentFormat})`,
  ],
  migrations: [],
};
