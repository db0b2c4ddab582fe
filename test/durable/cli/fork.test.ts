import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { DurableCli } from './durable-cli.ts';

let cli: DurableCli;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
});
afterEach(() => {
  cli[Symbol.dispose]();
});

describe.runIf(isBuiltin('node:sqlite'))('a run in the journal', () => {
  it('is forked at a commit, and both are exported', async () => {
    await cli.interrupted('SIGINT', '--durable');
    cli.openGate();
    const forked = await cli.run('fork', 'first', '--at', '1', '--run-id', 'second', '--json');
    expect(forked.code, forked.stderr).toBe(0);
    // The second file is written again, by the fork.
    expect(forked.stdout).toMatch(/"type":"tool-call-end"[^\n]*b\.md/);
    expect(forked.stdout).not.toMatch(/"type":"tool-call-end"[^\n]*a\.md/);
    const read = async (run: string) => {
      const out = cli.beside(`${run}.jsonl`);
      const exported = await cli.run('runs', 'export', run, '--out', out);
      expect(exported.code, exported.stderr).toBe(0);
      return readRunRecord(readFileSync(out, 'utf8').split('\n'));
    };
    const second = await read('second');
    expect(second).toMatchObject({ isComplete: true, base: { runId: 'first', seq: 1 } });
    expect(second.filesAt(second.commits.length).map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md']);
    expect((await read('first')).commits).toHaveLength(2);
    expect(existsSync(join(cli.folder, 'a.md'))).toBe(false);
    const tables = await cli.run('query', 'second', '--json');
    expect(tables.stdout).toContain('"table":"calls"');
  });
});
