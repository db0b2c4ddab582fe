import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from 'weakincentives/postgres';
import { run } from '../../cli/wink.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { jobOf } from './support/jobs.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

/** The port of a server that ends each connection. */
async function portOfHangingUp(): Promise<number> {
  const server = createServer((socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A port was expected.');
  return address.port;
}

/** All that can be shown of an error. */
const shown = (error: unknown): string =>
  [inspect(error, { depth: 20 }), String(error), JSON.stringify(error)].join('\n');

const password = 'correct-horse-battery';

describe.skipIf(noPostgres !== undefined)(postgresSuite('the password of a database'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    expect(inject('buildProblem')).toBe('');
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const addresses: readonly (readonly [why: string, port: () => number | Promise<number>])[] = [
    ['the password is wrong', () => server.port],
    ['there is no server', () => 1],
    ['the connection is ended', portOfHangingUp],
  ];

  it.each(addresses)('is in no error of the journal and of migrate() when %s', async (_, port) => {
    const url = `postgres://wink:${password}@127.0.0.1:${await port()}/postgres`;
    const pool = openPool({ url });
    const journal = openJournal({ pool, schema: server.freshSchema() });
    const attempts = [
      () => migrate({ pool, schema: server.freshSchema() }),
      () => journal.acquire('s'),
      () => journal.read('r'),
      () => journal.runs(),
      () => journal.remove('r'),
      () => journal.send('r', { id: 'm', kind: 'cancel', atMs: 0 }),
    ];
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expect(shown(error)).not.toContain(password);
      expect(shown(error)).not.toContain(url);
    }
  });

  it.each(addresses)('is in nothing that the command writes when %s', async (_, port) => {
    const url = `postgres://wink:${password}@127.0.0.1:${await port()}/postgres`;
    const commands = [
      ['runs'],
      ['journal', 'migrate'],
      ['approvals', 'list'],
      ['once'],
      ['budgets'],
      ['view', 'r'],
      ['submit', 'agent'],
    ];
    for (const command of commands) {
      for (const given of [{ options: ['--journal', url] }, { variables: { WINK_JOURNAL: url } }]) {
        const { options = [], variables = {} } = given;
        const { code, stdout, stderr } = await run([...command, ...options], { variables });
        expect(code).not.toBe(0);
        expect(stdout + stderr).not.toContain(password);
      }
    }
  });

  it('is in no row, and in no error of a connection that the server ends', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    const journal = openJournal({ pool, schema });
    const end = 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()';
    const job = jobOf('r', async () => void (await pool.query(end)));
    const outcome = await job.deliver(journal).catch((error: unknown) => error);
    const statement = journal.read('r').catch((error: unknown) => error);
    await openPool(server).query(end);
    const failures = [outcome, await statement];
    await journal.runs().catch((error: unknown) => failures.push(error));
    expect(failures.map(shown).join('\n')).not.toContain(server.password);
    // The first pool may still hold connections that have ended.
    const after = openPool(server);
    const tables = await after.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = $1',
      [schema],
    );
    expect(tables.rows.length).toBeGreaterThan(3);
    let rows = '';
    for (const { name } of tables.rows)
      rows += JSON.stringify((await after.query(`select * from ${schema}.${name}`)).rows);
    expect(rows).toContain('"send');
    expect(rows).not.toContain(server.password);
  });
});
