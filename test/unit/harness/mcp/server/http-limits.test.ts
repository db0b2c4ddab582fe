import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openMcpServer } from 'weakincentives/mcp';
import { openHttpEndpoint } from '../../../../../src/harness/mcp/server/http-endpoint.ts';
import { loadNodeSdk } from '../../../../../src/harness/mcp/wire/sdk.ts';
import { ask, openConnection, ordinaryHeaders } from '../../../../support/mcp/raw-http.ts';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';

const token = 'the-token-of-this-test';

async function endpoint(limits: object = {}) {
  let requests = 0;
  const warnings: (readonly [string, unknown])[] = [];
  const warn = (message: string, details?: unknown): void => void warnings.push([message, details]);
  const logger = { debug: warn, info: warn, warn, error: warn };
  const listening = await openHttpEndpoint({
    nodeSdk: await loadNodeSdk(),
    transport: { token },
    logger,
    limits,
    serve: async (request) => {
      await request.text();
      requests += 1;
      return Response.json({ ok: true });
    },
  });
  return {
    ...listening,
    get requests() {
      return requests;
    },
    warnings,
    [Symbol.asyncDispose]: () => listening.close(),
  };
}

async function opened(url: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket.resume(), 'close');
};

test('there are no more connections than there may be, and one that ends makes room', async () => {
  await using server = await endpoint({ maxConnections: 2 });
  const [one, two] = [await opened(server.url), await opened(server.url)];
  for (let attempt = 0; attempt < 3; attempt += 1) await closed(await opened(server.url));
  expect(server.warnings).toEqual([
    ['A connection was closed: there are as many as there may be.', { limit: 2 }],
  ]);
  one.destroy();
  await closed(one);
  await expect.poll(() => ask(server).then(({ status }) => status, String)).toBe(200);
  expect(two.closed).toBe(false);
  two.destroy();
});

test.each([
  ['says nothing', ''],
  ['never ends its headers', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: '],
])('a connection that %s is closed', async (_what, text) => {
  await using server = await endpoint({ headersTimeoutMs: 20 });
  const { socket } = await openConnection(server);
  socket.write(text);
  await closed(socket);
  expect(server.requests).toBe(0);
});

test('a body that never ends is not waited for', async () => {
  await using server = await endpoint({ headersTimeoutMs: 20, requestTimeoutMs: 40 });
  const { socket } = await openConnection(server);
  const lines = Object.entries({ host: '127.0.0.1', ...ordinaryHeaders(server), 'content-length': '9' });
  socket.write(
    `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{`,
  );
  await closed(socket);
  expect(socket.destroyed).toBe(true);
});

test.each([
  [undefined, 512],
  [1, 64],
])('with %j as maxSessions there are %i connections', async (maxSessions, expected) => {
  const served = { name: 'served', version: '1.0.0', transport: { kind: 'http', token } } as const;
  await using server = await openMcpServer(servedPrompt().prompt, {
    ...served,
    ...(maxSessions === undefined ? {} : { maxSessions }),
  });
  const url = server.url ?? '';
  const sockets = await Promise.all(Array.from({ length: expected - 1 }, () => opened(url)));
  expect((await ask(server, { method: 'GET' })).status).toBe(400);
  // That of the answer may be kept for another request.
  const more = await Promise.all([opened(url), opened(url)]);
  await Promise.race(more.map(closed));
  expect(sockets.filter((socket) => socket.closed)).toEqual([]);
  for (const socket of [...sockets, ...more]) socket.destroy();
});
