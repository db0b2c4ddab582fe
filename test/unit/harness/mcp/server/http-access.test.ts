import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { type McpHttpTransport, type McpToolServer, openMcpServer } from 'weakincentives/mcp';
import {
  ask,
  head,
  initialize,
  message,
  openConnection,
  ordinaryHeaders,
} from '../../../../support/mcp/raw-http.ts';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';

const token = 'the-token-of-this-test';

/** A server that counts the sessions that are opened. */
async function serve(
  transport: Partial<McpHttpTransport> = {},
): Promise<McpToolServer & { readonly opened: () => number }> {
  let opened = 0;
  const server = await openMcpServer(servedPrompt().prompt, {
    name: 'served',
    version: '1.0.0',
    openSession: () => {
      opened += 1;
      return {};
    },
    transport: { kind: 'http', token, ...transport },
  });
  return { ...server, opened: () => opened };
}

const errorOf = (body: string): unknown => JSON.parse(body);

test.each([
  ['no token', { authorization: undefined }],
  ['another token', { authorization: 'Bearer another-token-of-this-test' }],
  ['the beginning of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ['more than the token', { authorization: `Bearer ${token}x` }],
  ['an empty token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${token}` }],
  ['the token alone', { authorization: token }],
])('a request with %s is refused with 401 and what it needs', async (_what, headers) => {
  await using server = await serve();
  const { body, headers: answered, status } = await ask(server, { headers, body: initialize });
  expect(status).toBe(401);
  expect(answered['www-authenticate']).toBe('Bearer');
  expect(errorOf(body)).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32_000,
      message: 'The request has no valid token: send the header "Authorization: Bearer TOKEN".',
    },
  });
  expect(server.opened()).toBe(0);
});

test.each(['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD'])('%s needs the token, too', async (method) => {
  await using server = await serve();
  expect((await ask(server, { method, headers: { authorization: undefined } })).status).toBe(401);
});

test('the token may be the end of the address', async () => {
  await using server = await serve();
  const headers = { authorization: undefined };
  expect((await ask(server, { path: `/mcp/${token}`, headers, body: initialize })).status).toBe(200);
  for (const path of [`/mcp/${token}x`, `/mcp/${token.slice(1)}`, '/mcp/', '/mcp?token', `/mcp?${token}`])
    expect((await ask(server, { path, headers, body: initialize })).status).toBe(401);
});

test('a request with a token in a header is judged by it alone', async () => {
  await using server = await serve();
  const wrong = { authorization: 'Bearer another-token-of-this-test' };
  expect((await ask(server, { path: `/mcp/${token}`, headers: wrong, body: initialize })).status).toBe(401);
  const right = { authorization: `bearer   ${token}` };
  expect((await ask(server, { path: '/mcp/whatever', headers: right, body: initialize })).status).toBe(200);
});

test.each([
  ['an endless body', 'transfer-encoding: chunked', '5\r\nxxxxx\r\n'.repeat(1_000)],
  ['a body that never comes', 'content-length: 4000000', ''],
  ['a body over the limit', 'content-length: 99999999999', 'x'.repeat(100_000)],
  ['a body that is not JSON', 'content-length: 9', 'not JSON!'],
])('401 comes before anything of %s is read', async (_what, length, body) => {
  await using server = await serve();
  const connection = await openConnection(server);
  const [name = '', value = ''] = length.split(': ');
  connection.socket.write(`${head(server, { [name]: value, 'content-type': 'application/json' })}${body}`);
  expect(await connection.received('Authorization: Bearer TOKEN')).toMatch(
    /^HTTP\/1\.1 401 Unauthorized\r\n/,
  );
  await new Promise<void>((resolve) => {
    if (connection.socket.closed) resolve();
    connection.socket.once('close', () => resolve());
  });
  expect(server.opened()).toBe(0);
});

test.each([
  'example.com',
  'example.com:80',
  'localhost.example.com',
  '127.0.0.1.example.com',
  '10.0.0.1',
  '0.0.0.0',
  '[::2]',
  'localhost:80:80',
])('the host "%s" is refused with 403, whatever the token', async (host) => {
  await using server = await serve();
  const { body, status } = await ask(server, { headers: { host }, body: initialize });
  expect(status).toBe(403);
  expect(errorOf(body)).toMatchObject({ error: { message: 'The host of the request is not allowed.' } });
  expect(server.opened()).toBe(0);
});

