import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  answerApprovals,
  defineAgent,
  MissingPeerError,
  PolicyDecision,
  pendingApprovals,
  promptTemplate,
  type Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openRunRecorder } from 'weakincentives/node';
import { bubblewrapSandbox } from 'weakincentives/sandbox';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { serveCommand } from '../../../../src/cli/serve-command.ts';
import { unavailableReason } from '../../../sandbox/support/unavailable-reason.ts';
import { gate } from '../../../support/gate.ts';
import { Count, Counted } from '../../../support/mcp/served-prompt.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { fakeEnvironment, ofAgent } from '../support.ts';
import { servedCommand, servedOverHttp, serveRequest } from './served-command.ts';

const noSandbox = await unavailableReason(bubblewrapSandbox());

let root: string;
let folder: string;
let journals: MemoryJournals;
let parts: Partial<CommandParts>;

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-serve-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'work');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'alpha\n');
  journals = new MemoryJournals();
  const stateDirectory = join(folder, 'state');
  parts = {
    journals,
    open: (name, workspace, mode, options) =>
      openFolder(name, workspace, mode, { ...options, stateDirectory }),
  };
});

const serve = (...argv: readonly string[]) => servedCommand(['--workspace', root, ...argv], parts);

describe('wink serve without an agent', () => {
  it('offers files and search, refuses to write over what was not read, and writes each call to the disk', async () => {
    const served = await serve();
    const { tools } = await served.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'ls',
      'read_file',
      'write_file',
      'edit_file',
      'glob',
      'grep',
      'rm',
    ]);
    expect(await served.text('write_file', { file_path: 'a.txt', content: 'beta\n' })).toContain(
      'has not been read',
    );
    expect(read('a.txt')).toBe('alpha\n');
    await served.call('read_file', { file_path: 'a.txt' });
    await served.call('write_file', { file_path: 'a.txt', content: 'beta\n' });
    expect(read('a.txt')).toBe('beta\n');
    // Another program changes the file: what the client knows is out of date.
    writeFileSync(join(root, 'a.txt'), 'theirs\n');
    expect((await served.call('write_file', { file_path: 'a.txt', content: 'mine\n' })).isError).toBe(true);
    expect(read('a.txt')).toBe('theirs\n');
    expect(await served.leave()).toBe(0);
    expect(served.stderr.text()).toContain('the server has ended after 4 calls, 2 of them committed.');
  });

  it('keeps its calls in a journal, as a run that has ended with its client', async () => {
    const served = await serve('--run-id', 'mine');
    await served.call('write_file', { file_path: 'b.txt', content: 'b\n' });
    expect(await served.leave()).toBe(0);
    expect(served.stderr.text()).toContain(
      'calls are kept as run mine: wink view mine shows them, wink rewind mine --before CALL undoes them',
    );
    const [run] = await journals.journal().runs({});
    expect(run).toMatchObject({
      runId: 'mine',
      status: 'finished',
      commits: 1,
      workspace: root,
      isToolRuntime: true,
    });
    expect(journals.opened).toBe(0);
  });

  it('records where there is no journal, and says so', async () => {
    const file = join(folder, 'calls.jsonl');
    parts = {
      ...parts,
      journals: {
        openExisting: journals.openExisting,
        pathsOf: journals.pathsOf,
        open: async () => {
          const cause = new MissingPeerError('There is none.');
          throw new UsageError('the journal needs another Node.', { cause });
        },
      },
      openRecord: async () => {
        const observer = await openRunRecorder({ file });
        return { observer, close: async () => [(await observer[Symbol.asyncDispose](), 'recorded')] };
      },
    };
    const served = await serve();
    await served.call('write_file', { file_path: 'b.txt', content: 'b\n' });
    expect(await served.leave()).toBe(0);
    expect(served.stderr.text()).toMatch(
      /^wink: calls are recorded, and cannot be undone by "wink rewind": Node \S+ has no node:sqlite/m,
    );
    expect(readFileSync(file, 'utf8')).toContain('"b.txt"');
    // Asked for, it is an error.
    await expect(serve('--durable')).rejects.toThrow('the journal needs another Node.');
  });

  it('writes at its end with --apply=end, and nothing when others have changed the same file', async () => {
    const served = await serve('--apply=end');
    await served.call('write_file', { file_path: 'b.txt', content: 'b\n' });
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
    expect(await served.interrupt()).toBe(0);
    expect(read('b.txt')).toBe('b\n');
    expect(served.stderr.text()).toContain('wink: wrote 1 file to the folder.');

    const other = await serve('--apply=end');
    await other.call('write_file', { file_path: 'c.txt', content: 'mine\n' });
    writeFileSync(join(root, 'c.txt'), 'theirs\n');
    expect(await other.leave()).toBe(3);
    expect(other.stderr.text()).toContain('c.txt: was created on disk during the run');
    expect(read('c.txt')).toBe('theirs\n');
  });

  it('writes nothing with --apply=never, and does not lock the folder', async () => {
    const served = await serve('--apply=never');
    const other = await serve('--apply=never');
    await served.call('write_file', { file_path: 'b.txt', content: 'b\n' });
    expect(await served.text('read_file', { file_path: 'b.txt' })).toContain('b');
    await Promise.all([served.leave(), other.leave()]);
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
  });

  it('reports its calls with --otel, in the trace of its environment', async () => {
    const seen: string[] = [];
    parts = {
      ...parts,
      startTelemetry: async ({ agentFolder, version }) => {
        expect([agentFolder, version]).toEqual([process.cwd(), '1.2.3']);
        return {
          observer: { onEvent: ({ type }) => void seen.push(type) },
          runIn: (work) => {
            seen.push('begin');
            return work();
          },
          end: async () => ['a collector did not answer.'],
        };
      },
    };
    const served = await serve('--otel');
    await served.call('read_file', { file_path: 'a.txt' });
    await served.leave();
    expect(seen.slice(0, 2)).toEqual(['begin', 'run-start']);
    expect(seen).toContain('tool-call-end');
    expect(seen.at(-1)).toBe('run-end');
    expect(served.stderr.text()).toContain('wink: a collector did not answer.\n');
  });

  it('has one writer at a time', async () => {
    const served = await serve();
    await expect(serve()).rejects.toThrow(/is in use by .*, or use --apply=never, which writes nothing/);
    await served.leave();
  });

  it.skipIf(noSandbox !== undefined)(
    `offers a shell in the sandbox that is named${noSandbox === undefined ? '' : ` (skipped: ${noSandbox})`}`,
    async () => {
      const served = await serve('--sandbox', 'bubblewrap');
      const { tools } = await served.client.listTools();
      expect(tools.map(({ name }) => name)).toContain('shell_execute');
      await served.leave();
    },
  );

  it('adds the rules of a module', async () => {
    const rules = join(folder, 'rules.mjs');
    writeFileSync(
      rules,
      `import { PolicyDecision } from 'weakincentives';
       export const policies = [{ name: 'no-secrets', check: ({ params }) =>
         params?.file_path?.endsWith('.env') ? PolicyDecision.deny('Secrets stay as they are.') : PolicyDecision.allow() }];`,
    );
    const served = await serve('--policy', rules);
    expect(await served.text('write_file', { file_path: '.env', content: 'x' })).toContain(
      'Secrets stay as they are.',
    );
    await served.leave();
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, 'export const policies = [];');
    await expect(serve('--policy', empty)).rejects.toThrow('exports no list of policies');
    await expect(serve('--policy', join(folder, 'none.ts'))).rejects.toThrow('the policy file');
  });

  it('serves the tools of servers of others under its rules: --mcp', async () => {
    const other = join(folder, 'other.mjs');
    const sdk = (name: string): string =>
      JSON.stringify(import.meta.resolve(`@modelcontextprotocol/${name}`));
    writeFileSync(
      other,
      `import { McpServer } from ${sdk('server')};
       import { StdioServerTransport } from ${sdk('server/stdio')};
       const server = new McpServer({ name: 'other', version: '1.0.0' });
       server.registerTool('greet', { description: 'Greets.' }, () => ({ content: [{ type: 'text', text: 'Hello.' }] }));
       await server.connect(new StdioServerTransport());`,
    );
    const file = join(folder, 'servers.json');
    const command = process.execPath;
    writeFileSync(file, JSON.stringify({ mcpServers: { other: { command, args: [other] } } }));
    const rules = join(folder, 'no-greeting.mjs');
    writeFileSync(
      rules,
      `import { PolicyDecision } from 'weakincentives';
       export const policies = [{ name: 'once', check: ({ tool }, { session }) =>
         tool.name === 'other_greet' && globalThis.greeted ? PolicyDecision.deny('Once is enough.') : (globalThis.greeted = tool.name === 'other_greet', PolicyDecision.allow()) }];`,
    );
    const served = await serve('--mcp', file, '--policy', rules);
    expect((await served.client.listTools()).tools.map(({ name }) => name)).toContain('other_greet');
    expect(await served.text('other_greet')).toContain('Hello.');
    expect(await served.text('other_greet')).toContain('Once is enough.');
    expect(await served.leave()).toBe(0);
    Reflect.deleteProperty(globalThis, 'greeted');
    await expect(serve('--mcp', join(folder, 'none.json'))).rejects.toThrow('none.json');
  });

  it('names a folder that does not exist', async () => {
    await expect(servedCommand(['--workspace', join(folder, 'none')], parts)).rejects.toThrow(
      'there is no folder',
    );
  });
});

