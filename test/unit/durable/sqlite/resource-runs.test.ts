import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyTool, binding, resourceToken, ToolResult, tool } from 'weakincentives';
import { type SqliteDatabase, sqliteResource } from 'weakincentives/sqlite';
import { z } from 'zod';
import { draws } from '../../../support/draws.ts';
import { runCalls } from '../../../support/run-calls.ts';
import { drivers, noSqlite, sqliteSuite } from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const Accounts = resourceToken<SqliteDatabase>('accounts');

/** A transfer between accounts, which yields in its middle, so that calls interleave, and may fail after it has written. */
interface Transfer {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  readonly fails: boolean;
  readonly yields: number;
}

const balanceOf = (database: SqliteDatabase, id: number): number =>
  // The row has the column of the statement.
  (database.prepare('select balance from accounts where id = ?').get(id) as { balance: number }).balance;

const transfer: AnyTool = tool({
  name: 'transfer',
  description: 'Moves money.',
  effects: 'state',
  inputSchema: z.object({
    from: z.number(),
    to: z.number(),
    amount: z.number(),
    fails: z.boolean(),
    yields: z.number(),
  }),
  execute: async ({ from, to, amount, fails, yields }, { resources }) => {
    const database = await resources.get(Accounts);
    const set = database.prepare('update accounts set balance = ? where id = ?');
    const balance = balanceOf(database, from);
    for (let turn = 0; turn < yields; turn += 1) await Promise.resolve();
    set.run(balance - amount, from);
    for (let turn = 0; turn < yields; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    set.run(balanceOf(database, to) + amount, to);
    if (fails) throw new Error('refused');
    return ToolResult.ok(null);
  },
});

const audit: AnyTool = tool({
  name: 'audit',
  description: 'Adds up.',
  effects: 'read',
  outputSchema: z.number(),
  execute: async (_params, { resources }) => {
    const database = await resources.get(Accounts);
    const first = balanceOf(database, 0);
    await new Promise<void>((resolve) => setImmediate(resolve));
    return ToolResult.ok(first + balanceOf(database, 1) + balanceOf(database, 2));
  },
});

const transfers = fc.array(
  fc.record({
    from: fc.nat({ max: 2 }),
    to: fc.nat({ max: 2 }),
    amount: fc.integer({ min: 1, max: 9 }),
    fails: fc.boolean(),
    yields: fc.nat({ max: 3 }),
  }),
  { minLength: 1, maxLength: 6, size: 'max' },
);

/** The balances when the transfers are made one after the other. */
function balancesAfter(all: readonly Transfer[]): number[] {
  const balances = [100, 100, 100];
  const move = (id: number, amount: number): void => {
    balances[id] = (balances[id] ?? 0) + amount;
  };
  for (const { from, to, amount, fails } of all) {
    if (fails) continue;
    move(from, -amount);
    move(to, amount);
  }
  return balances;
}

const title = sqliteSuite('calls of a turn on a database of %s');

describe.skipIf(noSqlite !== undefined).each(drivers)(title, (_driver, open) => {
  it.each([
    ['one by one on one connection', false],
    ['at the same time on connections of their own', true],
  ])('leave what they leave in order, %s', async (_, isParallel) => {
    await fc.assert(
      fc.asyncProperty(transfers, async (all) => {
        const path = join(tempFolder(), 'accounts.db');
        const database = open(path);
        database.exec(`pragma journal_mode = wal; pragma synchronous = off;
          create table accounts (id integer primary key, balance integer);
          insert into accounts values (0, 100), (1, 100), (2, 100)`);
        const resource = sqliteResource(isParallel ? { database, open: () => open(path) } : { database });
        const calls = all.flatMap((each) => [
          { name: 'transfer', arguments: { ...each } },
          { name: 'audit', arguments: {} },
        ]);
        const { invocations } = await runCalls({
          tools: [transfer, audit],
          calls,
          resources: [binding(Accounts, resource)],
        });
        expect([0, 1, 2].map((id) => balanceOf(database, id))).toEqual(balancesAfter(all));
        const made = invocations.filter(({ toolName }) => toolName === 'transfer');
        expect(made.map(({ success }) => success)).toEqual(all.map(({ fails }) => !fails));
        const sums = invocations.filter(({ toolName }) => toolName === 'audit');
        expect(sums.map(({ success, value }) => [success, value])).toEqual(all.map(() => [true, 300]));
      }),
      { numRuns: draws(isParallel ? 40 : 25) },
    );
  });
});