test.each(['', 'host: '])('a request without a host is refused with %j in its place', async (line) => {
  await using server = await serve();
  const connection = await openConnection(server);
  connection.socket.write(
    `POST /mcp HTTP/1.0\r\n${line === '' ? '' : `${line}\r\n`}authorization: Bearer ${token}\r\n\r\n`,
  );
  expect(await connection.received('not allowed')).toMatch(/^HTTP\/1\.1 403 /);
});

test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:8080'])(
  'the host "%s" is this machine',
  async (host) => {
    await using server = await serve();
    expect((await ask(server, { headers: { host }, body: initialize })).status).toBe(200);
  },
);

test.each([
  'https://example.com',
  'http://localhost.example.com',
  'http://127.0.0.1@example.com',
  'null',
  'localhost',
  '',
])('the origin "%s" is refused with 403, whatever the token', async (origin) => {
  await using server = await serve();
  const { body, status } = await ask(server, { headers: { origin }, body: initialize });
  expect(status).toBe(403);
  expect(errorOf(body)).toMatchObject({ error: { message: 'The origin of the request is not allowed.' } });
  expect(server.opened()).toBe(0);
});

test.each(['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]'])(
  'the origin "%s" is this machine',
  async (origin) => {
    await using server = await serve();
    const { headers, status } = await ask(server, { headers: { origin }, body: initialize });
    expect(status).toBe(200);
    // Its pages may ask, but no page may read what other origins get.
    expect(headers['access-control-allow-origin']).toBeUndefined();
  },
);

test('there is nothing at other paths, with the token or without', async () => {
  await using server = await serve({ path: '/tools/of/mine' });
  expect(new URL(server.url ?? '').pathname).toBe('/tools/of/mine');
  for (const path of [
    '/',
    '/mcp',
    '/tools/of',
    '/tools/of/mine2',
    `/tools/of/mine/${token}/more`,
    '//tools/of/mine',
  ]) {
    for (const authorization of [undefined, `Bearer ${token}`]) {
      const { body, status } = await ask(server, { path, headers: { authorization }, body: initialize });
      expect([path, status]).toEqual([path, 404]);
      expect(errorOf(body)).toMatchObject({
        error: { message: 'There is nothing here. The server is at /tools/of/mine.' },
      });
    }
  }
  expect((await ask(server, { path: `/tools/of/mine/${token}`, body: initialize })).status).toBe(200);
});

