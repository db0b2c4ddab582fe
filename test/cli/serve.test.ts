import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { closeUntilEnded, endingByItself } from '../support/ending-by-itself.ts';
import { command, ending, root, start, stateHome } from './wink.ts';

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-serve-'));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'alpha\n');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A client that starts the command as its child. */
async function connect(
  args: readonly string[],
  mode: 'auto' | 'legacy' | { readonly pin: string } = 'legacy',
): Promise<{
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly stderr: () => string;
}> {
  const transport = new StdioClientTransport({
    ...endingByItself([command, 'serve', ...args]),
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', XDG_STATE_HOME: stateHome },
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (data: Buffer) => {
    text += data.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, transport, stderr: () => text };
}

const chatty = `
import { defineAgent, promptTemplate, section, tool, ToolResult } from 'weakincentives';
console.log('loading');
const talk = tool({
  name: 'talk',
  description: 'Writes to the standard output.',
  effects: 'read',
  execute: () => {
    console.log('from the handler');
    process.stdout.write('not a message of the protocol\\n');
    return ToolResult.ok('Talked.');
  },
});
const stray = tool({
  name: 'stray',
  description: 'Leaves a rejection.',
  effects: 'read',
  execute: () => {
    void Promise.reject(new Error('left alone'));
    return ToolResult.ok('Left.');
  },
});
export default defineAgent({
  name: 'chatty',
  template: promptTemplate({
    ns: 'test',
    key: 'chatty',
    sections: [section({ title: 'Task', key: 'task', template: 'Talk.', tools: [talk, stray] })],
  }),
});
`;

/** A server whose patterns take time without end in an engine that goes back. */
const hostileServer = `
import { createInterface } from 'node:readline';
const slow = { type: 'object', properties: { word: { type: 'string', pattern: '^(b*)*$' } } };
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'find', inputSchema: slow }, { name: 'give', inputSchema: { type: 'object' }, outputSchema: slow }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'given' }], structuredContent: { word: 'b'.repeat(50) + '?' } }),
};
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) send({ id, result: answers[method](params) });
  })
  .on('close', () => process.exit());
`;

describe('wink serve as a process', () => {
  it.each(['legacy', { pin: '2026-07-28' }] as const)(
    'serves a folder to the client that starts it (%j)',
    async (mode) => {
      const { client, stderr, transport } = await connect(['--workspace', workspace, '--no-durable'], mode);
      const call = (name: string, args: Record<string, unknown>) =>
        client.callTool({ name, arguments: args });
      expect((await call('write_file', { file_path: 'a.txt', content: 'beta\n' })).isError).toBe(true);
      await call('read_file', { file_path: 'a.txt' });
      expect((await call('write_file', { file_path: 'a.txt', content: 'beta\n' })).isError ?? false).toBe(
        false,
      );
      expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('beta\n');
      await closeUntilEnded(client, transport);
      expect(stderr()).toContain('serving "workspace" on the folder "work" over standard input and output.');
    },
  );

  it('keeps the standard output for the protocol, whatever the code of the agent writes', async () => {
    const agent = join(folder, 'agent.ts');
    writeFileSync(agent, chatty);
    const { client, stderr, transport } = await connect([agent]);
    expect(await client.callTool({ name: 'talk', arguments: {} })).toMatchObject({
      content: [{ text: expect.stringContaining('Talked.') }],
    });
    await closeUntilEnded(client, transport);
    expect(stderr()).toContain('loading\n');
    expect(stderr()).toContain('from the handler\nnot a message of the protocol\n');
  });

  it('ends with an error that the code of the agent left', async () => {
    const agent = join(folder, 'agent.ts');
    writeFileSync(agent, chatty);
    const token = 'a-token-for-this-test';
    const child = start(['serve', agent, '--http'], { variables: { WINK_SERVE_TOKEN: token } });
    const ended = ending(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    await client.callTool({ name: 'stray', arguments: {} }).catch(() => undefined);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('left alone');
    await client.close();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends in order with %s', async (signal) => {
    const child = start(['serve', '--workspace', workspace, '--http', '--apply=end', '--no-durable']);
    const ended = ending(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill(signal);
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the server has ended after 0 calls'),
    });
  });

  it('keeps serving clients while a mounted server has its schemas checked', async () => {
    const token = 'a-token-for-this-test-only';
    const program = join(folder, 'hostile.mjs');
    writeFileSync(program, hostileServer);
    const file = join(folder, 'mcp.json');
    const hostile = { command: process.execPath, args: [program] };
    writeFileSync(file, JSON.stringify({ mcpServers: { hostile } }));
    const args = ['serve', '--workspace', workspace, '--http', '--no-durable', '--mcp', file];
    const child = start(args, { variables: { WINK_SERVE_TOKEN: token } });
    const ended = ending(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const clients = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const client = new Client({ name, version: '1.0.0' });
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
        return client;
      }),
    );
    const [one, other] = clients;
    if (one === undefined || other === undefined) throw new Error('no clients');
    const [found, read] = await Promise.all([
      one.callTool({ name: 'hostile_find', arguments: { word: `${'b'.repeat(50)}?` } }),
      other.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } }),
    ]);
    expect(found).toMatchObject({ isError: true });
    expect(JSON.stringify(read.content)).toContain('alpha');
    const [given, again] = await Promise.all([
      one.callTool({ name: 'hostile_give', arguments: {} }),
      other.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } }),
    ]);
    expect(given.content).toEqual([{ type: 'text', text: 'given' }]);
    expect(JSON.stringify(again.content)).toContain('alpha');
    for (const client of clients) await client.close();
    child.kill('SIGTERM');
    await ended;
  });

  it('says what is wrong in one line', async () => {
    const child = start(['serve', '--workspace', join(folder, 'none')]);
    child.stdin.end();
    expect(await ending(child)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^wink: there is no folder ".*"\.\n$/),
    });
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  // A client that takes one revision alone has words of its own for the error.
  it.each(['legacy', 'auto'] as const)(
    'answers the client of a second server with why there is none (%s)',
    async (mode) => {
      const first = await connect(['--workspace', workspace, '--no-durable']);
      await expect(connect(['--workspace', workspace, '--no-durable'], mode)).rejects.toThrow(
        /wink serve did not start: the folder "<workspace>" is in use by process \d+, which writes to it\. Wait until it has ended, or use --apply=never, which writes nothing\./,
      );
      await closeUntilEnded(first.client, first.transport);
    },
  );

  it('answers the client of a command line that is refused', async () => {
    await expect(connect(['--aply=each'])).rejects.toThrow(/wink serve did not start: .*--aply/);
  });

  it('is in the help', async () => {
    expect((await ending(start(['serve', '--help'], { cwd: root }))).stdout).toContain('wink serve [AGENT]');
  });
});
