import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { defineAgent, PolicyDecision, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { replayCommand } from '../../../../src/cli/replay/replay-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { isRecord } from '../../../../src/core/internal/index.ts';
import { openHttp } from '../../../support/mcp/http-server.ts';
import { eventsOf, type FakeEnvironment, fakeEnvironment, ofAgent, parts, request } from '../support.ts';

const program = fileURLToPath(new URL('../../../support/mcp/child-server.mjs', import.meta.url));
const child = (...args: readonly string[]) => ({ command: process.execPath, args: [program, ...args] });

function fileOf(mcpServers: Record<string, unknown>): string {
  const path = join(mkdtempSync(join(tmpdir(), 'mcp-servers-')), 'servers.json');
  writeFileSync(path, JSON.stringify({ mcpServers }));
  return path;
}

const own = tool({ name: 'own_tool', description: 'Does nothing.', execute: () => ToolResult.ok('own') });
type Calls = readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
const agentOf = (...turns: readonly Calls[]) =>
  defineAgent({
    template: promptTemplate({
      ns: 'tests',
      key: 'mounted',
      name: 'mounted',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [own] })],
      policies: [
        {
          name: 'no-exit',
          check: ({ tool: { name } }) =>
            name.endsWith('_exit') ? PolicyDecision.deny('Stay.') : PolicyDecision.allow(),
        },
      ],
    }),
    adapter: scriptedAdapter([...turns.map((toolCalls) => ({ toolCalls })), { text: 'Done.' }]),
    workspace: false,
  });

async function refusal(
  mcpServers: Record<string, unknown>,
  environment: FakeEnvironment = fakeEnvironment(),
): Promise<string> {
  const file = fileOf(mcpServers);
  const asked = request('run', 'agent.ts', '--mcp', file);
  const error: unknown = await runCommand(asked, environment, parts(ofAgent(agentOf()))).catch(
    (reason: unknown) => reason,
  );
  if (error instanceof UsageError) return error.message.replace(file, 'FILE');
  throw new Error(`no UsageError: ${String(error)}`);
}

describe('wink run --mcp', () => {
  it('gives the tools of servers to the agent, under its policies and after its own', async () => {
    const environment = fakeEnvironment({ variables: { SERVER_TOKEN: 'secret-of-the-server' } });
    const file = fileOf({
      First: { ...child('serve', 'a'), env: { TOKEN: '${SERVER_TOKEN}' }, alwaysAllow: [] },
      'second.one': child('serve', 'b'),
    });
    const agent = agentOf(
      [{ name: 'own_tool' }, { name: 'first_arguments' }, { name: 'second_one_arguments' }],
      [{ name: 'first_env' }, { name: 'first_exit', arguments: { code: 1 } }],
    );
    const asked = request('run', 'agent.ts', '--mcp', file, '--json');
    expect(await runCommand(asked, environment, parts(ofAgent(agent)))).toBe(0);
    const results = eventsOf(environment.stdout.text()).flatMap(({ invocation, toolName, type }) =>
      type === 'tool-call-end' && isRecord(invocation)
        ? [[toolName, invocation['outcome'], invocation['modelText']]]
        : [],
    );
    expect(results.slice(0, 3)).toEqual([
      ['own_tool', 'committed', expect.stringContaining('own')],
      ['first_arguments', 'committed', '["a"]'],
      ['second_one_arguments', 'committed', '["b"]'],
    ]);
    expect(results[3]).toEqual(['first_env', 'committed', expect.stringContaining('"TOKEN":"<')]);
    expect(results[4]).toEqual(['first_exit', 'denied', expect.stringContaining('Stay.')]);
    expect(environment.stdout.text()).not.toContain('secret-of-the-server');
    expect(environment.stderr.text()).toContain(
      `wink: "alwaysAllow" of the server "First" in ${file} has no effect.\n`,
    );
  });

  it('gives them to the replay of such a run, too; calls are answered from the record', async () => {
    const file = fileOf({ first: child('serve', 'recorded') });
    const record = file.replace('servers.json', 'run.jsonl');
    const agent = ofAgent(agentOf([{ name: 'first_arguments' }]));
    const asked = request('run', 'agent.ts', '--mcp', file, '--record', record);
    expect(await runCommand(asked, fakeEnvironment(), parts(agent))).toBe(0);
    const replayed = async (...more: readonly string[]): Promise<number> => {
      const again = readArguments(['replay', record, 'agent.ts', ...more]);
      if (again.kind !== 'replay') throw new Error('no replay');
      return replayCommand(again, fakeEnvironment(), { load: async () => agent });
    };
    expect(await replayed('--mcp', file)).toBe(0);
    expect(await replayed()).toBe(1);
  });

  it('refuses a server that does not start, and starts none then', async () => {
    expect(await refusal({ good: child('serve'), bad: child('exit') })).toBe(
      'FILE: The MCP server "bad" (node) cannot be used: it ended with exit code 5. The last line that it wrote to its standard error: "unfinished".',
    );
    expect(await refusal({ none: { command: 'no-such-program-at-all' } })).toMatch(
      /^FILE: The MCP server "none" .*the program "no-such-program-at-all" was not found\.$/,
    );
  });

  it('shows what a server that does not start has written, without its secrets', async () => {
    const source =
      'console.error(`${process.env.API_KEY} ${process.argv[1]} \\u001b[31mis refused`); process.exit(1)';
    const server = { command: process.execPath, args: ['-e', source, 'token=another-secret'] };
    const refused = await refusal({ own: { ...server, env: { API_KEY: 'very-secret-key' } } });
    expect(refused).toMatch(
      /exit code 1\. The last line that it wrote to its standard error: ".*is refused"\.$/,
    );
    expect(refused).not.toContain('very-secret');
    expect(refused).not.toContain('\u001B');
  });

  it('names the server whose entry cannot be used', async () => {
    expect(await refusal({ web: { url: 'http://me:very-secret@127.0.0.1/mcp' } })).toMatch(
      /^FILE: the server "web" cannot be used: openMcpSection\(\): server\.url has a name or a password in it/,
    );
  });

  it('refuses a server that wants other credentials, with the line that sends them', async () => {
    await using http = await openHttp((_request, response) => void response.writeHead(401).end());
    expect(await refusal({ web: { url: http.url } })).toMatch(
      /answered 401: .*"headers": \{ "Authorization": "Bearer …" \}\. OAuth is not supported\.$/,
    );
  });

  it('refuses names that do not go together', async () => {
    expect(await refusal({ 'a b': child('serve'), 'A-b': child('serve') })).toBe(
      'the servers "a b" and "A-b" of FILE would have one name; rename one.',
    );
    expect(await refusal({ '-x': child('serve') })).toBe(
      'the name "-x" of a server in FILE must begin with a letter or a digit.',
    );
    expect(await refusal({ task: child('serve') })).toMatch(
      /^the servers of FILE do not go with mounted: Sections 1 and 2 have the same address "task"/,
    );
  });

  it('ends the servers when it is interrupted while they start', async () => {
    const interruption = new CliInterruption('interrupted', 130);
    const stop = new AbortController();
    await using http = await openHttp(() => stop.abort(interruption));
    const environment = fakeEnvironment({ signal: stop.signal });
    const asked = request('run', 'agent.ts', '--mcp', fileOf({ web: { url: http.url } }));
    await expect(runCommand(asked, environment, parts(ofAgent(agentOf())))).rejects.toBe(interruption);
  });
});
