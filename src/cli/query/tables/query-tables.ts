import { callTables } from './call-tables.ts';
import { changeTables } from './change-tables.ts';
import { runTables } from './run-tables.ts';
import type { QueryTable } from './table.ts';

/** Every table, in the order that they are listed. */
export const queryTables: readonly QueryTable[] = [...runTables, ...callTables, ...changeTables];

/** The statement that creates a table. Names are words of the code and need no quotes. */
export function createStatement({ name, columns }: QueryTable): string {
  const lines = columns.map(
    ({ name: column, type, about }, index) =>
      `  ${column} ${type}${index === columns.length - 1 ? '' : ','} -- ${about}`,
  );
  return `CREATE TABLE ${name} (\n${lines.join('\n')}\n);`;
}
