import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from 'weakincentives/postgres';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** How often runs are killed again and again: `WINK_SOAK=1` more often. */
const times = Array.from({ length: process.env['WINK_SOAK'] === '1' ? 24 : 2 }, (_, at) => at + 1);

async function openOrders(): Promise<{ readonly schema: string; readonly pool: Pool }> {
  const schema = server.freshSchema();
  const pool = openPool(server);
  await migrate({ pool, schema });
  await pool.query(`create table ${schema}.orders (name text, line int)`);
  return { schema, pool };
}

type Ending = readonly [code: number | null, signal: string | null];

const whole: Ending = [0, null];

/** Runs in a process of its own, which kills itself at a point of its program. @returns its exit code and its signal. */
async function live(schema: string, runs: number, atOnce: number, killAt = ''): Promise<Ending> {
  const program = fileURLToPath(new URL('children/book.mjs', import.meta.url));
  const parameters = [server.url, schema, String(runs), String(atOnce), killAt];
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return (await once(child, 'close')) as [number | null, string | null];
}

/** How many runs have how many lines, and what the rows of all runs say. */
async function booked(pool: Pool, schema: string): Promise<unknown> {
  const one = async (text: string) => (await pool.query(text)).rows;
  const orders = await one(
    `select count::int, count(*)::int as orders from (select count(*) from ${schema}.orders group by name) each group by 1 order by 1`,
  );
  const runs = await one(
    `select status, count(*)::int as runs from ${schema}.wink_runs group by 1 order by 1`,
  );
  const [doubt] = await one(
    `select count(*)::int as count from ${schema}.wink_rows where line like '%in-doubt%' or (type = 'begin' and line not like '%"again":true%')`,
  );
  return { orders, runs, inDoubt: Object(doubt).count };
}

describe.skipIf(noPostgres !== undefined)(postgresSuite('lines that calls book without a key'), () => {
  it('are there once, before and during whichever statement the process is killed', async () => {
    const { schema, pool } = await openOrders();
    expect(await live(schema, 1, 1)).toEqual(whole);
    const wanted = { orders: [{ count: 3, orders: 1 }], runs: [{ status: 'finished', runs: 1 }], inDoubt: 0 };
    expect(await booked(pool, schema)).toEqual(wanted);
    const differing: unknown[] = [];
    let reached = 0;
    /** @returns whether there was such a point. */
    const killAt = async (point: string): Promise<boolean> => {
      const orders = await openOrders();
      const [, signal] = await live(orders.schema, 1, 1, point);
      const ending = await live(orders.schema, 1, 1);
      const left = { ending, ...Object(await booked(orders.pool, orders.schema)) };
      const expected = { ending: whole, ...wanted };
      if (JSON.stringify(left) !== JSON.stringify(expected)) differing.push({ point, ...left });
      return signal === 'SIGKILL';
    };
    // How many statements there are depends on which rows come in time for one append.
    let last = 0;
    let isPast = false;
    const work = async (): Promise<void> => {
      while (!isPast) {
        last += 1;
        const points = [`before ${last}`, `during ${last}`];
        for (const point of points) {
          if (await killAt(point)) reached += 1;
          else isPast = true;
        }
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(differing).toEqual([]);
    expect(reached).toBeGreaterThan(30);
  });

  it.each(times)(
    'are exactly three of each run, when the process is killed again and again: %i',
    async () => {
      const { schema, pool } = await openOrders();
      // A call is not made again once its process has ended five times while it ran.
      const [runs, kills] = [50, 4];
      // Five lines are booked in each run, two of them by calls that fail. Half of all are left for the last process.
      const share = Math.floor((runs * 5) / kills / 2);
      for (let killed = 0; killed < kills; killed += 1)
        expect(await live(schema, runs, 12, `booking ${share}`)).toEqual([null, 'SIGKILL']);
      expect(await live(schema, runs, 12)).toEqual(whole);
      expect(await booked(pool, schema)).toEqual({
        orders: [{ count: 3, orders: runs }],
        runs: [{ status: 'finished', runs }],
        inDoubt: 0,
      });
    },
  );
});
