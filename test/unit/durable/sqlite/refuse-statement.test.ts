import { describe, expect, it } from 'vitest';
import { refuseStatement } from '../../../../src/durable/sqlite/resource/refuse-statement.ts';

describe('within a call', () => {
  it.each([
    'commit',
    '  COMMIT;',
    'end transaction',
    'rollback to wink_call_0',
    'insert into t values (1); commit',
    "insert into t values ('a;b');/* x */ savepoint s",
    '-- a comment\nrelease wink_call_0',
    ';; begin immediate',
    "attach 'other.db' as other",
    'detach other',
    'vacuum',
    'pragma query_only = 0',
    'select 1; pragma synchronous = off',
    '/* not closed; commit */ commit',
  ])('%j is refused', (sql) => {
    expect(() => refuseStatement(sql)).toThrow(
      expect.objectContaining({ code: 'resource-statement-refused' }),
    );
  });

  it.each([
    'select "commit", [rollback], `begin`, \'; commit\' from t -- ; commit',
    'select case when x then 1 end from t; select 2',
    'select 1 /* ; commit; */',
    'insert or rollback into t values (1)',
    'create trigger a after insert on t begin insert into u values (1); end',
    'create temp trigger a after insert on t begin insert into u values (1); end; select 1',
    "select * from pragma_table_info('t')",
    '',
  ])('%j is not', (sql) => {
    expect(() => refuseStatement(sql)).not.toThrow();
  });

  it('a text that is not closed is read once', () => {
    for (const open of ["'", '"', '`', '[', '/*'])
      expect(() => refuseStatement(open.repeat(200_000))).not.toThrow();
  });
});