test('a body over the limit is refused with 413, one at the limit is read', async () => {
  await using server = await serve();
  const padded = (bytes: number): string => {
    const body = message('ping', { text: '' });
    return message('ping', { text: 'x'.repeat(bytes - Buffer.byteLength(body)) });
  };
  expect((await ask(server, { body: padded(4_194_304) })).status).toBe(400);
  const { body, status } = await ask(server, { body: padded(4_194_305) });
  expect(status).toBe(413);
  expect(errorOf(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
  const chunked = await openConnection(server);
  chunked.socket.write(head(server, { ...ordinaryHeaders(server), 'transfer-encoding': 'chunked' }));
  chunked.socket.write(`200000\r\n${'x'.repeat(0x20_00_00)}\r\n`.repeat(3));
  expect(await chunked.received('\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /);
  expect(server.opened()).toBe(0);
});

test.each([
  ['not JSON', 'not JSON', 400, -32_700],
  ['empty', '', 400, -32_700],
  ['a text', '"initialize"', 400, -32_600],
  ['nothing', 'null', 400, -32_600],
  ['an empty list', '[]', 400, -32_600],
  ['a call without a session', message('tools/call', { name: 'add', arguments: { by: 1 } }), 400, -32_000],
  ['a list of calls without a session', `[${message('tools/list')},${message('ping', {}, 2)}]`, 400, -32_000],
  ['deeply nested', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400, -32_600],
])('a body that is %s is refused', async (_what, body, status, code) => {
  await using server = await serve();
  const answer = await ask(server, { body });
  expect(answer.status).toBe(status);
  expect(errorOf(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code } });
  expect(server.opened()).toBe(0);
});

test('another content type is refused with 415', async () => {
  await using server = await serve();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', undefined]) {
    const { status } = await ask(server, { headers: { 'content-type': type }, body: initialize });
    expect(status).toBe(415);
  }
  const json = { 'content-type': 'application/json; charset=utf-8' };
  expect((await ask(server, { headers: json, body: initialize })).status).toBe(200);
});

test('the calls of a session are refused with 404 where there is no such session', async () => {
  await using server = await serve();
  for (const method of ['POST', 'GET', 'DELETE']) {
    const { body, status } = await ask(server, {
      method,
      headers: { 'mcp-session-id': 'A'.repeat(43) },
      ...(method === 'POST' ? { body: message('tools/list') } : {}),
    });
    expect(status).toBe(404);
    expect(errorOf(body)).toMatchObject({
      error: { message: 'The session is unknown. It may have ended.' },
    });
  }
  expect(server.opened()).toBe(0);
});

test('a session of another token does not exist', async () => {
  const other = 'another-token-of-this-test';
  await using server = await serve({ token: [token, other] });
  const opened = await ask(server, { body: initialize });
  const id = String(opened.headers['mcp-session-id']);
  expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const list = { headers: { 'mcp-session-id': id }, body: message('tools/list') };
  expect((await ask(server, list)).status).toBe(200);
  const stolen = { ...list, headers: { ...list.headers, authorization: `Bearer ${other}` } };
  expect((await ask(server, stolen)).status).toBe(404);
  const ended = { method: 'DELETE', headers: stolen.headers };
  expect((await ask(server, ended)).status).toBe(404);
  expect((await ask(server, list)).status).toBe(200);
});

test('several messages in one body are answered together', async () => {
  await using server = await serve();
  const opened = await ask(server, { body: initialize });
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const call = (id: number, by: number): string =>
    message('tools/call', { name: 'add', arguments: { by } }, id);
  const { body, status } = await ask(server, { headers, body: `[${call(7, 1)},${call(8, 1)}]` });
  expect(status).toBe(200);
  expect(body).toContain('"id":7');
  expect(body).toContain('"id":8');
  expect(body).toContain('The count is 2.');
  const many = await ask(server, {
    headers,
    body: `[${Array.from({ length: 101 }, (_, id) => call(id, 1))}]`,
  });
  expect(many.status).toBe(400);
});

test('a port is one of 127.0.0.1 only', async () => {
  await using server = await serve();
  const { hostname, port } = new URL(server.url ?? '');
  expect(hostname).toBe('127.0.0.1');
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, scopeid }) => address !== '127.0.0.1' && (scopeid ?? 0) === 0);
  for (const { address } of others) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: address, port: Number(port) });
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', () => resolve(true));
    });
    expect([address, refused]).toEqual([address, true]);
  }
});

test('a port that is in use, and options that cannot be used, are refused', async () => {
  await using server = await serve();
  const port = Number(new URL(server.url ?? '').port);
  await expect(serve({ port })).rejects.toThrow(`The port ${port} is in use.`);
  await expect(serve({ port: 70_000 })).rejects.toThrow(
    'transport.port must be a whole number from 0 to 65535',
  );
  await expect(serve({ port: 1.5 })).rejects.toThrow('transport.port');
  await expect(serve({ path: 'mcp' })).rejects.toThrow('transport.path must be a path such as "/mcp"');
  await expect(serve({ path: '/mcp/' })).rejects.toThrow('transport.path');
  await expect(serve({ token: 'short' })).rejects.toThrow('transport.token must be at least 16 characters');
  await expect(serve({ token: [] })).rejects.toThrow('transport.token');
  await expect(serve({ token: [token, 'a token with spaces'] })).rejects.toThrow('transport.token');
});

test('a token that nobody chose has 256 random bits', async () => {
  const prompt = servedPrompt().prompt;
  const options = { name: 'served', version: '1.0.0', transport: { kind: 'http' } } as const;
  await using first = await openMcpServer(prompt, options);
  await using second = await openMcpServer(prompt, options);
  expect(first.tokens).toHaveLength(1);
  expect(first.tokens[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(first.tokens[0]).not.toBe(second.tokens[0]);
  expect(first.url).not.toContain(first.tokens[0]);
});
