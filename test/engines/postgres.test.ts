import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from './support/postgres.ts';

describe.skipIf(noPostgres !== undefined)(postgresSuite('the server of the tests'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('keeps what was committed when it crashes', async () => {
    const pool = openPool(server);
    const schema = server.freshSchema();
    await pool.query(`create schema ${schema}`);
    await pool.query(`create table ${schema}.kept (value text)`);
    await pool.query(`insert into ${schema}.kept values ('first')`);
    await server.crash();
    await expect(pool.query('select 1')).rejects.toThrow();
    await server.start();
    const { rows } = await pool.query(`select value from ${schema}.kept`);
    expect(rows).toEqual([{ value: 'first' }]);
    expect(server.freshSchema()).not.toBe(schema);
  });

  it('is reached over its socket without a password', async () => {
    const pool = openPool(server, { connectionString: undefined, ...server.socket });
    const { rows } = await pool.query('select current_user as name');
    expect(rows).toEqual([{ name: server.user }]);
  });
});
