import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { giveToOrdinaryUser } from '../../support/ordinary-user.ts';
import type { PostgresServer } from './postgres.ts';
import { assertRuns, killProgram, untilAnswered } from './started-program.ts';

const program = '/usr/sbin/pgbouncer';

/** Why tests of PgBouncer are skipped; undefined where they run. */
export const noPgBouncer: string | undefined = existsSync(program) ? undefined : 'PgBouncer is not installed';

/** Starts a PgBouncer that shares two connections to a server between transactions. It ends with the test. @returns what `pg` connects to it by. */
export async function startPgBouncer({ port, user, password }: PostgresServer): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pgb-'));
  const own = await freePort();
  const users = join(folder, 'users');
  writeFileSync(users, `"${user}" "${password}"\n`);
  const settings = [
    '[databases]',
    `postgres = host=127.0.0.1 port=${port} user=${user} password=${password}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =`,
    `auth_type = plain\nauth_file = ${users}`,
    'pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100',
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  const child = spawn(program, ['-q', file], { ...giveToOrdinaryUser(folder), stdio: 'ignore' });
  onTestFinished(() => killProgram(child));
  const isThere = (): Promise<true | undefined> =>
    new Promise((resolve) => {
      const socket = connect(own, '127.0.0.1');
      socket.on('connect', () => resolve(true)).on('error', () => resolve(undefined));
      socket.on('connect', () => socket.destroy());
    });
  await untilAnswered(isThere, () => assertRuns(child));
  return `postgres://${user}:${password}@127.0.0.1:${own}/postgres`;
}
