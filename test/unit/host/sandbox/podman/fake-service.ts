import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { PodmanClient } from '../../../../../src/host/sandbox/podman/podman-client.ts';

/** A kind of request. */
export type Step =
  | 'ping'
  | 'info'
  | 'image'
  | 'list'
  | 'create'
  | 'inspect'
  | 'attach'
  | 'start'
  | 'wait'
  | 'remove'
  | 'unknown';

/** A request that the service got, in order. */
export interface Received {
  readonly step: Step;
  readonly method: string;
  /** Without the version of the interface. */
  readonly path: string;
  readonly body: unknown;
}

/** A container of the fake service. */
export interface FakeContainer {
  /** The body of its creation. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The stream of its inputs and outputs, once it is attached to. */
  stream: Duplex | undefined;
}

/** Writes one frame of an output. */
export function writeFrame(stream: Duplex, kind: 1 | 2, text: string): void {
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  stream.write(Buffer.concat([header, Buffer.from(text)]));
}

/** The random number that the first process of a container was started with. */
export function nonceOf({ spec }: FakeContainer): string {
  const { command } = spec;
  return Array.isArray(command) ? String(command[0]) : '';
}

/** Ends a container as its first process does. */
export function endContainer(container: FakeContainer, exitCode = 0, killedProcesses = 0): void {
  const { stream } = container;
  if (stream === undefined) throw new Error('It is not attached to.');
  writeFrame(stream, 2, `\0${nonceOf(container)}:${killedProcesses}:${exitCode}\n`);
  stream.end();
}

/** What differs from a service on which every command ends at once, with exit code 0 and without output. */
export interface FakeServiceOptions {
  /**
   * Takes the place of the answer to a request when it returns true. Called also for those that succeed otherwise.
   */
  readonly answer?: (
    received: Received,
    response: ServerResponse | Duplex,
    container: FakeContainer | undefined,
  ) => boolean | Promise<boolean>;
  /** What a container does once it is started. Default: it ends. */
  readonly run?: (container: FakeContainer) => void;
  /** The answer to `info`. */
  readonly info?: unknown;
  /** The containers that are there already. */
  readonly containers?: readonly unknown[];
  /** What Podman knows of the end of a container. Default: 0. */
  readonly exitCode?: number;
}

/** A service of Podman on a socket of its own, without containers. */
export interface FakeService extends AsyncDisposable {
  readonly socketPath: string;
  readonly client: PodmanClient;
  readonly received: readonly Received[];
  /** Names of the containers that were created and not removed. */
  readonly containers: ReadonlyMap<string, FakeContainer>;
  /** Stops answering, and breaks what is open. */
  stop(): void;
}

const apiPrefix = '/v4.0.0/libpod';

const steps: readonly (readonly [Step, string, RegExp])[] = [
  ['ping', 'GET', /^\/_ping$/],
  ['info', 'GET', /^\/info$/],
  ['image', 'GET', /^\/images\/[^/]+\/exists$/],
  ['list', 'GET', /^\/containers\/json\?/],
  ['create', 'POST', /^\/containers\/create$/],
  ['inspect', 'GET', /^\/containers\/([^/]+)\/json$/],
  ['attach', 'POST', /^\/containers\/([^/]+)\/attach\?/],
  ['start', 'POST', /^\/containers\/([^/]+)\/start$/],
  ['wait', 'POST', /^\/containers\/([^/]+)\/wait\?/],
  ['remove', 'DELETE', /^\/containers\/([^/?]+)\?/],
];

function stepOf(method: string, path: string): { readonly step: Step; readonly name: string } {
  for (const [step, wanted, pattern] of steps) {
    const match = wanted === method ? pattern.exec(path) : null;
    if (match !== null) return { step, name: match[1] ?? '' };
  }
  return { step: 'unknown', name: '' };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Answers as Podman does, with an error of its form. */
export function refuse(response: ServerResponse | Duplex, status: number, message: string): true {
  const body = JSON.stringify({ cause: message, message, response: status });
  if ('writeHead' in response) response.writeHead(status).end(body);
  else response.end(`HTTP/1.1 ${status} x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return true;
}

/** Starts a fake service. */
export async function fakeService(options: FakeServiceOptions = {}): Promise<FakeService> {
  const folder = mkdtempSync(join(tmpdir(), 'wink-fake-podman-'));
  const socketPath = join(folder, 'podman.sock');
  const received: Received[] = [];
  const containers = new Map<string, FakeContainer>();
  const sockets: Duplex[] = [];
  const { run = (container: FakeContainer) => endContainer(container), exitCode = 0 } = options;

  const handle = async (request: IncomingMessage, response: ServerResponse | Duplex): Promise<void> => {
    const path = (request.url ?? '').slice(apiPrefix.length);
    const method = request.method ?? '';
    const { step, name } = stepOf(method, path);
    const request_ = {
      step,
      method,
      path,
      body: 'writeHead' in response ? await bodyOf(request) : undefined,
    };
    received.push(request_);
    // Also where the answer is lost.
    if (step === 'create' && isObject(request_.body))
      containers.set(String(request_.body['name']), { spec: request_.body, stream: undefined });
    const container = containers.get(name);
    const isAnswered = (await options.answer?.(request_, response, container)) === true;
    if (isAnswered || response.destroyed) return;
    if (!('writeHead' in response)) {
      if (container === undefined) return void refuse(response, 404, 'no such container');
      container.stream = response;
      response.write('HTTP/1.1 101 UPGRADED\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\n');
      return;
    }
    const reply = (value?: unknown): void =>
      void response
        .writeHead(value === undefined ? 204 : 200)
        .end(value === undefined ? '' : JSON.stringify(value));
    if (step === 'ping') return void response.end('OK');
    if (step === 'info') return reply(options.info ?? { host: { security: { rootless: false } } });
    if (step === 'image') return reply();
    if (step === 'list') return reply(options.containers ?? []);
    if (step === 'create') return reply({ Id: 'some', Warnings: [] });
    if (step === 'remove' && container === undefined && name.startsWith('wink-'))
      return void refuse(response, 404, 'no such container');
    if (step === 'remove') {
      containers.delete(name);
      container?.stream?.destroy();
      return reply([]);
    }
    if (container === undefined) return void refuse(response, 404, `there is no ${step}`);
    if (step === 'start') {
      reply();
      return run(container);
    }
    if (step === 'wait') return reply(exitCode);
    refuse(response, 404, `there is no ${step}`);
  };

  const server: Server = createServer((request, response) => void handle(request, response));
  server.on('connection', (socket) => sockets.push(socket));
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => undefined);
    void handle(request, socket);
  });
  await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    socketPath,
    client: new PodmanClient(socketPath),
    received,
    containers,
    stop,
    [Symbol.asyncDispose]: async () => {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
