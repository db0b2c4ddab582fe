import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { versions } from 'node:process';
import { removeTestFolder } from '../../support/ordinary-user.ts';
import { missingPeers, peerFile } from './peers.ts';
import { freePort } from './postgres.ts';

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
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(program, ['--no-logo'], {
      cwd: folder,
      stdio: 'ignore',
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
        // It is one for each partition; the default of a thousand lets all runs go on at the same time.
        RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '8',
      },
    });
    await untilAnswered(`${adminUrl}/health`);
    await untilAnswered(`${ingressUrl}/restate/health`);
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
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
      await kill();
      removeTestFolder(folder);
    },
  };
}

/** Asks again while there is no answer; the calls of these tests can be made any number of times. */
async function ask<T>(
  address: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  for (;;) {
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
      await pause();
      continue;
    }
    // It is not ready, or has no leader of the partition yet.
    if (response.status >= 502) await pause();
    // The handler says what it returns.
    else if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
    else throw new Error(`${address}: ${response.status} ${text}`);
  }
}

async function untilAnswered(address: string): Promise<void> {
  for (;;) {
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await pause();
  }
}

/** A server of others says when it is ready only to those who ask. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
