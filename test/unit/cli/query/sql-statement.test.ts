import { describe, expect, it } from 'vitest';
import { checkStatement } from '../../../../src/cli/query/sql-statement.ts';

describe('a statement', () => {
  it.each([
    ['SELECT 1', 'SELECT 1'],
    ['  select 1 ; ;; -- no more; really', 'select 1'],
    ['/* DROP; */ SELECT \';\', "a;b", [c;d], `e;f` -- ;', 'SELECT \';\', "a;b", [c;d], `e;f` -- ;'],
    ["SELECT 'it''s; DROP TABLE calls' ; /* ; */", "SELECT 'it''s; DROP TABLE calls'"],
    ['SELECT "a""; b" FROM x', undefined],
    ['WITH a AS (SELECT 1) SELECT * FROM a', undefined],
    [
      'WITH RECURSIVE a(x) AS (SELECT 1 UNION SELECT x FROM a), b AS MATERIALIZED (VALUES (1)) SELECT * FROM a',
      undefined,
    ],
    ['WITH replace AS (SELECT 1) SELECT * FROM replace', undefined],
    ['EXPLAIN SELECT 1', undefined],
    ['explain query plan with a as (select 1) select 1', undefined],
    ["SELECT * FROM calls WHERE message = 'pragma_table_info' OR text LIKE 'PRAGMA %'", undefined],
    ['SELECT 1 /* not closed; DROP TABLE calls', undefined],
    ["SELECT 'not closed; DROP TABLE calls", undefined],
  ])('that reads is taken: %j', (sql, statement = sql) => {
    expect(checkStatement(sql)).toEqual({ statement });
  });

  it.each([
    ['', 'it has no statement'],
    [' ; -- nothing', 'it has no statement'],
    ['SELECT 1; SELECT 2', 'more than one statement'],
    ["SELECT 1; -- ;\nATTACH 'x' AS y", 'more than one statement'],
    ["SELECT '--'; DROP TABLE calls", 'more than one statement'],
    ["SELECT [']; DROP TABLE calls", 'more than one statement'],
    ["SELECT ']'; DROP TABLE calls --'", 'more than one statement'],
    ["SELECT '/*'; DROP TABLE calls --*/", 'more than one statement'],
    ['SELECT 1 /* /* */; DROP TABLE calls /* */ */', 'more than one statement'],
    ["VACUUM INTO 'copy.db'", 'VACUUM is not allowed'],
    ["/* SELECT */ vacuum main into 'copy.db'", 'VACUUM is not allowed'],
    ["ATTACH DATABASE 'x' AS y", 'ATTACH is not allowed'],
    ['DETACH x', 'DETACH is not allowed'],
    ['PRAGMA writable_schema = ON', 'PRAGMA is not allowed'],
    ['-- SELECT\nPRAGMA query_only = OFF', 'PRAGMA is not allowed'],
    ['EXPLAIN PRAGMA user_version = 1', 'PRAGMA is not allowed'],
    ["EXPLAIN QUERY PLAN VACUUM INTO 'x'", 'VACUUM is not allowed'],
    ['INSERT INTO calls VALUES (1)', 'INSERT is not allowed'],
    ['REPLACE INTO calls VALUES (1)', 'REPLACE is not allowed'],
    ['UPDATE calls SET tool = 1', 'UPDATE is not allowed'],
    ['DELETE FROM calls RETURNING *', 'DELETE is not allowed'],
    ['WITH a AS (SELECT 1) DELETE FROM calls', 'DELETE is not allowed'],
    ['WITH "SELECT" AS (SELECT \')\') INSERT INTO calls SELECT * FROM a', 'INSERT is not allowed'],
    ['WITH select_(x) AS (SELECT 1) UPDATE calls SET tool = 1', 'UPDATE is not allowed'],
    ['WITH a AS (SELECT 1)', 'WITH without SELECT is not allowed'],
    ['CREATE TABLE x (a)', 'CREATE is not allowed'],
    ['DROP TABLE calls', 'DROP is not allowed'],
    ['BEGIN', 'BEGIN is not allowed'],
    ['EXPLAIN EXPLAIN SELECT 1', 'EXPLAIN is not allowed'],
    ['(SELECT 1)', 'it does not begin as one'],
    ['"SELECT" 1', 'it does not begin as one'],
    ['\u00a0SELECT 1', 'is not allowed'],
    ['SELECT\u00001', 'ends texts (NUL)'],
    ["SELECT load_extension('x')", 'load_extension is not allowed'],
    ['SELECT "Load_Extension"(\'x\')', 'load_extension is not allowed'],
    ['SELECT * FROM pragma_database_list', 'pragma_database_list is a PRAGMA'],
    ['SELECT * FROM [PRAGMA_table_info]', 'pragma_table_info is a PRAGMA'],
  ])('is refused: %j', (sql, refused) => {
    expect(checkStatement(sql)).toEqual({ refused: expect.stringContaining(refused) as unknown });
  });

  it('of many characters is read in one go', () => {
    const sql = `SELECT ${"'a''b', ".repeat(200_000)}1`;
    expect(checkStatement(sql)).toEqual({ statement: sql });
  });
});
