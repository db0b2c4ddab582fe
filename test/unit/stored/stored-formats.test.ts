import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sqliteJournal } from 'weakincentives/sqlite';
import { openWasmSqlite } from '../../support/sqlite.ts';
import { describeStored } from '../../support/stored/describe-stored.ts';
import { storedText, storedVersions } from '../../support/stored/stored-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const newest = storedVersions.at(-1) ?? '';
const remedy = `What is stored has changed since test/fixtures/stored/${newest}: store the next folder, as the README.md there says.`;

describe('the newest of the stored folders', () => {
  it('has the tables of a journal as this version makes them', () => {
    const database = openWasmSqlite();
    sqliteJournal({ database });
    const tables = database
      .prepare("select sql from sqlite_master where name like 'wink_%' order by name")
      .all() as { readonly sql: string }[];
    expect(tables.map(({ sql }) => `${sql};\n`).join(''), remedy).toBe(storedText(newest, 'tables.sql'));
  });

  it('has the rows, runs and session exports as the types of this version have them', () => {
    expect(describeStored(root), remedy).toBe(storedText(newest, 'types.txt'));
  });
});
