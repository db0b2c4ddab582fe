import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DurableCli } from '../../durable/cli/durable-cli.ts';
import { noSqlite, sqliteSuite } from '../../support/sqlite.ts';
import { noPostgres, type PostgresServer, postgresSuite, startPostgres } from '../support/postgres.ts';

let server: PostgresServer;
let cli: DurableCli;

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('');
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => {
  cli = new DurableCli();
});
afterEach(() => cli[Symbol.dispose]());

const shown = (): string => server.url.replace(`:${server.password}@`, '@');

describe.skipIf(noPostgres !== undefined)(postgresSuite('the command with a journal in PostgreSQL'), () => {
  it('says what makes the tables, and makes them, without showing the password', async () => {
    const missing = await cli.run('runs', '--journal', server.url);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('wink journal migrate');
    const made = await cli.run('journal', 'migrate', '--journal', server.url);
    expect(made).toEqual({
      code: 0,
      stdout: `the journal "${shown()}" has the tables of this version.\n`,
      stderr: '',
    });
    cli.further = { WINK_JOURNAL: server.url };
    expect((await cli.run('journal', 'migrate')).code).toBe(0);
    expect(await cli.run('runs')).toMatchObject({ code: 0, stdout: 'there are no runs.\n', stderr: '' });
    expect(missing.stderr + made.stdout).not.toContain(server.password);
  });

  it.skipIf(noSqlite !== undefined)(
    sqliteSuite('keeps a run that is killed, and each command finds it there'),
    async () => {
      await cli.run('journal', 'migrate', '--journal', server.url);
      const journal = ['--journal', server.url] as const;
      cli.openGate();
      cli.killAt('b.md');
      const killed = await cli.run(
        'run',
        cli.agent,
        cli.folder,
        ...journal,
        '--apply=each',
        '--run-id',
        'first',
      );
      expect(killed.code).toBe(null);
      expect(killed.stderr).toContain(`wink resume first --journal ${shown()}`);
      cli.killAt(undefined);
      cli.further = { WINK_JOURNAL: server.url };
      expect((await cli.run('runs')).stdout).toMatch(/^first +interrupted /m);
      const resumed = await cli.run('resume', 'first');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(readdirSync(cli.folder).sort()).toEqual(['a.md', 'b.md', 'c.md']);
      expect((await cli.run('runs')).stdout).toMatch(/^first +finished /m);
      expect((await cli.run('query', 'first', 'select count(*) from calls')).stdout).toContain('4');
      const page = cli.beside('page.html');
      expect((await cli.run('view', 'first', '--out', page)).code).toBe(0);
      expect(existsSync(page)).toBe(true);
      const replayed = await cli.run('replay', 'first', cli.agent);
      expect(replayed.code, replayed.stdout + replayed.stderr).toBe(0);
      const record = cli.beside('record.jsonl');
      expect((await cli.run('runs', 'export', 'first', '--out', record)).code).toBe(0);
      expect(readFileSync(record, 'utf8')).not.toContain(server.password);
      const rewound = await cli.run('rewind', 'first', '--to', '1', '--apply');
      expect(rewound.code, rewound.stderr).toBe(0);
      expect(readdirSync(cli.folder)).toEqual(['a.md']);
      const forked = await cli.run('fork', 'first', '--at', '1', '--run-id', 'second');
      expect(forked.code, forked.stderr).toBe(0);
      expect(readdirSync(cli.folder).sort()).toEqual(['a.md', 'b.md', 'c.md']);
      expect((await cli.run('approvals', 'list')).code).toBe(0);
      expect((await cli.run('runs', 'prune', 'first', 'second')).code).toBe(0);
      expect((await cli.run('runs')).stdout).toBe('there are no runs.\n');
    },
  );

  it.skipIf(noSqlite !== undefined)(sqliteSuite('keeps long rows in a folder that is there'), async () => {
    await cli.run('journal', 'migrate', '--journal', server.url);
    cli.further = { WINK_JOURNAL: server.url };
    cli.changeTask(`Write three files.${' Please.'.repeat(10_000)}`);
    cli.openGate();
    const blobs = ['--blobs', cli.beside('blobs')] as const;
    const begin = ['run', cli.agent, cli.folder, '--durable', '--run-id', 'long'] as const;
    const absent = await cli.run(...begin, ...blobs);
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('blobs" does not exist; make it on the disk that all machines');
    mkdirSync(cli.beside('blobs'));
    const made = await cli.run(...begin, ...blobs);
    expect(made.code, made.stderr).toBe(0);
    expect(readdirSync(cli.beside('blobs'))).toHaveLength(1);
    const calls = ['query', 'long', 'select count(*) from calls'] as const;
    expect((await cli.run(...calls)).stderr).toContain('--blobs PLACE');
    expect((await cli.run(...calls, ...blobs)).stdout).toContain('4');
    const page = cli.beside('long.html');
    expect((await cli.run('view', 'long', '--out', page, ...blobs)).code).toBe(0);
    expect((await cli.run('runs', 'prune', 'long', ...blobs)).code).toBe(0);
    expect(readdirSync(cli.beside('blobs'))).toEqual([]);
  });

  it('says that a server cannot be reached, and a password is wrong, without it', async () => {
    const wrong = server.url.replace(server.password, 'very-wrong-password');
    const denied = await cli.run('runs', '--journal', wrong);
    expect(denied).toMatchObject({ code: 2, stdout: '' });
    expect(denied.stderr).toMatch(
      /^wink: the journal "postgres:.*" cannot be used: .*password authentication failed/,
    );
    expect(denied.stderr).not.toContain('very-wrong-password');
    const absent = await cli.run('runs', '--journal', 'postgres://user:very-secret@127.0.0.1:1/runs');
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('ECONNREFUSED');
    expect(absent.stderr).not.toContain('very-secret');
  });
});
