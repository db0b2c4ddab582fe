import type { SqliteDatabase } from 'weakincentives/sqlite';
import { type JournalSchema, journalSchema } from '../../../../src/durable/sqlite/store/schema.ts';

// Two formats that never were, before the present one: what a migration can meet. Format 0 has neither the type of a row nor the number of rows of
// a run; format 1 has no number of rows.

const typed = (rows: string): string =>
  `select run_id, number, json_extract(line, '$.type') as type, line from ${rows}`;
const counted = (runs: string, rows: string): string =>
  `select id, run_id, session_id, updated_at_ms, (select count(*) from ${rows} as row where row.run_id = run.run_id) as row_count, summary
    from ${runs} as run`;
const numbered = (runs: string, rows: string): string =>
  `select run.id << 32 | number as id, type, line from ${rows} as row join ${runs} as run on run.run_id = row.run_id`;

/** The tables of runs and rows as format 2 has them. */
const tablesOf2 = `
  create table wink_runs (id integer primary key, run_id text not null unique, session_id text not null,
    updated_at_ms integer not null, row_count integer not null, summary text not null);
  create index wink_runs_by_session on wink_runs (session_id);
  create table wink_rows (id integer primary key, type text not null, line text not null);
`;

/** The present tables, which format 0 and format 1 can be migrated to. */
export const schemaWithHistory: JournalSchema = {
  ...journalSchema,
  migrations: [
    {
      from: 0,
      upgrade: (database) => {
        database.exec(`create table new_rows as ${typed('wink_rows')}`);
        database.exec('drop table wink_rows');
        database.exec('alter table new_rows rename to wink_rows');
      },
      readAs: (table) => ({ wink_rows: typed(table('wink_rows')) }),
    },
    {
      from: 1,
      upgrade: (database) => {
        database.exec(`create table new_runs as ${counted('wink_runs', 'wink_rows')}`);
        database.exec(`create table new_rows as ${numbered('wink_runs', 'wink_rows')}`);
        database.exec('drop table wink_rows; drop table wink_runs');
        database.exec(tablesOf2);
        database.exec('insert into wink_runs select * from new_runs');
        database.exec('insert into wink_rows select * from new_rows');
        database.exec('drop table new_rows; drop table new_runs');
      },
      readAs: (table) => ({
        wink_runs: counted(table('wink_runs'), table('wink_rows')),
        wink_rows: numbered(table('wink_runs'), table('wink_rows')),
      }),
    },
    ...journalSchema.migrations,
  ],
};

const common = (format: number): string => `
  create table wink_journal (one integer primary key check (one = 1), format integer not null, epochs integer not null);
  insert into wink_journal values (1, ${format}, 7);
  create table wink_runs (id integer primary key, run_id text not null unique, session_id text not null,
    updated_at_ms integer not null, summary text not null);
  create table wink_leases (session_id text primary key, owner text not null, epoch integer not null, until_ms integer not null) without rowid;
`;

/** Makes a journal of an earlier format with two runs, `a` of three rows and `b` of one. */
export function makeEarlier(database: SqliteDatabase, format: 0 | 1): void {
  const columns = format === 0 ? 'run_id, number, line' : 'run_id, number, line, type';
  database.exec(`${common(format)} create table wink_rows (${columns})`);
  const add = (run: number, id: string, rows: number): void => {
    const summary = { status: 'finished', promptName: 'old', startedAtMs: 1, updatedAtMs: run, turns: 1 };
    database
      .prepare('insert into wink_runs values (?, ?, ?, ?, ?)')
      .run(run, id, `session of ${id}`, run, JSON.stringify({ ...summary, commits: 0, pending: 0 }));
    for (let number = 0; number < rows; number += 1) {
      const line = JSON.stringify({ type: `row-${number}`, text: id });
      const type = format === 0 ? [] : [`row-${number}`];
      const values = [id, number, line, ...type];
      database.prepare(`insert into wink_rows values (${values.map(() => '?').join(', ')})`).run(...values);
    }
  };
  add(5, 'a', 3);
  add(9, 'b', 1);
}
