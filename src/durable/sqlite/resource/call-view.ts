import { type RevocableView, revocableView } from '../../../core/resource/index.ts';
import type { SqliteDatabase, SqliteStatement } from '../store/database.ts';
import { refuseStatement } from './refuse-statement.ts';

/** Does one thing on the database: before it, and after it failed, what the call needs. */
export type Around = <T>(work: () => T) => T;

/**
 * What a call gets of a database: statements that do not end its transaction, until it is revoked, and with it all statements that it has prepared.
 */
export function callView(database: SqliteDatabase, around: Around): RevocableView<SqliteDatabase> {
  const statements: (() => void)[] = [];
  const guarded: SqliteDatabase = {
    exec: (sql) => {
      refuseStatement(sql);
      return around(() => database.exec(sql));
    },
    prepare: (sql) => {
      refuseStatement(sql);
      const statement = around(() => database.prepare(sql));
      const guardedStatement: SqliteStatement = {
        run: (...parameters) => around(() => statement.run(...parameters)),
        get: (...parameters) => around(() => statement.get(...parameters)),
        all: (...parameters) => around(() => statement.all(...parameters)),
      };
      const { view, revoke } = revocableView(guardedStatement, 'the database');
      statements.push(revoke);
      return view;
    },
  };
  const { view, revoke } = revocableView(guarded, 'the database');
  return {
    view,
    revoke: () => {
      revoke();
      for (const revokeStatement of statements) revokeStatement();
    },
  };
}

/** Refuses writes while `work` runs, and only then: the connection is others' as well. */
export function readingOnly(database: SqliteDatabase): Around {
  return (work) => {
    database.exec('pragma query_only = 1');
    try {
      return work();
    } finally {
      database.exec('pragma query_only = 0');
    }
  };
}
