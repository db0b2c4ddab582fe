import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { versions } from 'node:process';
import { freePort } from '../../support/free-port.ts';
import { removeTestFolder } from '../../support/ordinary-user.ts';
import { missingPeers, peerFile } from './peers.ts';
import { assertRuns, killProgram, untilAnswered } from './started-program.ts';

const program = peerFile(`@restatedev/restate-server-linux-${arch()}/bin/restate-server`);

/** Why tests of Restate are skipped; undefined where they run. */
export const noRestate: string | undefined =
  (Number(versions.node.split('.')[0]) < 22 ? 'the SDK of Restate needs Node 22' : undefined) ??
  missingPeers('@restatedev/restate-sdk') ??
  (existsSync(program) ? undefined : 'the server of Restate is not installed');

/** A server of Restate on ports of its own. */
export interface RestateServer extends AsyncDisposable {
  /** Makes a service that listens at an address known. */
  register(address: string): Promise<void>;
  /** Calls a handler, and resolves with what it returns, however long that takes. The server may be ended and started meanwhile. */
  call<T>(path: string, body?: unknown): Promise<T>;
  /** Asks for a handler to be called; with a key it is called once. */
  send(path: string, key?: string): Promise<void>;
  /** What a call that was sent with this key has returned. */
  outcome<T>(path: string, key: string): Promise<T>;
  /** What a workflow has returned. */
  attach(workflow: string): Promise<unknown>;
  /** Why the last attempt at the calls of an object has failed; empty: none has. */
  lastFailure(key: string): Promise<string>;
  start(): Promise<void>;
  /** Ends it without any notice. */
  kill(): Promise<void>;
}

/** Starts a server in a folder of its own. Whoever starts it disposes of it. */
export async function startRestate(): Promise<RestateServer> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-'));
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  const adminUrl = `http://127.0.0.1:${admin}`;
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const log = join(folder, 'log');
  let server: ChildProcess | undefined;
  let isOver = false;
  // Between kill() and start() a call waits.
  const check = (): void => {
    if (isOver) throw new Error('The server of Restate was disposed of.');
    if (server !== undefined) assertRuns(server, () => readFileSync(log, 'utf8').slice(-5_000));
  };
  const ask = <T>(address: string, body: unknown, headers?: Readonly<Record<string, string>>) =>
    // The handler says what it returns.
    untilAnswered(() => askOnce(address, body, headers), check).then(({ value }) => value as T);
  const start = async (): Promise<void> => {
    const output = openSync(log, 'a');
    server = spawn(program, ['--no-logo'], {
      cwd: folder,
      stdio: ['ignore', output, output],
      env: {
        RESTATE_BASE_DIR: join(folder, 'data'),
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_BIND_PORT: String(node),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_DEFAULT_NUM_PARTITIONS: '4',
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256 MiB',
        // It is one for each partition; the default of a thousand lets all runs continue at the same time.
        RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '8',
      },
    });
    closeSync(output);
    await untilAnswered(() => isHealthy(`${adminUrl}/health`), check);
    await untilAnswered(() => isHealthy(`${ingressUrl}/restate/health`), check);
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = undefined;
    if (running !== undefined) await killProgram(running);
  };
  await start();
  return {
    start,
    kill,
    register: async (address) => void (await ask(`${adminUrl}/deployments`, { uri: address, force: true })),
    call: (path, body = {}) => ask(`${ingressUrl}/${path}`, body),
    send: async (path, key) =>
      void (await ask(`${ingressUrl}/${path}/send`, {}, key === undefined ? {} : { 'idempotency-key': key })),
    attach: (workflow) => ask(`${ingressUrl}/restate/workflow/${workflow}/attach`, undefined),
    outcome: (path, key) => ask(`${ingressUrl}/${path}`, {}, { 'idempotency-key': key }),
    lastFailure: async (key) => {
      const query = `select last_failure from sys_invocation where target_service_key = '${key}'`;
      const { rows } = await ask<{ readonly rows: readonly { readonly last_failure?: string }[] }>(
        `${adminUrl}/query`,
        { query },
        { accept: 'application/json' },
      );
      return rows.map(({ last_failure: failure = '' }) => failure).join(' ');
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await kill();
      removeTestFolder(folder);
    },
  };
}

/** What a server answers; undefined: nothing, so that it is to be asked again. The calls of these tests can be made any number of times. */
async function askOnce(
  address: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly value: unknown } | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  // It is not ready, or has no leader of the partition yet.
  if (response.status >= 502) return undefined;
  if (!response.ok) throw new Error(`${address}: ${response.status} ${text}`);
  return { value: text === '' ? undefined : JSON.parse(text) };
}

const isHealthy = (address: string): Promise<true | undefined> =>
  fetch(address).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  );
