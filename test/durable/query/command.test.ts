import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ending, fixture, reviewAgent, run, start } from '../../cli/wink.ts';
import { canQuery } from './query-program.ts';

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

let folder = '';
let file = '';

beforeAll(async () => {
  if (!canQuery) return;
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-query-'));
  file = join(folder, 'run.jsonl');
  const work = join(folder, 'fixture');
  cpSync(fixture, work, { recursive: true });
  expect((await run(['run', reviewAgent, work, '--record', file])).code).toBe(0);
});
afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** The process that a process has started, once it has. */
async function childOf({ pid }: ChildProcess): Promise<string> {
  for (;;) {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    if (child !== '') return child;
    await nextTurn();
  }
}

describe.skipIf(!canQuery)('the built command wink query (needs Node 22.16)', () => {
  it('answers for people and for programs', async () => {
    const sql =
      "SELECT tool, outcome, reason, policy FROM calls WHERE outcome <> 'committed' ORDER BY started_ms";
    const table = await run(['query', file, sql]);
    expect([table.code, table.stderr]).toEqual([0, '']);
    expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['tool', 'outcome', 'reason', 'policy'],
      ['write_file', 'denied', 'denied', 'read-before-write'],
      ['publish_report', 'rolled-back', 'failed-result', 'NULL'],
      [''],
    ]);
    const json = await run(['query', file, sql, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { tool: 'write_file' },
      { tool: 'publish_report', policy: null },
    ]);
  });

  it('refuses what writes, and what is wrong', async () => {
    const copy = join(folder, 'copy.db');
    const refused = await run(['query', file, `VACUUM INTO '${copy}'`]);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(/^wink: the SQL is refused: VACUUM is not allowed;/);
    expect(existsSync(copy)).toBe(false);
    const wrong = await run(['query', file, 'SELECT * FROM nowhere']);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toBe(
      'wink: the SQL is wrong: no such table: nowhere. wink query RUN lists the tables.\n',
    );
  });

  it('stops a query that never ends', async () => {
    const { code, stderr } = await run(['query', file, endless, '--timeout', '0.5']);
    expect([code, stderr]).toEqual([
      1,
      'wink: the query was stopped after 0.5 seconds; --timeout allows more.\n',
    ]);
  });

  it('ends the process of the query when it is interrupted', async () => {
    const command = start(['query', file, endless]);
    const ended = ending(command);
    const child = await childOf(command);
    command.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'wink: interrupted.\n' });
    expect(existsSync(`/proc/${child}`)).toBe(false);
  });
});
