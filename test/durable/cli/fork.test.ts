import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('that writes as it goes is forked on its folder when that is put back, or on a copy', async () => {
    await cli.interrupted('SIGINT', '--durable', '--apply=each');
    cli.openGate();
    const copy = cli.beside('copy');
    const refused = await cli.run('fork', 'first', '--at', '1');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toBe(
      'wink: the folder is not as the run "first" had it after its commit 1: b.md differs. wink rewind first --to 1 --apply puts it back, or name a folder that is, such as a copy, with --workspace DIR.\n',
    );
    const shown = await cli.run('rewind', 'first', '--to', '1');
    expect(shown.stdout).toContain('nothing was written; --apply puts 1 path back');
    expect(readdirSync(cli.folder)).toEqual(['a.md', 'b.md']);
    const rewound = await cli.run('rewind', 'first', '--to', '1', '--apply');
    expect(rewound.code, rewound.stderr).toBe(0);
    cpSync(cli.folder, copy, { recursive: true });

    const second = await cli.run('fork', 'first', '--at', '1', '--run-id', 'second', '--json');
    expect(second.code, second.stderr).toBe(0);
    expect(readdirSync(cli.folder)).toEqual(['a.md', 'b.md', 'c.md']);
    const third = await cli.run(
      'fork',
      'first',
      '--at=1',
      '--run-id',
      'third',
      '--workspace',
      copy,
      '--json',
    );
    expect(third.code, third.stderr).toBe(0);
    expect(third.stdout).not.toMatch(/"type":"tool-call-end"[^\n]*a\.md/);
    expect(readdirSync(copy)).toEqual(['a.md', 'b.md', 'c.md']);
    const listed = await cli.run('runs', '--folder', copy, '--json');
    expect(listed.stdout).toContain('"third"');
    expect(listed.stdout).not.toContain('"second"');
    // It is known to work in its own folder.
    const back = await cli.run('rewind', 'third', '--to', '0', '--apply');
    expect(back.code, back.stdout).toBe(0);
    expect([readdirSync(copy), readdirSync(cli.folder)]).toEqual([[], ['a.md', 'b.md', 'c.md']]);
  });
});