const inside = gate();

const countingOptions = {
  name: 'counting',
  template: promptTemplate({
    ns: 'test',
    key: 'counting',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params: z.object({ greeting: z.string() }),
        template: (params) => `${params.greeting}`,
        slices: [Count],
        policies: [
          {
            name: 'ask-first',
            check: ({ tool: { name } }) =>
              name === 'publish' ? PolicyDecision.ask('Is it ready?') : PolicyDecision.allow(),
          },
        ],
        tools: [
          tool({
            name: 'count',
            description: 'The count.',
            effects: 'read',
            execute: (_params, { session }) => ToolResult.ok(session.slice(Count).latest()?.total ?? 0),
          }),
          tool({ name: 'publish', description: 'Publishes.', execute: () => ToolResult.ok('Published.') }),
          tool({
            name: 'waits',
            description: 'Writes and waits.',
            effects: 'state',
            execute: async (_params, { filesystem, signal }) => {
              await filesystem.write('waits.txt', 'x');
              await Promise.race([
                inside.pass(),
                new Promise((resolve) => signal.addEventListener('abort', resolve)),
              ]);
              return ToolResult.ok('Waited.');
            },
          }),
        ],
      }),
      vfsToolsSection(),
    ],
  }),
  params: { greeting: 'Hello.' },
};
const counting = defineAgent(countingOptions);

