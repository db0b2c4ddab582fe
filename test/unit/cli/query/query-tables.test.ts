import { describe, expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { queryTables } from '../../../../src/cli/query/tables/query-tables.ts';
import { queriedRecord } from '../../../support/queried-record.ts';

const record = await readRunRecord(await queriedRecord());

/** The rows of a table, as objects. */
function rowsOf(name: string): readonly Readonly<Record<string, unknown>>[] {
  const table = queryTables.find((each) => each.name === name);
  if (table === undefined) throw new Error(`There is no table ${name}.`);
  return Array.from(table.rows(record), (row) =>
    Object.fromEntries(table.columns.map((column, index) => [column.name, row[index]])),
  );
}

describe('the tables of a record', () => {
  it.each(queryTables.map(({ name }) => [name]))('%s has rows', (name) => {
    const rows = rowsOf(name);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      for (const value of Object.values(row)) {
        expect(value === null || typeof value === 'string' || Number.isFinite(value)).toBe(true);
      }
    }
  });

  it('have names that need no quotes, each once', () => {
    const names = queryTables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, columns } of queryTables) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(new Set(columns.map((column) => column.name)).size).toBe(columns.length);
      for (const column of columns) expect(column.name).toMatch(/^[a-z][a-z0-9_]*$/);
    }
  });

  it('say which calls failed, and why', () => {
    const failed = rowsOf('calls').filter(({ outcome }) => outcome !== 'committed');
    expect(
      failed.map(({ tool, outcome, reason, policy, error }) => [tool, outcome, reason, policy, error]),
    ).toEqual([
      ['act', 'rolled-back', 'threw', null, 'It throws.'],
      ['act', 'denied', 'denied', 'no-threes', null],
    ]);
  });

  it('say who changed a file, and with what', () => {
    const [change, ...others] = rowsOf('changes').filter(({ is_final }) => is_final === 1);
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      path: 'a.md',
      kind: 'modified',
      call: 'call-2-1',
      attempt: 1,
      before_bytes: 8,
    });
    const contents = new Map(rowsOf('contents').map(({ hash, text }) => [hash, text]));
    expect([contents.get(change?.['before_hash']), contents.get(change?.['after_hash'])]).toEqual([
      'one\ntwo\n',
      'new\u001b[31m',
    ]);
  });

  it('say what conflicted, and who caused it', () => {
    expect(
      rowsOf('conflicts').map(({ call, attempt, what, by_call }) => [call, attempt, what, by_call]),
    ).toEqual([
      ['call-2-2', 1, 'key a of slice table', 'call-2-1'],
      ['call-2-2', 1, 'file a.md', 'call-2-1'],
    ]);
  });

  it('say what a run inside of a call is inside of', () => {
    expect(rowsOf('runs').map(({ run, parent_call, outcome }) => [run, parent_call, outcome])).toEqual([
      [0, null, 'finished'],
      [1, 'call-1-2', 'finished'],
    ]);
  });

  it('hold nested values as JSON', () => {
    const [write] = rowsOf('writes').filter(({ op }) => op === 'put');
    expect(write).toMatchObject({ slice: 'table', key: 'a', value: '{"key":"a","value":1}' });
  });
});
