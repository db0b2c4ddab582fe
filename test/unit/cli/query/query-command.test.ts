import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { queryCommand } from '../../../../src/cli/query/query-command.ts';
import { runCli } from '../../../../src/cli/run-cli.ts';
import { queriedRecord } from '../../../support/queried-record.ts';
import { capturedStream, type FakeEnvironment, fakeEnvironment } from '../support.ts';

let folder = '';
let file = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wink-query-'));
  file = join(folder, 'run.jsonl');
  writeFileSync(file, `${(await queriedRecord()).join('\n')}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the command prints. */
async function run(
  argv: readonly string[],
  environment: FakeEnvironment = fakeEnvironment(),
): Promise<readonly [code: number, stdout: string, stderr: string]> {
  const code = await runCli(['query', ...argv], environment);
  return [code, environment.stdout.text(), environment.stderr.text()];
}

describe('wink query without SQL', () => {
  it('lists the tables with their columns and how many rows they have', async () => {
    const [code, stdout, stderr] = await run(
      [file],
      fakeEnvironment({ stdout: capturedStream({ columns: 60 }) }),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('\nruns  2 rows\n    run, parent_call, parent_attempt,');
    expect(stdout).toContain('\napprovals  1 row\n');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('lists them as JSON', async () => {
    const [code, stdout] = await run([file, '--json']);
    const tables: unknown = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(tables).toContainEqual({
      table: 'approvals',
      about: 'an approval that a policy asked for',
      rows: 1,
      columns: expect.arrayContaining([
        { name: 'is_approved', type: 'INTEGER', about: '1: it was approved' },
      ]) as unknown,
    });
  });

  it('prints the statements that create them, with or without a record', async () => {
    const [code, stdout] = await run(['--schema']);
    expect(code).toBe(0);
    expect(stdout).toContain('CREATE TABLE commits (\n  seq INTEGER, -- number of the commit\n');
    expect(await run([file, '--schema'])).toEqual([0, stdout, '']);
  });

  it('says in its help what the tables are, and what a query may be', async () => {
    const [code, stdout] = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Tables: record, runs, ');
    expect(stdout).toContain('SELECT, WITH ... SELECT, or EXPLAIN');
  });
});

describe('wink query', () => {
  it.each([
    [[], 'no record given: wink query RUN "SQL"'],
    [['a', 'SELECT', '1'], 'Put the SQL in quotes.'],
    [['a', 'SELECT 1', '--schema'], '--schema prints the tables and runs nothing'],
    [['a', '--schema', '--json'], '--schema prints SQL'],
    [
      ['a', 'SELECT 1', '--timeout', '0'],
      '--timeout is "0s"; it must be a time such as 30s, 10m or 1h, above 0 and at most 24h.',
    ],
    [['a', 'SELECT 1', '--timeout', '1e9'], '--timeout is "1e9"; it must be a time'],
    [['a', 'SELECT 1', '--timeout', '86401'], '--timeout is "86401s"; it must be a time'],
    [['a', 'SELECT 1', '--timeout=-1'], '--timeout is "-1"; it must be a time'],
    [['a', 'SELECT 1', '--frob'], 'unknown option "--frob"'],
    [['a', 'PRAGMA \u001b[1m'], 'the SQL is refused: PRAGMA is not allowed'],
    [['a', ''], 'the SQL is refused: it has no statement.'],
  ])('refuses %j', async (argv, problem) => {
    const [code, stdout, stderr] = await run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
  });

  it('takes SQL that begins with a comment', () => {
    expect(readArguments(['query', 'run.jsonl', '--all of them\nSELECT 1', '--json'])).toMatchObject({
      kind: 'query',
      file: 'run.jsonl',
      sql: ' --all of them\nSELECT 1',
      isJson: true,
    });
  });

  it('refuses what is not a record, with SQL and without', async () => {
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'hello\n');
    for (const argv of [[other], [join(folder, 'nowhere.jsonl')]]) {
      const [code, stdout, stderr] = await run(argv);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/cannot be queried: Line 1|cannot read .*no such file or directory/);
    }
  });

  it.each(['20.19.0', '22.15.1', '23.10.0'])('says what to do on Node %s', async (nodeVersion) => {
    const request = readArguments(['query', file, 'SELECT 1']);
    if (request.kind !== 'query') throw new TypeError('It is a query.');
    await expect(queryCommand(request, fakeEnvironment(), { nodeVersion })).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('run it with Node 22.16 or later') as unknown,
      cause: { code: 'peer-missing' },
    });
  });
});
