import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../durable/sqlite/started-child.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

describe.skipIf(noPostgres !== undefined)(postgresSuite('a process that is stopped past its lease'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('in a call gets nothing in when it continues: no row, no change of the database, no file', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    await pool.query(`create table ${schema}.orders (name text)`);
    const folder = mkdtempSync(join(tmpdir(), 'wink-stopped-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [root, state] = [join(folder, 'root'), join(folder, 'state')];
    mkdirSync(root);
    const program = new URL('children/book-and-write.mjs', import.meta.url);
    const start = (name: string, timeoutMs: number) =>
      startChild(program, server.url, schema, String(timeoutMs), root, state, name);
    const first = start('first', 1_000);
    expect(await first.line()).toBe('working');
    first.signal('SIGSTOP');
    const second = start('second', 600_000);
    expect(await second.line()).toBe('working');
    second.send('go');
    expect(await second.line()).toBe('finished');
    const left = async () => ({
      rows: await openJournal({ pool, schema }).read('r'),
      orders: (await pool.query(`select name from ${schema}.orders`)).rows,
      files: readdirSync(root),
    });
    const before = await left();
    expect(before).toMatchObject({ orders: [{ name: 'second' }], files: ['second.md'] });
    first.signal('SIGCONT');
    first.send('go');
    expect(await first.line()).toBe('run-lost');
    await first.exited;
    expect(await left()).toEqual(before);
  });
});