describe('wink serve with an agent', () => {
  const prepare = ({ session }: { readonly session: Session }): void => {
    session.dispatch(Counted, { by: 41 });
  };

  it('serves its tools with its params, its prepare and its approver', async () => {
    const asked: string[] = [];
    const approve = ({ toolName }: { readonly toolName: string }): boolean => {
      asked.push(toolName);
      return true;
    };
    const agent = defineAgent({ ...countingOptions, approve, prepare });
    const load = async () => ofAgent(agent);
    const served = await servedCommand(
      ['agent.ts', '--workspace', root, '--params={"greeting":"Welcome."}'],
      { ...parts, load },
    );
    expect(served.client.getInstructions()).toContain('Welcome.');
    expect(await served.text('count')).toContain('41');
    expect(await served.text('publish')).toContain('Published.');
    expect(asked).toEqual(['publish']);
    await served.leave();
    expect(await journals.journal().runs({})).toEqual([]);
  });

  it('asks the client with --approve=elicit, and denies without an approver', async () => {
    const load = async () => ofAgent(counting);
    const capabilities = { elicitation: { form: {} } };
    const served = await servedCommand(
      ['agent.ts', '--workspace', root, '--approve=elicit'],
      { ...parts, load },
      { capabilities },
    );
    served.client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { approve: true },
    }));
    expect(await served.text('publish')).toContain('Published.');
    await served.leave();
    const denied = await servedCommand(['agent.ts', '--workspace', root], { ...parts, load });
    expect((await denied.call('publish')).isError).toBe(true);
    await denied.leave();
  });

  it('keeps questions in the journal for an answer from another process', async () => {
    const load = async () => ofAgent(counting);
    const argv = ['agent.ts', '--workspace', root, '--durable', '--run-id', 'mine'];
    const served = await servedCommand(argv, { ...parts, load });
    const waiting = await served.text('publish');
    expect(waiting).toContain('mine.ask-1');
    expect(served.stderr.text()).toContain(
      'wink: a call of "publish" waits for an answer to the policy "ask-first": wink approvals list.',
    );
    const journal = journals.journal();
    const [question] = await pendingApprovals({ journal, runId: 'mine.ask-1' });
    const { digest, id } = question ?? { digest: '', id: '' };
    await answerApprovals({ journal, runId: 'mine.ask-1', answers: [{ id, digest, approved: true }] });
    expect(await served.text('publish')).toContain('Published.');
    expect(await served.leave()).toBe(0);
  });

  it('rolls back a call that runs when it is interrupted', async () => {
    const load = async () => ofAgent(counting);
    const served = await servedCommand(['agent.ts', '--workspace', root], { ...parts, load });
    const call = served.call('waits').catch((error: unknown) => error);
    await inside.reached;
    expect(await served.interrupt()).toBe(0);
    await call;
    expect(existsSync(join(root, 'waits.txt'))).toBe(false);
  });

  it('refuses params that do not fit', async () => {
    const load = async () => ofAgent(counting);
    await expect(
      servedCommand(['agent.ts', '--workspace', root, '--params={"greeting":1}'], { ...parts, load }),
    ).rejects.toThrow('the params of counting are invalid');
  });
});

