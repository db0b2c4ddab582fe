import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { giveToOrdinaryUser, removeTestFolder } from '../../support/ordinary-user.ts';

const execute = promisify(execFile);

/** Where Debian has the programs of each version, the newest first; otherwise the search path has them. */
function programFolders(): readonly string[] {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions) ? readdirSync(versions) : [];
  const debian = found
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versions, version, 'bin'));
  return [...debian, ...(process.env['PATH'] ?? '').split(delimiter)];
}

const programs = programFolders().find((folder) =>
  ['initdb', 'pg_ctl', 'postgres'].every((name) => existsSync(join(folder, name))),
);

/** Why tests of PostgreSQL are skipped; undefined where they run. */
export const noPostgres: string | undefined =
  programs === undefined ? 'the server of PostgreSQL is not installed' : undefined;

/** Name of a suite, with the reason why it is skipped. */
export const postgresSuite = (name: string): string =>
  noPostgres === undefined ? name : `${name} (skipped: ${noPostgres})`;

/** A server of PostgreSQL with a database of its own, as an ordinary user of the machine. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** For `pg`, over TCP; the user may do everything in the database. */
  readonly url: string;
  /** What `pg` connects by without a password, over the socket. */
  readonly socket: PoolConfig;
  /** A name that no schema of the server has yet. */
  freshSchema(): string;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  /** Ends its connections, then itself. */
  stop(): Promise<void>;
  /** Ends it as a loss of its processes does: the next start recovers from the log. */
  crash(): Promise<void>;
}

/**
 * Starts a server in a folder of its own. Whoever starts it disposes of it, which ends it.
 *
 * @param settings lines for its configuration.
 */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  // Short: the path of a socket has at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o700);
  const passwordFile = join(folder, 'password');
  const [user, password] = ['wink', randomUUID()];
  writeFileSync(passwordFile, password);
  const owner = giveToOrdinaryUser(folder);
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const run = (name: string, ...args: readonly string[]): Promise<unknown> =>
    // With pipes it would wait for the server, which has them, too.
    execute(join(programs ?? '', name), args, { ...owner, cwd: folder });
  await run(
    'initdb',
    ...['--pgdata', data, '--username', user, '--pwfile', passwordFile, '--encoding', 'UTF8'],
    ...['--locale', 'C', '--no-sync', '--auth-local=trust', '--auth-host=scram-sha-256'],
  );
  const port = await freePort();
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_connections = 200',
    // The end of its processes loses nothing of what the operating system has.
    'fsync = off',
    ...settings,
  ];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  const start = async (): Promise<void> => {
    try {
      await run('pg_ctl', 'start', '--wait', '--pgdata', data, '--log', log);
    } catch (error) {
      throw new Error(`PostgreSQL does not start:\n${readFileSync(log, 'utf8')}`, { cause: error });
    }
  };
  const end = (mode: 'fast' | 'immediate') => async (): Promise<void> => {
    await run('pg_ctl', 'stop', '--wait', '--pgdata', data, '--mode', mode);
  };
  await start();
  let schemas = 0;
  return {
    port,
    user,
    password,
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    socket: { host: folder, port, user, database: 'postgres' },
    freshSchema: () => `wink_${(schemas += 1)}`,
    start,
    stop: end('fast'),
    crash: end('immediate'),
    [Symbol.asyncDispose]: async () => {
      if (existsSync(join(data, 'postmaster.pid'))) await end('immediate')();
      removeTestFolder(folder);
    },
  };
}

/** The connections that each pool has. */
const clientsOf = new WeakMap<Pool, ReadonlySet<PoolClient>>();

/** Expects that a pool has all of its connections back once what is executed on them has ended. Fails at once for one that is kept. */
export async function expectAllBack(pool: Pool): Promise<void> {
  const isBusy = (): boolean => {
    const clients = [...(clientsOf.get(pool) ?? [])];
    // The types of pg leave out that a client is ready.
    return (
      clients.length < pool.totalCount ||
      clients.some((client) => Reflect.get(client, 'readyForQuery') !== true)
    );
  };
  await expect.poll(isBusy).toBe(false);
  expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]);
}

/** A pool on a server, which is ended after the test. */
export function openPool(server: Pick<PostgresServer, 'url'>, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: server.url, max: 4, ...options });
  // Without a listener a server that ends would end the process.
  pool.on('error', () => undefined);
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => void clients.add(client));
  pool.on('remove', (client) => void clients.delete(client));
  clientsOf.set(pool, clients);
  onTestFinished(async () => {
    // A test that has failed may not have given back what it took, which the pool would wait for.
    for (const client of clients) client.on('error', () => undefined);
    await Promise.all([...clients].map((client) => Reflect.apply(Client.prototype.end, client, [])));
  });
  return pool;
}
