import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from 'weakincentives/record';
import { readRunRecord } from 'weakincentives/record';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { CliInterruption } from '../../../src/cli/process/environment.ts';
import { queryCommand } from '../../../src/cli/query/query-command.ts';
import { type QueryEnding, type QueryOptions, runQuery } from '../../../src/cli/query/query-process.ts';
import { queryTables } from '../../../src/cli/query/tables/query-tables.ts';
import { deadlockMs } from '../../support/deadlock.ts';
import { queriedRecord } from '../../support/queried-record.ts';
import { capturedStream, type FakeEnvironment, fakeEnvironment } from '../../unit/cli/support.ts';
import { canQuery, queryProgram } from './query-program.ts';

let folder = '';
let file = '';
let lines: readonly string[] = [];
let record: RunRecord;
let program = '';

beforeAll(async () => {
  if (!canQuery) return;
  folder = mkdtempSync(join(tmpdir(), 'wink-query-'));
  file = join(folder, 'run.jsonl');
  lines = await queriedRecord();
  writeFileSync(file, `${lines.join('\n')}\n`);
  record = await readRunRecord(lines);
  program = await queryProgram();
});
afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

function helpText(): string {
  const request = readArguments(['query', '--help']);
  return request.kind === 'help' ? request.text : '';
}

const major = Number.parseInt(process.versions.node, 10);
const neverAborted = new AbortController().signal;

const noColumnCheck = ['columns.length === 0', 'false'] as const;
const noAuthorizer = ['database.setAuthorizer?.', 'database.noAuthorizer?.'] as const;
const noPlacesTaken = ['  takePlaces(database);', ''] as const;
const noLimit = ['limits: { attach: 0 },', ''] as const;
/** What keeps SQLite from opening files, each alone: what is taken out of the program, and what SQLite says then. */
const walls: readonly (readonly [string, readonly (readonly [string, string])[], RegExp])[] = [
  [
    'that every place for a database is taken',
    [noColumnCheck, noAuthorizer, noLimit],
    /^too many attached databases/,
  ],
  ['that it has no result', [noPlacesTaken, noAuthorizer, noLimit], /^the statement has no result$/],
  ...(major < 24
    ? []
    : [
        [
          'the authorizer',
          [noColumnCheck, noPlacesTaken, noLimit],
          /not authorized|authorization denied/,
        ] as const,
        [
          'the limit',
          [noColumnCheck, noPlacesTaken, noAuthorizer],
          /^too many attached databases - max 0/,
        ] as const,
      ]),
];

/** Runs SQL as the process does, without the check of its text. */
function unchecked(sql: string, options: Partial<QueryOptions> = {}): Promise<QueryEnding> {
  return runQuery({
    record,
    sql,
    program,
    timeoutMs: deadlockMs,
    after: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    signal: neverAborted,
    ...options,
  });
}

/** The command on a record, as JSON. */
async function query(sql: string, name = file): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const environment = fakeEnvironment();
  expect(await command([name, sql, '--json'], environment)).toBe(0);
  expect(environment.stderr.text()).toBe('');
  return JSON.parse(environment.stdout.text());
}

function command(argv: readonly string[], environment: FakeEnvironment): Promise<number> {
  const request = readArguments(['query', ...argv]);
  if (request.kind !== 'query') throw new TypeError(JSON.stringify(request));
  return queryCommand(request, environment, { readProgram: async () => program });
}

