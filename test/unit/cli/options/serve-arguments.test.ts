import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { serveRequest } from '../serve/served-command.ts';

describe('the arguments of wink serve', () => {
  it('serve a folder with a journal over standard input and output by default', () => {
    expect(serveRequest()).toMatchObject({
      agent: undefined,
      workspace: undefined,
      port: undefined,
      apply: 'each',
      recordFile: undefined,
      durable: {
        journalNames: undefined,
        runId: undefined,
        isRequired: false,
        task: { agent: undefined, apply: 'each' },
      },
      policyFile: undefined,
      approve: 'agent',
      isStructured: false,
      isEnforced: true,
    });
    expect(serveRequest('--workspace', 'dir', '--no-durable')).toMatchObject({
      workspace: 'dir',
      durable: undefined,
    });
  });

  it('serve an agent with a journal only when it is asked for', () => {
    expect(serveRequest('agent.ts').durable).toBeUndefined();
    expect(serveRequest('agent.ts', '--durable', '--run-id', 'one', '--apply=end').durable).toMatchObject({
      runId: 'one',
      isRequired: true,
      task: { agent: expect.stringMatching(/\/agent\.ts$/), apply: 'end' },
    });
  });

  it.each([
    [['--run-id=x']],
    [['--expires=1h']],
    [['--approve=suspend']],
    [['--durable']],
    [['--journal=j.db']],
  ])('do not continue without the journal that %j needs', (argv) => {
    expect(serveRequest(...argv).durable?.isRequired).toBe(true);
  });

  it('take every option', () => {
    expect(
      serveRequest(
        ...['agent.ts', '--workspace=w', '--http', '--port', '8123', '--apply', 'never', '--record'],
        ...['--params={"a":1}', '--sandbox=virtual', '--approve=elicit', '--structured', '--no-enforce'],
        ...['--journal=j.db', '--verbose'],
      ),
    ).toMatchObject({
      agent: 'agent.ts',
      workspace: 'w',
      port: 8123,
      apply: undefined,
      recordFile: '',
      params: { a: 1 },
      sandbox: { kind: 'virtual' },
      approve: 'elicit',
      isStructured: true,
      isEnforced: false,
      durable: { journalNames: { journal: 'j.db' }, isRequired: true },
      isVerbose: true,
    });
    expect(serveRequest('--http')).toMatchObject({ port: 0, clients: 1 });
    expect(serveRequest('--http', '--clients', '64').clients).toBe(64);
    expect(serveRequest('--approve', 'suspend', '--expires', '2h')).toMatchObject({
      approve: 'suspend',
      expiresMs: 7_200_000,
    });
    const withFiles = serveRequest('--policy', 'rules.ts', '--mcp=servers.json', '--sandbox=virtual');
    expect(withFiles.policyFile).toBe('rules.ts');
    // Who reads the journal may be in another folder.
    expect(withFiles.durable?.task).toMatchObject({
      apply: 'each',
      sandbox: { kind: 'virtual' },
      policyFile: resolve('rules.ts'),
      mcpFile: resolve('servers.json'),
    });
    expect(readArguments(['serve', '--help'])).toMatchObject({ kind: 'help' });
  });

  it.each([
    [['a.ts', 'b'], 'wink serve takes AGENT: 1 at most, not 2. The folder is --workspace DIR.'],
    [[''], 'the name of the agent is empty.'],
    [['--workspace='], '--workspace is empty.'],
    [['--port', '80'], '--port requires --http.'],
    [['--http', '--port', '65536'], '--port is "65536"; it must be a number from 0 to 65535, on 127.0.0.1.'],
    [
      ['--http', '--port', '0.0.0.0:80'],
      '--port is "0.0.0.0:80"; it must be a number from 0 to 65535, on 127.0.0.1.',
    ],
    [['--clients=2'], '--clients requires --http.'],
    [['--apply=always'], '--apply is "always"; it must be each, end or never.'],
    [['--approve=yes'], expect.stringContaining('--approve is "yes"; it must be agent')],
    [['a.ts', '--approve=suspend'], '--approve=suspend requires --durable or --journal.'],
    [['a.ts', '--expires=1h'], '--expires requires --durable or --journal.'],
    [['--expires=0m'], '--expires must be at least 1m.'],
    [
      ['--expires=1h', '--approve=elicit'],
      '--expires is for questions in a journal: leave it out with --approve=elicit.',
    ],
    [['--policy='], '--policy is empty.'],
    [
      ['a.ts', '--policy=p.ts'],
      '--policy adds rules to a folder that is served without an agent; an agent has its own.',
    ],
    [['--params={}'], '--params, --tag and --overrides are for agents: name one, or leave them out.'],
    [['a.ts', '--blobs=b'], '--blobs requires --durable or --journal.'],
    [
      ['--no-durable', '--journal=j.db'],
      '--no-durable keeps no journal: leave out --journal, --blobs and --run-id.',
    ],
    [['a.ts', '--run-id=x'], '--run-id requires --durable or --journal.'],
    [['--journal='], '--journal is empty.'],
    [['--run-id=a b'], expect.stringContaining('a b')],
    [['--sandbox=docker'], '--sandbox is "docker"; it must be bubblewrap, virtual or podman:IMAGE.'],
    [['--nothing'], expect.stringContaining('--nothing')],
  ])('refuse %j', (argv, message) => {
    expect(readArguments(['serve', ...argv])).toMatchObject({ kind: 'usage-error', message });
  });

  it.each(['0', '65', '-1', '1.5', '', 'two', '1e1'])('refuse --clients=%s', (text) => {
    expect(readArguments(['serve', '--http', `--clients=${text}`])).toMatchObject({
      kind: 'usage-error',
      message: `--clients is "${text}"; it must be a number from 1 to 64.`,
    });
  });
});
