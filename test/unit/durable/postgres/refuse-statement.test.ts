import { describe, expect, it } from 'vitest';
import { refuseStatement } from '../../../../src/durable/postgres/resource/refuse-statement.ts';

describe('a statement within a call of PostgreSQL', () => {
  it.each([
    'begin',
    'COMMIT',
    '  \n rollback to savepoint a',
    '-- a comment\ncommit',
    '/* one /* within */ another */ end',
    '/**/ --\n/* */ABORT',
    'start transaction',
    'savepoint a',
    'release a',
    "set session_replication_role = 'replica'",
    "set /* local */ session search_path = 'x'",
    'reset all',
    'discard all',
    'prepare transaction $1',
    'deallocate all',
    'listen a',
    'unlisten *',
  ])('is refused: %s', (sql) => {
    expect(() => refuseStatement(sql)).toThrow(
      expect.objectContaining({ code: 'resource-statement-refused' }),
    );
  });

  it.each([
    'select 1',
    '(select 1)',
    '',
    '/* never closed commit',
    'insert into t values ($1) on conflict do nothing',
    "select 'commit'",
    'set local statement_timeout = 5',
    'SET /* a */ LOCAL x.y = 1',
    'set constraints all deferred',
    'with a as (select 1) select * from a',
    'commits',
    'begins_at',
  ])('is executed: %s', (sql) => {
    expect(() => refuseStatement(sql)).not.toThrow();
  });

  it('is read in linear time', () => {
    for (const text of ['/*'.repeat(500_000), '-- x\n'.repeat(200_000), ' '.repeat(1_000_000)]) {
      expect(() => refuseStatement(`${text}select 1`)).not.toThrow();
    }
  });
});
