import { PassThrough } from 'node:stream';
import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type McpToolServer, openMcpServer } from 'weakincentives/mcp';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';
import {
  ask,
  head,
  initialize,
  message,
  openConnection,
  ordinaryHeaders,
} from '../../../../support/mcp/raw-http.ts';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';
import { streamPair } from '../../../../support/mcp/stream-transport.ts';

for (const connection of connections) {
  test(`${connectionName(connection)}: a call of a client that leaves is rolled back, and the signal of its handler is aborted`, async () => {
    const { aborted, filesystem, prompt, slow } = servedPrompt();
    let end: (outcome: string) => void = () => undefined;
    const outcome = new Promise<string>((resolve) => {
      end = resolve;
    });
    const observer = {
      onEvent: (event: { readonly type: string; readonly invocation?: { readonly outcome: string } }) => {
        if (event.type === 'tool-call-end') end(event.invocation?.outcome ?? '');
      },
    };
    await using served = await connectServer(prompt, connection, { observers: [observer] });
    served.call('slow').catch(() => undefined);
    await slow.reached;
    await served.leave();
    await aborted;
    slow.open();
    expect(await outcome).toBe('aborted');
    expect(await filesystem.stat('slow.txt')).toBeUndefined();
    // One without its client ends; over HTTP there may be others.
    if (connection.transport === 'stdio') await served.server.closed;
  });
}

test('http, legacy: a connection that breaks off in the middle of a call rolls it back; the session continues', async () => {
  const { aborted, filesystem, prompt, slow } = servedPrompt();
  await using server = await openMcpServer(prompt, {
    name: 'served',
    version: '1.0.0',
    transport: { kind: 'http' },
  });
  const opened = await ask(server, { body: initialize });
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const body = message('tools/call', { name: 'slow', arguments: {} });
  const connection = await openConnection(server);
  const length = { 'content-length': String(body.length) };
  connection.socket.write(`${head(server, { ...ordinaryHeaders(server), ...session, ...length })}${body}`);
  await slow.reached;
  connection.socket.resetAndDestroy();
  await aborted;
  slow.open();
  const add = message('tools/call', { name: 'add', arguments: { by: 1 } }, 2);
  expect((await ask(server, { headers: session, body: add })).body).toContain('The count is 1.');
  expect(await filesystem.stat('slow.txt')).toBeUndefined();
});

/** A server on streams, with a client that has begun a call. */
async function callOnStreams() {
  const prompt = servedPrompt();
  const { client: end, input, output } = streamPair();
  const server = await openMcpServer(prompt.prompt, {
    name: 'served',
    version: '1.0.0',
    transport: { kind: 'stdio', input, output },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(end);
  client.callTool({ name: 'slow', arguments: {} }).catch(() => undefined);
  await prompt.slow.reached;
  return { ...prompt, server, client, input, output };
}

test.each([
  ['the input breaks', ({ input }) => input.destroy(new Error('EIO'))],
  ['the input is closed', ({ input }) => input.destroy()],
  ['the output breaks', ({ output }) => output.destroy(new Error('EPIPE'))],
  ['the output is closed', ({ output }) => output.destroy()],
] as const satisfies readonly (readonly [
  string,
  (streams: { readonly input: PassThrough; readonly output: PassThrough }) => unknown,
])[])('stdio: when %s, the calls are rolled back and the server ends', async (_what, breakOff) => {
  const { aborted, filesystem, server, slow, client, input, output } = await callOnStreams();
  breakOff({ input, output });
  await aborted;
  slow.open();
  await server.closed;
  expect(await filesystem.stat('slow.txt')).toBeUndefined();
  await client.close();
});

/** A server on streams, without a client of the SDK. */
async function bareServer(): Promise<{
  readonly server: McpToolServer;
  readonly input: PassThrough;
  /** Resolves with the next message. */
  readonly next: () => Promise<JSONRPCMessage>;
}> {
  const input = new PassThrough();
  const output = new PassThrough();
  const { prompt } = servedPrompt();
  const transport = { kind: 'stdio', input, output } as const;
  const server = await openMcpServer(prompt, { name: 'served', version: '1.0.0', transport });
  const lines: JSONRPCMessage[] = [];
  let wake: () => void = () => undefined;
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as JSONRPCMessage));
    wake();
  });
  const next = async (): Promise<JSONRPCMessage> => {
    for (;;) {
      const line = lines.shift();
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { server, input, next };
}

test('stdio: input that has ended before the server was opened ends it', async () => {
  const input = new PassThrough();
  input.end();
  input.resume();
  await new Promise<void>((resolve) => input.once('close', () => resolve()));
  const server = await openMcpServer(servedPrompt().prompt, {
    name: 'served',
    version: '1.0.0',
    transport: { kind: 'stdio', input, output: new PassThrough() },
  });
  await expect(server.closed).resolves.toBeUndefined();
});

test('stdio: lines that are no messages are passed over', async () => {
  const { server, input, next } = await bareServer();
  await using _server = server;
  for (const line of [
    'not JSON',
    '',
    '{"jsonrpc":"2.0"}',
    '[]',
    'null',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  ])
    input.write(`${line}\n`);
  input.write(`${initialize}\n`);
  expect(await next()).toMatchObject({ id: 1, result: { serverInfo: { name: 'served' } } });
  input.write(`${message('tools/call', { name: 'add' }, 2)}\n`);
  expect(await next()).toMatchObject({ id: 2, result: { isError: true } });
  input.write(`${message('tools/call', { name: 'add', arguments: 'by' }, 3)}\n`);
  expect(await next()).toMatchObject({ id: 3, error: { code: -32_602 } });
  input.write(`${message('tools/call', {}, 4)}\n`);
  expect(await next()).toMatchObject({ id: 4, error: { code: -32_602 } });
  input.write(`${message('resources/list', {}, 5)}\n`);
  expect(await next()).toMatchObject({ id: 5, error: { code: -32_601 } });
  input.write(`${message('tools/call', { name: '__proto__', arguments: {} }, 6)}\n`);
  expect(await next()).toMatchObject({ id: 6, error: { code: -32_602 } });
});

test('stdio: nothing but messages is written', async () => {
  const { server, input, next } = await bareServer();
  input.write(`${initialize}\n`);
  // Each line is parsed.
  expect(await next()).toMatchObject({ id: 1 });
  input.write(`${message('tools/call', { name: 'fails', arguments: {} }, 2)}\n`);
  expect(await next()).toMatchObject({ id: 2, result: { isError: true } });
  input.end();
  await server.closed;
});
