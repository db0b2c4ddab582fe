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

test('an update says how many rows it changed', () => {
  const { changes } = ({} as SqliteDatabase).prepare('update ticket set open = 0').run();
  expectTypeOf(changes).toEqualTypeOf<number | bigint>();
});
