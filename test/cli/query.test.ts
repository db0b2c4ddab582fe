import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fixture, reviewAgent, run } from './wink.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canQuery = major >= 24 || (major === 22 && minor >= 16);

// What needs SQLite is in test/durable/query.
let folder = '';
let file = '';

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-query-'));
  file = join(folder, 'run.jsonl');
  const work = join(folder, 'fixture');
  cpSync(fixture, work, { recursive: true });
  expect((await run(['run', reviewAgent, work, '--record', file])).code).toBe(0);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('wink query', () => {
  it('lists the tables of a record', async () => {
    const { code, stdout, stderr } = await run(['query', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('\ncalls  45 rows\n    id, run, turn, call_id, tool,');
  });

  it.runIf(!canQuery)('says which version of Node has SQLite, where this one has not', async () => {
    const { code, stdout, stderr } = await run(['query', file, 'SELECT 1']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('run it with Node 22.16 or later');
  });
});