describe('wink serve --http', () => {
  const client = (): Client => new Client({ name: 'test', version: '1.0.0' });
  const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

  const token = 'a-token-of-the-user';
  const serveHttp = (...argv: readonly string[]) =>
    servedOverHttp(['--workspace', root, '--no-durable', ...argv], parts, { WINK_SERVE_TOKEN: token });

  it('prints its address and the header, gives each client a session, and ends with Ctrl-C', async () => {
    const { interrupt, stderr, url } = await serveHttp();
    expect(url.hostname).toBe('127.0.0.1');
    expect(stderr.text()).toContain('clients send the header "Authorization: Bearer $WINK_SERVE_TOKEN".');
    expect(stderr.text()).not.toContain(token);
    const [one, two, stranger] = [client(), client(), client()];
    await one.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    await two.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    await expect(
      stranger.connect(new StreamableHTTPClientTransport(url, bearer('another-token'))),
    ).rejects.toThrow();
    await one.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } });
    const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'two\n' } };
    // What one client has read is not known to the other.
    expect((await two.callTool(write)).isError).toBe(true);
    expect((await one.callTool(write)).isError ?? false).toBe(false);
    expect(read('a.txt')).toBe('two\n');
    await Promise.all([one.close(), two.close()]);
    expect(await interrupt()).toBe(0);
  });

  it('records each session in a file of its own', async () => {
    const file = join(folder, 'calls.jsonl');
    const { interrupt, stderr, url } = await serveHttp('--record', file);
    // A file that is taken is not written to.
    writeFileSync(join(folder, 'calls-3.jsonl'), 'of another');
    const [one, two, three] = [client(), client(), client()];
    const connect = (each: Client) => each.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    await connect(one);
    await connect(two);
    await expect(connect(three)).rejects.toThrow('failed inside of the server');
    expect(stderr.text()).toContain('wink: a client was refused: the record "');
    await two.callTool({ name: 'ls', arguments: {} });
    await one.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } });
    expect(await interrupt()).toBe(0);
    const calls = (name: string): readonly string[] =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"tool-call-start"'))
        .map((line) => /"toolName":"(\w+)"/.exec(line)?.[1] ?? '');
    expect([calls('calls.jsonl'), calls('calls-2.jsonl')]).toEqual([['read_file'], ['ls']]);
    for (const name of ['calls.jsonl', 'calls-2.jsonl'])
      expect(stderr.text()).toContain(`open it with: npx wink view ${join(folder, name)}\n`);
    expect(read('../calls-3.jsonl')).toBe('of another');
    await Promise.all([one.close(), two.close()]);
  });

  it('writes the events of all sessions into one log', async () => {
    const file = join(folder, 'events.jsonl');
    const { interrupt, url } = await serveHttp('--log', file);
    const clients = [client(), client()];
    for (const each of clients) await each.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    for (const each of clients) await each.callTool({ name: 'read_file', arguments: { file_path: 'a.txt' } });
    expect(await interrupt()).toBe(0);
    const events = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    const ends = events.filter(({ type }) => type === 'tool-call-end');
    expect(ends.map(({ toolName }) => toolName)).toEqual(['read_file', 'read_file']);
    expect(new Set(ends.map(({ evaluationId }) => evaluationId)).size).toBe(2);
    for (const { atMs } of events) expect(atMs).toEqual(expect.any(Number));
    await Promise.all(clients.map((each) => each.close()));
  });

  it('refuses a log that cannot be written, before it serves', async () => {
    await expect(serveHttp('--log', join(folder, 'absent/events.jsonl'))).rejects.toThrow(
      'cannot be written: no such file or directory.',
    );
  });

  it('names the variable of a token that is too short', async () => {
    const variables = { WINK_SERVE_TOKEN: 'short' };
    const request = serveRequest('--workspace', root, '--http', '--no-durable');
    await expect(serveCommand(request, fakeEnvironment({ variables }), parts)).rejects.toThrow(
      /^the variable WINK_SERVE_TOKEN must be at least 16 characters of A-Za-z0-9_-, the token of one client; --clients N allows several/,
    );
  });

  it('names a port that is in use', async () => {
    const { createServer } = await import('node:http');
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const request = serveRequest('--workspace', root, '--http', '--port', port, '--no-durable');
    await expect(serveCommand(request, fakeEnvironment(), parts)).rejects.toThrow(
      `the server cannot start: The port ${port} is in use.`,
    );
    server.close();
  });
});
