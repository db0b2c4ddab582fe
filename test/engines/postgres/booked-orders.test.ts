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

const isSoak = process.env['WINK_SOAK'] === '1';

async function openOrders(): Promise<{ readonly schema: string; readonly pool: Pool }> {
  const schema = server.freshSchema();
  const pool = openPool(server);
  await migrate({ pool, schema });
  await pool.query(`create table ${schema}.orders (name text, line int)`);
  return { schema, pool };
}

interface Life {
  /** Kills it, as the system would. */
  kill(): void;
  /** Its exit code, its signal, and how many statements it has executed by then. */
  readonly ended: Promise<{ readonly code: unknown; readonly signal: unknown; readonly statements: number }>;
}

function live(schema: string, runs: number, atOnce: number, killAt = ''): Life {
  const program = fileURLToPath(new URL('children/book.mjs', import.meta.url));
  const parameters = [server.url, schema, String(runs), String(atOnce), killAt];
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text) => void (output += text));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code,
    signal,
    statements: Number(output),
  }));
  return { kill: () => void child.kill('SIGKILL'), ended };
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
    const whole = await live(schema, 1, 1).ended;
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.statements).toBeGreaterThan(15);
    const wanted = { orders: [{ count: 3, orders: 1 }], runs: [{ status: 'finished', runs: 1 }], inDoubt: 0 };
    expect(await booked(pool, schema)).toEqual(wanted);
    const points = Array.from({ length: whole.statements }, (_, at) => [
      `before ${at + 1}`,
      `during ${at + 1}`,
    ]).flat();
    const differing: unknown[] = [];
    let reached = 0;
    const killAt = async (point: string): Promise<void> => {
      const orders = await openOrders();
      const killed = await live(orders.schema, 1, 1, point).ended;
      const resumed = await live(orders.schema, 1, 1).ended;
      if (killed.signal === 'SIGKILL') reached += 1;
      const left = { code: resumed.code, ...Object(await booked(orders.pool, orders.schema)) };
      const expected = { code: 0, ...wanted };
      if (JSON.stringify(left) !== JSON.stringify(expected)) differing.push({ point, ...left });
    };
    const work = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) await killAt(point);
    };
    await Promise.all([work(), work(), work()]);
    expect(differing).toEqual([]);
    // The beat of a lease is a statement, too.
    expect(reached).toBeGreaterThan(whole.statements * 2 - 8);
  });

  it('are exactly three of each run, when the process is killed again and again', async () => {
    const { schema, pool } = await openOrders();
    const [runs, kills] = isSoak ? [400, 24] : [100, 8];
    const rowsNow = async (): Promise<number> =>
      Object((await pool.query(`select count(*)::int as count from ${schema}.orders`)).rows[0]).count;
    for (let killed = 0; ; killed += 1) {
      const before = await rowsNow();
      const life = live(schema, runs, 12);
      // It is killed while it works, whatever the time is that it needs.
      const share = Math.max(1, Math.floor((runs * 3) / kills / 2));
      const wanted = Math.min(before + share, runs * 3 - 1);
      let hasEnded = false;
      void life.ended.then(() => (hasEnded = true));
      if (killed < kills) {
        await expect.poll(async () => hasEnded || (await rowsNow()) >= wanted, { interval: 5 }).toBe(true);
        life.kill();
      }
      const ended = await life.ended;
      if (ended.signal === null) {
        expect(ended.code).toBe(0);
        expect(killed).toBeGreaterThan(kills / 2);
        break;
      }
    }
    expect(await booked(pool, schema)).toEqual({
      orders: [{ count: 3, orders: runs }],
      runs: [{ status: 'finished', runs }],
      inDoubt: 0,
    });
  });
});