describe.skipIf(!canQuery)('wink query (needs Node 22.16)', () => {
  it('has every row of every table, as it was made', async () => {
    for (const table of queryTables) {
      const rows = Array.from(table.rows(record), (row) =>
        Object.fromEntries(table.columns.map(({ name }, index) => [name, row[index]])),
      );
      expect(await query(`SELECT * FROM ${table.name}`)).toEqual(rows);
    }
  });

  it('answers what operators ask', async () => {
    expect(
      await query(
        'SELECT c.call, c.what, c.by_call, b.tool AS by_tool FROM conflicts c LEFT JOIN calls b ON b.id = c.by_call',
      ),
    ).toContainEqual({ call: 'call-2-2', what: 'file a.md', by_call: 'call-2-1', by_tool: 'act' });
    expect(await query("SELECT seq, call FROM changes WHERE path = 'a.md' AND is_final")).toEqual([
      { seq: 3, call: 'call-2-1' },
    ]);
    expect(await query("SELECT value ->> 'value' AS v FROM writes WHERE op = 'put'")).toEqual([{ v: 1 }]);
    expect(
      await query(
        'WITH t AS (SELECT turn, sum(calls) AS n FROM turns WHERE run = 0 GROUP BY 1) SELECT max(n) AS n FROM t',
      ),
    ).toEqual([{ n: 3 }]);
  });

  it('names every table in its help', () => {
    const [, names = ''] = /Tables: ([^.]*)\./.exec(helpText()) ?? [];
    expect(names.split(/,\s+/)).toEqual(queryTables.map(({ name }) => name));
  });

  it('answers the questions of its help and of the guide', async () => {
    const help = helpText().split('Questions:\n')[1]?.split('\n\n')[0] ?? '';
    const guide = readFileSync(new URL('../../../guides/watch-it.md', import.meta.url), 'utf8');
    const questions = [
      ...help.split(/^ {2}\w.*$/m),
      ...(/```sql\n(.*?)```/s.exec(guide)?.[1]?.split(';\n') ?? []),
    ].filter((sql) => sql.trim() !== '');
    expect(questions).toHaveLength(11);
    for (const sql of questions) expect(Array.isArray(await query(sql))).toBe(true);
  });

  it('prints a table for people, with control characters escaped', async () => {
    const environment = fakeEnvironment({ stdout: capturedStream({ columns: 60 }) });
    expect(
      await command([file, "SELECT bytes, text FROM contents WHERE text LIKE 'new%'"], environment),
    ).toBe(0);
    expect(environment.stdout.text()).toBe('bytes  text\n    8  new<U+001B>[31m\n');
  });

  it('prints integers of any size, bytes, and what is not a number', async () => {
    const sql =
      "SELECT 9223372036854775807 AS big, -9007199254740991 AS safe, x'00ff' AS bytes, 9e999 AS infinite";
    expect(await query(sql)).toEqual([
      {
        big: '9223372036854775807',
        safe: -9007199254740991,
        bytes: "x'00ff'",
        infinite: 'Infinity',
      },
    ]);
  });

  it('has texts with NUL as a whole', async () => {
    const nul = join(folder, 'nul.jsonl');
    writeFileSync(nul, lines.join('\n').replaceAll('It throws.', 'It \\u0000 throws.'));
    expect(await query("SELECT error FROM calls WHERE reason = 'threw'", nul)).toEqual([
      { error: 'It \u2400 throws.' },
    ]);
  });

  it('prints 10,000 rows at most and says how many more there are', async () => {
    const environment = fakeEnvironment();
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 12000) SELECT x FROM n';
    expect(await command([file, sql, '--json'], environment)).toBe(0);
    expect(JSON.parse(environment.stdout.text())).toHaveLength(10_000);
    expect(environment.stderr.text()).toMatch(/^wink: 2,000 more rows are not shown/);
  });

  it('reads a record that was cut off, and one that was redacted', async () => {
    const torn = join(folder, 'torn.jsonl');
    writeFileSync(torn, `${lines.slice(0, -3).join('\n')}\n${lines.at(-3)?.slice(0, 20)}`);
    expect(await query('SELECT is_complete, is_torn FROM record', torn)).toEqual([
      { is_complete: 0, is_torn: 1 },
    ]);
    expect(await query('SELECT outcome FROM runs WHERE run = 0', torn)).toEqual([{ outcome: null }]);

    const redacted = join(folder, 'redacted.jsonl');
    const clean = await queriedRecord((text) => text.replaceAll('one', '[gone]'));
    writeFileSync(redacted, clean.join('\n'));
    expect(await query('SELECT is_redacted FROM record', redacted)).toEqual([{ is_redacted: 1 }]);
    expect(await query("SELECT hash FROM contents WHERE text LIKE '%one\n%'", redacted)).toEqual([]);
    expect(await query("SELECT text FROM contents WHERE text LIKE '[gone]%'", redacted)).toEqual([
      { text: '[gone]\ntwo\n' },
    ]);
  });

  it.each([
    ['SELECT * FROM nowhere', 'the SQL is wrong: no such table: nowhere. wink query RUN lists the tables.'],
    ['SELECT nope FROM calls', 'no such column: nope'],
    ['SELECT "text" FROM calls', 'no such column: "text"'],
    ['SELECT FROM', 'syntax error'],
    ['SELECT (', 'incomplete input'],
    ['SELECT abs(-9223372036854775808)', 'integer overflow'],
  ])('says what is wrong with %j', async (sql, problem) => {
    await expect(command([file, sql], fakeEnvironment())).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(problem) as unknown,
    });
  });

  it('stops a query that never ends when its time is up', async () => {
    const environment = fakeEnvironment({
      after: (milliseconds, callback) => {
        // Others are for what keeps an output open.
        if (milliseconds === 1500) setImmediate(callback);
        return () => undefined;
      },
    });
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    expect(await command([file, sql, '--timeout', '1.5'], environment)).toBe(1);
    expect(environment.stderr.text()).toBe(
      'wink: the query was stopped after 1.5 seconds; --timeout allows more.\n',
    );
    expect(environment.stdout.text()).toBe('');
  });

  it('stops it when it is interrupted', async () => {
    const controller = new AbortController();
    const reason = new CliInterruption('interrupted', 130);
    const environment = fakeEnvironment({
      signal: controller.signal,
      after: () => {
        setImmediate(() => controller.abort(reason));
        return () => undefined;
      },
    });
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    await expect(command([file, sql], environment)).rejects.toBe(reason);
  });

  it('ends a query whose value is longer than a text can be', async () => {
    const environment = fakeEnvironment();
    expect(await command([file, 'SELECT hex(zeroblob(400000000))'], environment)).toBe(1);
    expect(environment.stderr.text()).toContain('select fewer rows or shorter values');
  });
});

