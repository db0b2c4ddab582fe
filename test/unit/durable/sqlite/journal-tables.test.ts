import { describe, expect, it } from 'vitest';
import { noSqlite, openDatabase, openJournal, settled, sqliteSuite } from '../../../support/sqlite.ts';

const columns = `
  select tables.name as "table", columns.name as "column", columns.type as "type", columns."notnull" as "required",
    columns.pk as "key"
  from sqlite_master as tables, pragma_table_info(tables.name) as columns
  where tables.type = 'table' order by tables.name, columns.cid`;

describe.skipIf(noSqlite !== undefined)(sqliteSuite('a journal in SQLite'), () => {
  it('has exactly these tables and columns', async () => {
    const database = openDatabase();
    await settled(openJournal({ database }));
    const found = (database.prepare(columns).all() as readonly Readonly<Record<string, unknown>>[]).map(
      ({ table, column, type, required, key }) => [table, column, type, required, key].join(' '),
    );
    expect(found).toEqual([
      'wink_budgets budget TEXT 1 1',
      'wink_budgets period TEXT 1 2',
      'wink_budgets spent TEXT 1 0',
      'wink_budgets taken TEXT 1 0',
      'wink_budgets largest_turn TEXT 1 0',
      'wink_inbox number INTEGER 0 1',
      'wink_inbox run_id TEXT 1 0',
      'wink_inbox id TEXT 1 0',
      'wink_inbox message TEXT 1 0',
      'wink_inbox taken_seq INTEGER 0 0',
      'wink_journal one INTEGER 0 1',
      'wink_journal format INTEGER 1 0',
      'wink_journal epochs INTEGER 1 0',
      'wink_leases session_id TEXT 1 1',
      'wink_leases owner TEXT 1 0',
      'wink_leases epoch INTEGER 1 0',
      'wink_leases until_ms INTEGER 1 0',
      'wink_leases timeout_ms INTEGER 1 0',
      'wink_leases tick_ms INTEGER 0 0',
      'wink_leases process TEXT 1 0',
      'wink_once tool TEXT 1 1',
      'wink_once key TEXT 1 2',
      'wink_once digest TEXT 1 0',
      'wink_once state TEXT 1 0',
      'wink_once call TEXT 1 0',
      'wink_once session_id TEXT 1 0',
      'wink_once owner TEXT 1 0',
      'wink_once holder TEXT 1 0',
      'wink_once at_ms INTEGER 1 0',
      'wink_once result TEXT 1 0',
      'wink_rows id INTEGER 0 1',
      'wink_rows type TEXT 1 0',
      'wink_rows line TEXT 1 0',
      'wink_runs id INTEGER 0 1',
      'wink_runs run_id TEXT 1 0',
      'wink_runs session_id TEXT 1 0',
      'wink_runs updated_at_ms INTEGER 1 0',
      'wink_runs row_count INTEGER 1 0',
      'wink_runs summary TEXT 1 0',
      'wink_runs status TEXT 1 0',
      'wink_spending budget TEXT 1 1',
      'wink_spending period TEXT 1 2',
      'wink_spending source TEXT 1 3',
      'wink_spending session_id TEXT 1 0',
      'wink_spending owner TEXT 1 0',
      'wink_spending spent TEXT 1 0',
      'wink_spending up_to TEXT 1 0',
    ]);
  });
});
