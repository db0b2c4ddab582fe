import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { TransactionClosedError } from 'weakincentives';
import { type McpServerFactory, mcpServerFactory } from 'weakincentives/mcp';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';
import { streamPair } from '../../../../support/mcp/stream-transport.ts';

const named = { name: 'served', version: '1.0.0' };
const add = (by: number) => ({ name: 'add', arguments: { by } });
const counts = (total: number) => ({
  content: [{ text: expect.stringContaining(`The count is ${total}.`) }],
});
const opening = {
  name: 'open_sections',
  arguments: { section_keys: ['more'], reason: 'It is needed.' },
};

/** A client in the same process, as of a harness. */
async function connectInside(
  factory: McpServerFactory<McpServer>,
  onChanged: () => void = () => undefined,
): Promise<Client> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = await factory();
  await server.connect(theirs);
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { listChanged });
  await client.connect(mine);
  return client;
}

/** A client of an HTTP handler, without a network. */
async function connectHandler(handler: McpHttpHandler): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const fetch = async (input: URL | string, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  return client;
}

test('all servers of a factory serve one session', async () => {
  await using factory = mcpServerFactory<McpServer>(servedPrompt().prompt, named);
  const [first, second] = [await connectInside(factory), await connectInside(factory)];
  expect(await first.callTool(add(1))).toMatchObject(counts(1));
  expect(await second.callTool(add(1))).toMatchObject(counts(2));
  await Promise.all([first.close(), second.close()]);
});

test('a factory serves an HTTP handler, which notifies of added tools', async () => {
  await using factory = mcpServerFactory<McpServer>(servedPrompt().prompt, named);
  const handler = createMcpHandler(factory);
  let changes = 0;
  const end = factory.onToolsChanged(() => {
    changes += 1;
    handler.notify.toolsChanged();
  });
  const client = await connectHandler(handler);
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
  expect(changes).toBe(0);
  await client.callTool(opening);
  expect(changes).toBe(1);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('extra');
  end();
  await Promise.all([client.close(), handler.close()]);
});

test('a factory serves standard input and output', async () => {
  await using factory = mcpServerFactory<McpServer>(servedPrompt().prompt, named);
  const { client: end, input, output } = streamPair();
  const handle = serveStdio(factory, { transport: new StdioServerTransport(input, output) });
  let notify: () => void = () => undefined;
  const notified = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => notify() } };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { listChanged, versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(end);
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
  await client.callTool(opening);
  await notified;
  await handle.close();
});

test('a connection notifies its client of tools that calls of others have added, until it is closed', async () => {
  await using factory = mcpServerFactory<McpServer>(servedPrompt().prompt, named);
  const notified: string[] = [];
  const connect = async (name: string) => {
    let notify: () => void = () => undefined;
    const once = new Promise<void>((resolve) => {
      notify = resolve;
    });
    const client = await connectInside(factory, () => {
      notified.push(name);
      notify();
    });
    return { client, once };
  };
  const first = await connect('first');
  const second = await connect('second');
  const closed = await connect('closed');
  await closed.client.close();
  await first.client.callTool(opening);
  await Promise.all([first.once, second.once]);
  await Promise.all([first.client.close(), second.client.close()]);
  expect(notified.toSorted()).toEqual(['first', 'second']);
});

test('a session that could not be opened is tried again', async () => {
  let isReady = false;
  await using factory = mcpServerFactory<McpServer>(servedPrompt().prompt, {
    ...named,
    openSession: () => {
      if (!isReady) throw new Error('It is not ready.');
      return {};
    },
  });
  await expect(Promise.all([factory(), factory()])).rejects.toThrow('It is not ready.');
  isReady = true;
  const client = await connectInside(factory);
  expect(await client.callTool(add(1))).toMatchObject(counts(1));
  await client.close();
});

test('a factory that is disposed aborts what runs, answers it, and makes no more servers', async () => {
  const { aborted, filesystem, prompt, slow } = servedPrompt();
  const factory = mcpServerFactory<McpServer>(prompt, named);
  const client = await connectInside(factory);
  const failure = expect(client.callTool({ name: 'slow', arguments: {} })).rejects.toMatchObject({
    code: -32_603,
    message: expect.stringContaining('The call was aborted'),
  });
  await slow.reached;
  const disposed = factory[Symbol.asyncDispose]();
  await aborted;
  slow.open();
  await Promise.all([disposed, failure]);
  expect(await filesystem.stat('slow.txt')).toBeUndefined();
  await expect(factory()).rejects.toSatisfy(TransactionClosedError.isInstance);
  await expect(client.callTool(add(1))).rejects.toMatchObject({ code: -32_603 });
  await client.close();
});

test('a factory that was never used is disposed of', async () => {
  let opened = 0;
  const factory = mcpServerFactory<McpServer>(servedPrompt().prompt, {
    ...named,
    openSession: () => {
      opened += 1;
      return {};
    },
  });
  await factory[Symbol.asyncDispose]();
  expect(opened).toBe(0);
  await expect(factory()).rejects.toSatisfy(TransactionClosedError.isInstance);
});
