import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { Session, SessionBusyError } from 'weakincentives';
import { type McpToolServer, type OpenMcpServerOptions, openMcpServer } from 'weakincentives/mcp';
import {
  type Connection,
  connectClient,
  connectionName,
  connections,
  connectServer,
  type Negotiation,
} from '../../../../support/mcp/clients.ts';
import { ask, initialize, message } from '../../../../support/mcp/raw-http.ts';
import { servedClock } from '../../../../support/mcp/served-clock.ts';
import { Count, type ServedPrompt, servedPrompt } from '../../../../support/mcp/served-prompt.ts';

const eras: readonly Connection['era'][] = ['legacy', 'modern'];

const clients: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

interface Served extends ServedPrompt, AsyncDisposable {
  readonly server: McpToolServer;
  /** A further client, with this token. */
  client(era: Negotiation, tokenIndex?: number): ReturnType<typeof connectClient>;
}

async function serve(
  options: Partial<Omit<OpenMcpServerOptions, 'transport'>> & { readonly token?: readonly string[] } = {},
): Promise<Served> {
  const { token, ...others } = options;
  const prompt = servedPrompt();
  const server = await openMcpServer(prompt.prompt, {
    name: 'served',
    version: '1.0.0',
    ...others,
    transport: { kind: 'http', ...(token === undefined ? {} : { token }) },
  });
  return {
    ...prompt,
    server,
    client: async (era, tokenIndex = 0) => {
      const client = await connectClient({ url: server.url, tokens: [server.tokens[tokenIndex] ?? ''] }, era);
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const add = (by: number) => ({ name: 'add', arguments: { by } });
const counts = (total: number) => ({
  content: [{ text: expect.stringContaining(`The count is ${total}.`) }],
});
const idOf = ({ transport }: Awaited<ReturnType<typeof connectClient>>): string =>
  transport instanceof StreamableHTTPClientTransport ? (transport.sessionId ?? '') : '';

test('until 2025-11-25 each client has a session of its own', async () => {
  await using served = await serve();
  const [first, second] = [await served.client('legacy'), await served.client('legacy')];
  expect(idOf(first)).not.toBe(idOf(second));
  expect(await first.callTool(add(1))).toMatchObject(counts(1));
  expect(await second.callTool(add(10))).toMatchObject(counts(10));
  expect(await first.callTool(add(1))).toMatchObject(counts(2));
});

test('since 2026-07-28 those with the same token share one, those with different tokens do not', async () => {
  await using served = await serve({ token: ['first-token-of-a-client', 'second-token-of-a-client'] });
  const [first, same, other] = [
    await served.client('modern'),
    await served.client('modern'),
    await served.client('modern', 1),
  ];
  expect(await first.callTool(add(1))).toMatchObject(counts(1));
  expect(await same.callTool(add(1))).toMatchObject(counts(2));
  expect(await other.callTool(add(10))).toMatchObject(counts(10));
  // A client of the other era never shares one.
  const legacy = await served.client('legacy');
  expect(await legacy.callTool(add(100))).toMatchObject(counts(100));
});

test('a client that ends its session rolls back its calls, and no one else notices', async () => {
  await using served = await serve();
  const [ending, other] = [await served.client('legacy'), await served.client('legacy')];
  expect(await other.callTool(add(1))).toMatchObject(counts(1));
  const call = ending.callTool({ name: 'slow', arguments: {} });
  const failure = expect(call).rejects.toMatchObject({
    code: -32_603,
    message: expect.stringContaining('The call was aborted: by its client, or because the session'),
  });
  await served.slow.reached;
  const id = idOf(ending);
  const { transport } = ending;
  if (!(transport instanceof StreamableHTTPClientTransport)) throw new Error('It is over HTTP.');
  await transport.terminateSession();
  await failure;
  served.slow.open();
  await served.aborted;
  expect(await served.filesystem.stat('slow.txt')).toBeUndefined();
  const gone = await ask(served.server, { headers: { 'mcp-session-id': id }, body: message('tools/list') });
  expect(gone.status).toBe(404);
  expect(await other.callTool(add(1))).toMatchObject(counts(2));
});

test('a session that is idle for too long is closed; its client begins a new one', async () => {
  const clock = servedClock();
  await using served = await serve({ clock });
  const opened = await ask(served.server, { body: initialize });
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const list = () => ask(served.server, { headers, body: message('tools/list') });
  clock.advance(899_999);
  expect((await list()).status).toBe(200);
  clock.advance(899_999);
  expect((await list()).status).toBe(200);
  clock.advance(900_000);
  expect((await list()).status).toBe(404);
});

test('the session of a token is closed when it is idle, too, with all that was counted in it', async () => {
  const clock = servedClock();
  await using served = await serve({ clock });
  const client = await served.client('modern');
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
  clock.advance(899_999);
  expect(await client.callTool(add(1))).toMatchObject(counts(2));
  clock.advance(900_000);
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
});

test('a client that listens is not idle', async () => {
  const clock = servedClock();
  await using served = await serve({ clock });
  // Listens from the start, with a request that stays open.
  const client = await served.client('legacy');
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
  clock.advance(6_000_000);
  expect(await client.callTool(add(1))).toMatchObject(counts(2));
});

test.each(eras)('%s: a client whose call runs is not idle', async (era) => {
  const clock = servedClock();
  await using served = await serve({ clock });
  const client = await served.client(era);
  const call = client.callTool({ name: 'slow', arguments: {} });
  await served.slow.reached;
  clock.advance(6_000_000);
  served.slow.open();
  expect(await call).toMatchObject({ content: [{ text: expect.stringContaining('Slow is done.') }] });
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
});

test('there are no more sessions than there may be; one that ends makes room', async () => {
  await using served = await serve({
    maxSessions: 2,
    token: ['first-token-of-a-client', 'second-token-of-a-client'],
  });
  const first = await served.client('legacy');
  await served.client('modern').then((client) => client.callTool(add(1)));
  const refusal = 'The server has as many sessions as it may have: 2. Close one, or raise maxSessions.';
  await expect(served.client('legacy')).rejects.toMatchObject({ code: -32_000, message: refusal });
  await expect(served.client('auto', 1)).rejects.toMatchObject({ code: -32_000, message: refusal });
  const { transport } = first;
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
  const next = await served.client('legacy');
  expect(await next.callTool(add(1))).toMatchObject(counts(1));
});

test('a session that the program gives is for one client at a time; others read that it is busy', async () => {
  const clock = servedClock();
  await using session = new Session();
  await using served = await serve({ session, clock });
  const modern = await served.client('modern');
  expect(await modern.callTool(add(1))).toMatchObject(counts(1));
  const busy = { code: -32_000, message: expect.stringContaining('session') };
  await expect(served.client('legacy')).rejects.toMatchObject(busy);
  await expect(served.client('auto')).resolves.toBeDefined();
  clock.advance(900_000);
  const legacy = await served.client('legacy');
  // What was counted is in the session of the program.
  expect(await legacy.callTool(add(1))).toMatchObject(counts(2));
  await expect(modern.callTool(add(1))).rejects.toMatchObject(busy);
  await served.server[Symbol.asyncDispose]();
  expect(session.slice(Count).latest()).toEqual({ total: 2 });
  // It is free again.
  const options = { name: 'served', version: '1.0.0', session, transport: { kind: 'http' } } as const;
  await using next = await openMcpServer(served.prompt, options);
  const client = await connectClient(next, 'legacy');
  expect(await client.callTool(add(1))).toMatchObject(counts(3));
  await client.close();
});

test('a session that cannot be opened is refused with what its client may know', async () => {
  let failure: Error | undefined;
  await using served = await serve({
    clock: servedClock(),
    openSession: () => {
      if (failure !== undefined) throw failure;
      return {};
    },
  });
  failure = new SessionBusyError('The queue is full.');
  await expect(served.client('legacy')).rejects.toMatchObject({
    code: -32_000,
    message: 'The queue is full.',
  });
  failure = new Error('/home/user/secret.json is not there');
  await expect(served.client('legacy')).rejects.toMatchObject({
    code: -32_000,
    message: 'The request failed inside of the server. Its log says why.',
  });
  failure = undefined;
  const client = await served.client('modern');
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
});

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: a server that is disposed answers the calls that run, and leaves nothing of them`, async () => {
    const { aborted, filesystem, prompt, slow } = servedPrompt();
    const served = await connectServer(prompt, connection);
    const failure = expect(served.call('slow')).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('The call was aborted'),
    });
    await slow.reached;
    const disposed = served.server[Symbol.asyncDispose]();
    slow.open();
    await disposed;
    await failure;
    await aborted;
    await served.server.closed;
    expect(await filesystem.stat('slow.txt')).toBeUndefined();
    // Once more is no mistake.
    await served.server[Symbol.asyncDispose]();
    await served.client.close();
  });

  test(`${named}: the signal of the program ends the server`, async () => {
    const { aborted, filesystem, prompt, slow } = servedPrompt();
    const stop = new AbortController();
    const served = await connectServer(prompt, connection, { signal: stop.signal });
    const failure = expect(served.call('slow')).rejects.toMatchObject({
      message: expect.stringContaining('The call was aborted'),
    });
    await slow.reached;
    stop.abort();
    slow.open();
    await failure;
    await aborted;
    await served.server.closed;
    expect(await filesystem.stat('slow.txt')).toBeUndefined();
    await served.client.close();
  });
}

test('a server that is closed is not connected to any more', async () => {
  await using served = await serve();
  await served.client('legacy');
  const { url, tokens } = served.server;
  await served.server[Symbol.asyncDispose]();
  await expect(connectClient({ url, tokens }, 'legacy')).rejects.toThrow();
});

test('a server whose signal is aborted already is closed', async () => {
  await using served = await serve({ signal: AbortSignal.abort() });
  await expect(served.server.closed).resolves.toBeUndefined();
});

test.each(eras)('%s: all clients of a session are notified of tools that are added in it', async (era) => {
  await using served = await serve();
  const notified: Promise<void>[] = [];
  const connect = async (): Promise<Awaited<ReturnType<typeof connectClient>>> => {
    let notify: () => void = () => undefined;
    notified.push(
      new Promise((resolve) => {
        notify = resolve;
      }),
    );
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => notify() } };
    const client = await connectClient(served.server, era, { listChanged });
    clients.push(client);
    return client;
  };
  const [first, second] = [await connect(), await connect()];
  await first.callTool({
    name: 'open_sections',
    arguments: { section_keys: ['more'], reason: 'It is needed.' },
  });
  await notified[0];
  const namesOf = async (client: typeof first): Promise<readonly string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);
  expect(await namesOf(first)).toContain('extra');
  // The other client has the same session only since 2026-07-28.
  if (era === 'modern') await notified[1];
  expect((await namesOf(second)).includes('extra')).toBe(era === 'modern');
});