describe.skipIf(!canQuery)('the process of a query, without the check of the text (needs Node 22.16)', () => {
  const place = (name: string): string => join(folder, name).replaceAll("'", "''");

  it.each([
    ['writes a file', () => `VACUUM INTO '${place('copy.db')}'`],
    ['writes a file of a schema', () => `VACUUM main INTO '${place('copy.db')}'`],
    ['makes a database', () => `ATTACH DATABASE '${place('new.db')}' AS other`],
    ['makes one by its address', () => `ATTACH 'file:${place('new.db')}?mode=rwc' AS other`],
    ['opens a file', () => `ATTACH '${place('run.jsonl')}' AS other`],
    ['opens another database in memory', () => "ATTACH ':memory:' AS other"],
    ['loads code', () => "SELECT load_extension('libm.so.6')"],
    ['has files of its own', () => "SELECT writefile('x', 'y')"],
    ['reads files of its own', () => "SELECT readfile('/etc/hostname')"],
    ['changes rows', () => 'DELETE FROM calls RETURNING *'],
    ['makes a table', () => 'CREATE TABLE x (a)'],
    ['makes a temporary table', () => 'CREATE TEMP TABLE x (a)'],
    ['makes a view', () => 'CREATE VIEW x AS SELECT 1'],
    ['changes the schema', () => "UPDATE sqlite_schema SET sql = 'x' RETURNING *"],
    ['changes the schema by a page', () => "UPDATE sqlite_dbpage SET data = x'00' RETURNING *"],
    ['empties the database', () => 'VACUUM'],
  ])('refuses SQL that %s', async (_what, sql) => {
    const before = readdirSync(folder);
    const content = readFileSync(file);
    expect(await unchecked(sql())).toMatchObject({ kind: 'sql-error' });
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(file)).toEqual(content);
  });

  it.each(walls)('opens no file where only %s keeps it from that', async (_what, removed, message) => {
    const weaker = removed.reduce((text, [part, instead]) => {
      expect(text.split(part)).toHaveLength(2);
      return text.replace(part, instead);
    }, program);
    for (const sql of [`ATTACH '${place('new.db')}' AS other`, `VACUUM INTO '${place('copy.db')}'`]) {
      const ending = await unchecked(sql, { program: weaker });
      expect(ending).toMatchObject({ kind: 'sql-error', message: expect.stringMatching(message) as unknown });
    }
    expect(readdirSync(folder)).not.toContain('new.db');
    expect(readdirSync(folder)).not.toContain('copy.db');
  });

  it('runs the first of two statements only, so that none prepares the ground for another', async () => {
    expect(await unchecked(`SELECT 1; ATTACH '${place('second.db')}' AS other`)).toMatchObject({
      kind: 'result',
      result: { rows: [[1]] },
    });
    expect(readdirSync(folder)).not.toContain('second.db');
  });

  it.each([
    'PRAGMA query_only = OFF',
    'PRAGMA writable_schema = ON',
    'PRAGMA temp_store = FILE',
    'DETACH taken_0',
    'BEGIN',
  ])('has nothing to gain from %s, or refuses it', async (sql) => {
    expect((await unchecked(sql)).kind).toBe('sql-error');
  });

  it('sends so much and counts the rest', async () => {
    const sql = 'SELECT hex(zeroblob(1000)) FROM (VALUES (1), (2), (3), (4))';
    expect(await unchecked(sql, { maxResultBytes: 3000 })).toMatchObject({
      kind: 'result',
      result: { rows: { length: 2 }, leftOut: 2 },
    });
  });

  it('sends a row that is longer than the rest may be', async () => {
    const sql = 'SELECT hex(zeroblob(10000000)) AS a';
    const ending = await unchecked(sql, { maxResultBytes: 10 });
    const rows = ending.kind === 'result' ? ending.result.rows : [];
    expect(rows).toEqual([['0'.repeat(20_000_000)]]);
  });

  it('may use so much memory and no more', async () => {
    const sql = 'SELECT length(randomblob(800000000)) AS n';
    expect((await unchecked(sql, { maxMemoryBytes: 800_000_000 })).kind).toBe('too-large');
    expect((await unchecked('SELECT 1', { maxMemoryBytes: 800_000_000 })).kind).toBe('result');
  });

  it('writes to no file, whatever the driver is made to do', async () => {
    const name = join(folder, 'written.db');
    const ending = await unchecked('', {
      program: `
        let outcome = 'written';
        try {
          const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
          new DatabaseSync(${JSON.stringify(name)}).exec('CREATE TABLE x (a)');
        } catch (error) { outcome = error.message; }
        console.log(JSON.stringify({ columns: ['outcome'] }));
        console.log(JSON.stringify({ row: [outcome] }));
        console.log(JSON.stringify({ leftOut: 0 }));
        process.stdin.resume();`,
    });
    expect(ending).toMatchObject({ kind: 'result', result: { rows: [['disk I/O error']] } });
    expect(readFileSync(name, 'utf8')).toBe('');
  });

  it('may read no file, start no process and no thread, and has none of the environment', async () => {
    const probe = `
      const attempts = {
        read: () => process.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(file)}),
        write: () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(join(folder, 'w'))}, ''),
        spawn: () => process.getBuiltinModule('node:child_process').spawnSync('true').error.code,
        thread: () => new (process.getBuiltinModule('node:worker_threads').Worker)('', { eval: true }),
      };
      const row = Object.values(attempts).map((attempt) => {
        try { return String(attempt()); } catch (error) { return error.code; }
      });
      console.log(JSON.stringify({ columns: Object.keys(attempts) }));
      console.log(JSON.stringify({ row: [...row, Object.keys(process.env).filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).join()] }));
      console.log(JSON.stringify({ leftOut: 0 }));
      process.stdin.resume();
    `;
    const ending = await runQuery({
      record,
      sql: '',
      program: probe,
      timeoutMs: 1,
      after: () => () => undefined,
      signal: neverAborted,
    });
    const denied = 'ERR_ACCESS_DENIED';
    expect(ending).toMatchObject({
      kind: 'result',
      result: { rows: [[denied, denied, denied, denied, '']] },
    });
  });

  it('answers nothing when the rows are not complete', async () => {
    const calls = new Proxy([...record.calls], {
      get: (target, name) => {
        if (name === Symbol.iterator) throw new RangeError('The calls cannot be read.');
        return Reflect.get(target, name) as unknown;
      },
    });
    await expect(unchecked('SELECT 1', { record: { ...record, calls } })).rejects.toThrow(
      'The calls cannot be read.',
    );
  });

  it('is reported when it ends by itself', async () => {
    const options = { record, sql: '', timeoutMs: 1, after: () => () => undefined, signal: neverAborted };
    expect(await runQuery({ ...options, program: 'process.exit(3)' })).toEqual({
      kind: 'crashed',
      how: 'with code 3',
    });
    expect(await runQuery({ ...options, program: 'process.kill(process.pid, "SIGKILL")' })).toEqual({
      kind: 'crashed',
      how: 'by the signal SIGKILL',
    });
  });
});
