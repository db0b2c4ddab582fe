import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStatement } from '../../../src/cli/query/sql-statement.ts';
import { draws, seenAtLeast } from '../../support/draws.ts';
import { canQuery } from './query-program.ts';

/** What is used of `node:sqlite`; the types of the oldest supported version do not have it. */
interface Driver {
  readonly DatabaseSync: new (
    file: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { readonly sourceSQL: string; all(): readonly Readonly<Record<string, unknown>>[] };
    setAuthorizer?(callback: ((action: number) => number) | null): void;
  };
}

const fragment = fc.constantFrom(
  ...[
    'SELECT 1',
    'SELECT * FROM t',
    'select a from t where a = ',
    'VALUES (1)',
    'EXPLAIN ',
    'QUERY PLAN ',
    'WITH ',
  ],
  ...[
    'w AS (',
    'w(x) AS MATERIALIZED (',
    'RECURSIVE ',
    ') ',
    '(',
    ', ',
    ' AS ',
    'UNION ALL ',
    '1',
    'a',
    'replace',
    ' ',
  ],
  ...[
    ';',
    "'",
    "''",
    '"',
    '""',
    '`',
    '[',
    ']',
    '--',
    '\n',
    '\r',
    '/*',
    '*/',
    '/',
    '*',
    '-',
    '\\',
    '\u00a0',
    '\ufeff',
  ],
  ...[
    'INSERT INTO t VALUES (2)',
    'UPDATE t SET a = 3',
    'DELETE FROM t',
    ' RETURNING a',
    'REPLACE INTO t VALUES (4)',
  ],
  ...[
    'CREATE TABLE u (a)',
    'DROP TABLE t',
    "ATTACH ':memory:' AS m",
    'PRAGMA user_version = 7',
    'BEGIN',
    'VACUUM',
  ],
  ...['t', ' FROM pragma_user_version', "x'00'", '$p', '?1', '@p', ':p', '#', '1e5', '.5'],
);
const texts = fc.array(fragment, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''));
/** More of what is taken: statements that read, with what could hide the end of one. */
const value = fc.constantFrom(
  ...[
    '1',
    "'a;b'",
    "'it''s'",
    '"a"',
    '[a]',
    '`a`',
    "x'00'",
    'a -- ;\n',
    "/* ; ' */ 1",
    '$p',
    "'--'",
    "'/*'",
    "1 AS [']",
    '1 AS "\'"',
    "1 AS `;'`",
    "/*/ ' */ 1",
  ],
);
const reading = fc
  .tuple(
    fc.constantFrom(
      '',
      '-- ;\n',
      '/* ; */',
      'EXPLAIN ',
      'EXPLAIN QUERY PLAN ',
      'WITH w AS (SELECT 1) ',
      'WITH "x)" AS (VALUES (\')\')) ',
    ),
    fc.array(value, { minLength: 1, maxLength: 4 }),
    fc.oneof(
      fc.constantFrom(
        '',
        ';',
        ';;',
        ' -- ;',
        '; -- x',
        '; /* x',
        "; ' */",
        "; DELETE FROM t -- '",
        "; DELETE FROM t /* ' */",
      ),
      texts,
    ),
  )
  .map(([before, values, after]) => `${before}SELECT ${values.join(', ')} FROM t ${after}`);

describe.skipIf(!canQuery)('a statement that is taken (needs Node 22.16)', () => {
  it('is one statement for SQLite, too, and reads only', () => {
    // The name of a module that the types do not have gives an object of any kind.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as Driver;
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    const asked = new Set<number>();
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(texts, reading), (sql) => {
        const checked = checkStatement(sql);
        if ('refused' in checked) return;
        const { statement } = checked;
        database.setAuthorizer?.((action) => {
          asked.add(action);
          return 0;
        });
        try {
          const prepared = database.prepare(statement);
          // The text that SQLite has read as the first statement.
          expect(prepared.sourceSQL).toBe(statement);
          prepared.all();
          taken += 1;
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) throw error;
        } finally {
          database.setAuthorizer?.(null);
        }
        const state = database
          .prepare('SELECT total_changes() AS n, count(*) AS tables FROM sqlite_schema')
          .all();
        expect({ ...state[0] }).toEqual({ n: 1, tables: 1 });
      }),
      { numRuns: draws(10_000) },
    );
    expect(taken).toBeGreaterThan(seenAtLeast(1000));
    // Read, select, function, recursive.
    for (const action of asked) expect([20, 21, 31, 33]).toContain(action);
  });
});
