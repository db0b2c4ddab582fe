import { migrationsFrom } from '../../journal/index.ts';
import type { SqliteDatabase } from './database.ts';
import type { JournalSchema } from './schema.ts';

/** The format of the journal; undefined where there is none yet. */
export function findFormat(database: SqliteDatabase): number | undefined {
  const found = database.prepare(
    "select 1 from sqlite_master where type = 'table' and name = 'wink_journal'",
  );
  if (found.get() === undefined) return undefined;
  // The table has exactly one row, which was inserted with it.
  const { format } = database.prepare('select format from wink_journal').get() as { format: number | bigint };
  return Number(format);
}

/** Creates the tables, or brings those of an earlier format to the present one. Runs in a transaction of its caller: another process may have done it before. */
export function migrate(database: SqliteDatabase, schema: JournalSchema): void {
  const format = findFormat(database);
  if (format === undefined) {
    database.exec(schema.tables('main'));
    return;
  }
  const steps = migrationsFrom(format, schema);
  for (const step of steps) step.upgrade(database);
  if (steps.length > 0) database.exec(`update wink_journal set format = ${schema.format}`);
}

/**
 * Lets this connection read the tables of an earlier format as those of the present one: by views of its own that hide them. Where there are none, it
 * reads an empty journal. The database is not changed.
 */
export function readAsPresent(
  database: SqliteDatabase,
  schema: JournalSchema,
  format: number | undefined,
): void {
  if (format === undefined) {
    database.exec(schema.tables('temp'));
    return;
  }
  /** What has each table by now: the table itself, or the last view of it. */
  const names = new Map<string, string>();
  const nameOf = (table: string): string => names.get(table) ?? `main.${table}`;
  for (const step of migrationsFrom(format, schema)) {
    const views = Object.entries(step.readAs(nameOf));
    for (const [table, select] of views) {
      database.exec(`create temp view ${table}_as_${step.from + 1} as ${select}`);
    }
    for (const [table] of views) names.set(table, `temp.${table}_as_${step.from + 1}`);
  }
  // Only now: a view of this name would hide its own table from those above.
  for (const [table, view] of names) database.exec(`create temp view ${table} as select * from ${view}`);
}
