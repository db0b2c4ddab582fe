import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openMcpServer } from 'weakincentives/mcp';
import { endingByItself } from '../../support/ending-by-itself.ts';
import { servedPrompt } from '../../support/mcp/served-prompt.ts';
import { loadV1Sdk, type V1Client, type V1Transport } from './v1-client.ts';

const program = fileURLToPath(new URL('./program.mjs', import.meta.url));
const sdk = await loadV1Sdk();

const newClient = (): V1Client =>
  new sdk.Client({ name: 'version 1', version: '1.32.2' }, { capabilities: { elicitation: {} } });

const textOf = ({ content }: Awaited<ReturnType<V1Client['callTool']>>): string => content[0]?.text ?? '';
const add = (by: number) => ({ name: 'add', arguments: { by } });

/** Resolves once the client is notified of a changed list. */
function listChanged(client: V1Client): Promise<void> {
  return new Promise((resolve) => {
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => resolve());
  });
}

/** What a client does with either server; all of it is of the first version of the SDK. */
async function expectRoundTrip(client: V1Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'add')?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
  expect(textOf(await client.callTool(add(1)))).toContain('The count is 1.');
  expect(textOf(await client.callTool(add(2)))).toContain('The count is 3.');
  expect(await client.callTool({ name: 'add', arguments: { by: 'two' } })).toMatchObject({ isError: true });
  await expect(client.callTool({ name: 'nothing' })).rejects.toThrow('There is no tool "nothing".');
  const changed = listChanged(client);
  await client.callTool({
    name: 'open_sections',
    arguments: { section_keys: ['more'], reason: 'It is needed.' },
  });
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('extra');
}

describe('a client of version 1 of the SDK over standard input and output of a child process', () => {
  /** A program that serves, and what it has left when its client is gone. */
  async function start() {
    const transport = new sdk.StdioClientTransport({
      ...endingByItself([program]),
      stderr: 'pipe',
    });
    const left = new Promise<string>((resolve) => {
      let all = '';
      transport.stderr?.on('data', (chunk: Buffer) => {
        all += chunk.toString('utf8');
        if (all.includes('\n')) resolve(all);
      });
    });
    const client = newClient();
    await client.connect(transport);
    return { client, left };
  }

  it('lists and calls tools, and is notified of more of them', async () => {
    const { client, left } = await start();
    expect(client.getServerVersion()).toMatchObject({ name: 'program', version: '1.0.0' });
    expect(client.getInstructions()).toContain('Count.');
    await expectRoundTrip(client);
    expect(textOf(await client.callTool({ name: 'fails' }))).toBe('The tool "fails" failed: It is full.');
    await client.close();
    expect(await left).toBe('left: []\n');
  });

  it('is asked for approval', async () => {
    const { client, left } = await start();
    const asked: string[] = [];
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return asked.length === 1 ? { action: 'decline' } : { action: 'accept', content: { approve: true } };
    });
    expect(await client.callTool({ name: 'publish' })).toMatchObject({ isError: true });
    expect(textOf(await client.callTool({ name: 'publish' }))).toBe('Published.');
    expect(asked).toEqual(
      Array.from(
        { length: 2 },
        () => 'The policy "ask-first" asks about a call of "publish": Is it ready?\nArguments: none',
      ),
    );
    await client.close();
    expect(await left).toBe('left: ["published.txt"]\n');
  });

  it('cancels a call, which leaves nothing', async () => {
    const { client, left } = await start();
    const cancel = new AbortController();
    const onprogress = ({ message }: { readonly message?: string }): void => cancel.abort(message);
    await expect(
      client.callTool({ name: 'slow' }, undefined, { signal: cancel.signal, onprogress }),
    ).rejects.toThrow('written');
    expect(textOf(await client.callTool(add(1)))).toBe('The count is 1.');
    await client.close();
    expect(await left).toBe('left: []\n');
  });

  it('leaves while a call runs: the call is rolled back, and the program ends', async () => {
    const { client, left } = await start();
    await new Promise<void>((resolve) => {
      client.callTool({ name: 'slow' }, undefined, { onprogress: () => resolve() }).catch(() => undefined);
    });
    await client.close();
    expect(await left).toBe('left: []\n');
  });
});

describe('a client of version 1 of the SDK over HTTP', () => {
  const open = async (maxSessions = 64) => {
    const prompt = servedPrompt();
    const server = await openMcpServer(prompt.prompt, {
      name: 'served',
      version: '1.0.0',
      approve: 'elicit',
      maxSessions,
      transport: { kind: 'http' },
    });
    const connect = async (
      how: 'header' | 'address' | 'wrong header',
    ): Promise<{ client: V1Client; transport: V1Transport }> => {
      const [token = ''] = server.tokens;
      const authorization = how === 'header' ? `Bearer ${token}` : 'Bearer wrong';
      const transport =
        how === 'address'
          ? new sdk.StreamableHTTPClientTransport(new URL(`${server.url}/${token}`))
          : new sdk.StreamableHTTPClientTransport(new URL(server.url ?? ''), {
              requestInit: { headers: { authorization } },
            });
      const client = newClient();
      await client.connect(transport);
      return { client, transport };
    };
    return { ...prompt, connect, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

  it.each(['header', 'address'] as const)('lists and calls tools with the token in the %s', async (how) => {
    await using served = await open();
    const { client } = await served.connect(how);
    await expectRoundTrip(client);
    await client.close();
  });

  it('is refused with a wrong token', async () => {
    await using served = await open();
    await expect(served.connect('wrong header')).rejects.toThrow('The request has no valid token');
  });

  it('reads why there is no session for it', async () => {
    await using served = await open(1);
    const { client } = await served.connect('header');
    const refusal = 'MCP error -32000: The server has as many sessions as it may have: 1.';
    await expect(served.connect('header')).rejects.toThrow(refusal);
    await client.close();
  });

  it('is asked for approval, and another client with its own session is not', async () => {
    await using served = await open();
    const [{ client }, { client: other }] = [await served.connect('header'), await served.connect('address')];
    client.setRequestHandler(sdk.ElicitRequestSchema, () => ({
      action: 'accept',
      content: { approve: true },
    }));
    other.setRequestHandler(sdk.ElicitRequestSchema, () => {
      throw new Error('It is not its call.');
    });
    expect(textOf(await client.callTool({ name: 'publish', arguments: { tag: 'v1' } }))).toContain(
      'Published v1.',
    );
    expect(textOf(await client.callTool(add(1)))).toContain('The count is 1.');
    expect(textOf(await other.callTool(add(1)))).toContain('The count is 1.');
    await Promise.all([client.close(), other.close()]);
  });

  it('ends its session while a call runs, and reads that the call was aborted', async () => {
    await using served = await open();
    const { client, transport } = await served.connect('header');
    const failure = expect(client.callTool({ name: 'slow', arguments: {} })).rejects.toThrow(
      'The call was aborted',
    );
    await served.slow.reached;
    await transport.terminateSession?.();
    await failure;
    served.slow.open();
    expect(await served.filesystem.stat('slow.txt')).toBeUndefined();
    await client.close();
  });
});
