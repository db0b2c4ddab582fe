import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { command, type Ending, run } from '../../cli/wink.ts';
import { deadlockMs } from '../../support/deadlock.ts';
import { closeUntilEnded, endingByItself } from '../../support/ending-by-itself.ts';

/** Without it a request fails after a minute. */
const limits = { timeout: deadlockMs };

let folder: string;
let workspace: string;
let variables: Readonly<Record<string, string>>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-serve-'));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'alpha\n');
  variables = { XDG_STATE_HOME: join(folder, 'state') };
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Server {
  readonly client: Client;
  readonly close: () => Promise<void>;
  readonly closed: Promise<void>;
  readonly stderr: () => string;
}

async function serve(...args: readonly string[]): Promise<Server> {
  const transport = new StdioClientTransport({
    ...endingByItself([command, 'serve', ...args]),
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...variables },
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (data: Buffer) => {
    text += data.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const closed = new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is not an event target.
    client.onclose = resolve;
  });
  await client.connect(transport, limits);
  return { client, close: () => closeUntilEnded(client, transport), closed, stderr: () => text };
}

const wink = (...args: readonly string[]): Promise<Ending> => run(args, { variables });
const read = (path: string): string => readFileSync(join(workspace, path), 'utf8');
const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});

/** An agent whose call writes two files, then kills its own process between the operations of the commit on the disk. */
const killed = (ending: string): string => `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { defineAgent, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';

let isArmed = false;
for (const name of ['linkSync', 'renameSync', 'copyFileSync']) {
  const original = fs[name];
  fs[name] = (from, to, ...rest) => {
    if (isArmed && String(to).endsWith(${JSON.stringify(ending)})) process.kill(process.pid, 'SIGKILL');
    return original(from, to, ...rest);
  };
}
syncBuiltinESMExports();
const both = tool({
  name: 'write_both',
  description: 'Writes two files.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('a.txt', 'beta\\n');
    await filesystem.write('b.txt', 'beta\\n');
    isArmed = true;
    return ToolResult.ok('Written.');
  },
});
export default defineAgent({
  name: 'killed',
  template: promptTemplate({
    ns: 'test',
    key: 'killed',
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', tools: [both] }), vfsToolsSection()],
  }),
});
`;

describe.skipIf(!isBuiltin('node:sqlite'))('wink serve with a journal', () => {
  it('undoes a call once the server has ended: wink runs, view, rewind', async () => {
    const { client, close, stderr } = await serve('--workspace', workspace, '--run-id', 'mine');
    await expect.poll(stderr).toContain('calls are kept as run mine');
    await client.callTool(write('b.txt', 'one\n'), limits);
    await client.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } }, limits);
    await client.callTool(write('a.txt', 'beta\n'), limits);
    expect((await wink('rewind', 'mine', '--before', 'mcp-3')).stderr).toContain('is still running');
    await close();
    expect((await wink('runs')).stdout).toMatch(/^mine +finished .*workspace/m);
    expect(
      (
        await wink(
          'query',
          'mine',
          "select tool from calls where outcome = 'committed' order by seq",
          '--json',
        )
      ).stdout,
    ).toBe('[\n{"tool":"write_file"},\n{"tool":"read_file"},\n{"tool":"write_file"}\n]\n');
    expect((await wink('rewind', 'mine', '--before', 'mcp-3', '--apply')).code).toBe(0);
    expect([read('a.txt'), read('b.txt')]).toEqual(['alpha\n', 'one\n']);
    expect((await wink('rewind', 'mine', '--before', 'mcp-1', '--apply')).code).toBe(0);
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect((await wink('resume', 'mine')).stderr).toContain('cannot continue');
  });

  it('a server that is killed before a call ends leaves nothing of it', async () => {
    const agent = join(folder, 'agent.ts');
    writeFileSync(
      agent,
      killed('/never').replace('isArmed = true;', "process.kill(process.pid, 'SIGKILL');"),
    );
    const server = await serve(agent, '--workspace', workspace, '--durable');
    await expect(server.client.callTool({ name: 'write_both', arguments: {} }, limits)).rejects.toThrow();
    await server.closed;
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect(read('a.txt')).toBe('alpha\n');
  });

  it('a server that is killed while it writes a call has written it as a whole at the next start', async () => {
    const agent = join(folder, 'agent.ts');
    writeFileSync(agent, killed('/b.txt'));
    const server = await serve(agent, '--workspace', workspace, '--durable', '--run-id', 'dead');
    await expect(server.client.callTool({ name: 'write_both', arguments: {} }, limits)).rejects.toThrow();
    await server.closed;
    // Torn: the decision is in the journal, one file is not in the folder.
    expect([read('a.txt'), readdirSync(workspace).includes('b.txt')]).toEqual(['beta\n', false]);
    const next = await serve('--workspace', workspace);
    await expect
      .poll(next.stderr)
      .toContain('run dead was cut off after its last call was decided; it is in the folder: a.txt, b.txt.');
    expect(next.stderr()).not.toContain('wink runs settle');
    expect([read('a.txt'), read('b.txt')]).toEqual(['beta\n', 'beta\n']);
    await next.close();
    expect((await wink('rewind', 'dead', '--to', '0', '--apply')).code).toBe(0);
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect(read('a.txt')).toBe('alpha\n');
  });
});
