import { describe, expectTypeOf, test } from 'vitest';
import { binding, type ResourceBinding, resourceToken } from 'weakincentives';
import { type SqliteDatabase, type SqliteResource, sqliteResource } from 'weakincentives/sqlite';

/** The types of `node:sqlite`, as far as they matter here; those of Node 20 lack the module. */
interface StatementSync {
  run(...parameters: (null | number | bigint | string | Uint8Array)[]): {
    changes: number | bigint;
    lastInsertRowid: number | bigint;
  };
  get(...parameters: (null | number | bigint | string | Uint8Array)[]): Record<string, unknown> | undefined;
  all(...parameters: (null | number | bigint | string | Uint8Array)[]): Record<string, unknown>[];
}
interface DatabaseSync {
  exec(sql: string): void;
  prepare(sql: string): StatementSync;
  close(): void;
}
declare const database: DatabaseSync;

/** The types that people install for better-sqlite3, as far as they matter here. */
interface BetterStatement<Parameters extends unknown[], Result> {
  run(...parameters: Parameters): { changes: number; lastInsertRowid: number | bigint };
  get(...parameters: Parameters): Result | undefined;
  all(...parameters: Parameters): Result[];
}
interface BetterDatabase {
  exec(source: string): this;
  prepare<Parameters extends unknown[] | {} = unknown[], Result = unknown>(
    source: string,
  ): Parameters extends unknown[]
    ? BetterStatement<Parameters, Result>
    : BetterStatement<[Parameters], Result>;
  close(): this;
}

describe('sqliteResource', () => {
  test('takes the token of the driver', () => {
    const Orders = resourceToken<DatabaseSync>('orders');
    expectTypeOf(binding(Orders, sqliteResource({ database }))).toExtend<ResourceBinding<DatabaseSync>>();
    expectTypeOf(sqliteResource({ database })).toEqualTypeOf<SqliteResource<DatabaseSync>>();
    const Any = resourceToken<SqliteDatabase>('any');
    expectTypeOf(binding(Any, sqliteResource({ database }))).toExtend<ResourceBinding<SqliteDatabase>>();
  });

  test('refuses the token of something else', () => {
    const Text = resourceToken<{ read(): string }>('text');
    // @ts-expect-error -- A database is not a text.
    binding(Text, sqliteResource({ database }));
    // @ts-expect-error -- Not a database.
    sqliteResource({ database: { exec: () => undefined } });
  });
});

describe('SqliteDatabase', () => {
  test('is what both drivers open', () => {
    expectTypeOf<DatabaseSync>().toExtend<SqliteDatabase>();
    expectTypeOf<BetterDatabase>().toExtend<SqliteDatabase>();
    expectTypeOf(sqliteResource({ database: {} as BetterDatabase })).toEqualTypeOf<
      SqliteResource<BetterDatabase>
    >();
  });

  test('says how many rows an update changed', () => {
    const { changes, lastInsertRowid } = ({} as SqliteDatabase).prepare('update ticket set open = 0').run();
    expectTypeOf(changes).toEqualTypeOf<number | bigint>();
    expectTypeOf(lastInsertRowid).toEqualTypeOf<number | bigint>();
  });
});
