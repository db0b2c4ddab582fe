import { readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Ending, ending } from '../../cli/wink.ts';
import { openDatabase } from '../../support/sqlite.ts';
import { DurableCli, untilPaused } from './durable-cli.ts';

let cli: DurableCli;
let journal: readonly string[];

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
  journal = ['--journal', cli.beside('runs.db')];
});
afterEach(() => {
  cli[Symbol.dispose]();
});

const written = (): readonly string[] => readdirSync(cli.folder).sort();
const again = (): Promise<Ending> => cli.run('run', cli.agent, cli.folder, '--apply=each', ...journal);
const inUse = /is in use by another process, which writes to it\. Wait until it has ended/;

describe.runIf(isBuiltin('node:sqlite'))('the folder of a durable run', () => {
  it('is kept from a process with another state folder, and free when the run has ended', async () => {
    const child = cli.start('run', cli.agent, cli.folder, '--json', '--apply=each', ...journal);
    const end = ending(child);
    await untilPaused(child);
    cli.state = 'other';
    const refused = await again();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(inUse);
    expect(refused.stderr).toContain('or leave out --apply.');
    const looking = await cli.run('run', cli.agent, cli.folder, '--max-turns=1', ...journal);
    expect(looking.stderr).not.toMatch(inUse);

    cli.openGate();
    expect((await end).code).toBe(0);
    expect((await again()).code).toBe(0);
  });

  it('of a killed process is free at once, and one of two that resume the run has it', async () => {
    await cli.interrupted('SIGKILL', '--apply=each', ...journal);
    cli.openGate();
    const ends = await Promise.all([
      cli.run('resume', 'first', ...journal),
      cli.run('resume', 'first', ...journal),
    ]);
    const codes = ends.map(({ code }) => code ?? -1).sort((left, right) => left - right);
    // The second one may also come when the first one has ended: it prints the answer then.
    expect([
      [0, 0],
      [0, 2],
    ]).toContainEqual(codes);
    for (const { code, stderr } of ends)
      if (code === 2) expect(stderr).toMatch(/is in use by|is still running|holds it/);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('of a killed process stays with the live one that has it now, with another state folder', async () => {
    await cli.interrupted('SIGKILL', '--apply=each', ...journal);
    // What it has left here says that its process has ended. Its lease is taken from it, as the time-out would.
    const { sqliteJournal } = await import('weakincentives/sqlite');
    await using leases = sqliteJournal({ file: cli.beside('runs.db') });
    await leases.revoke(`folder:${realpathSync(cli.folder)}`);
    cli.state = 'other';
    const child = cli.start('run', cli.agent, cli.folder, '--json', '--apply=each', ...journal);
    const end = ending(child);
    await untilPaused(child);

    cli.state = 'state';
    for (const command of [
      ['resume', 'first'],
      ['runs', 'settle', 'first'],
      ['rewind', 'first', '--to', '0', '--apply'],
    ]) {
      const refused = await cli.run(...command, ...journal);
      expect(refused.code, command.join(' ')).toBe(2);
      expect(refused.stderr).toMatch(inUse);
      expect(refused.stderr).not.toContain('--apply');
    }
    cli.openGate();
    const { code, stderr } = await end;
    expect(code, stderr).toBe(0);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('of a machine that is gone is free when its lease has run out', async () => {
    await cli.interrupted('SIGKILL', '--apply=each', ...journal);
    const [workspace = ''] = readdirSync(cli.beside('state/weakincentives/workspaces'));
    const ofMachine = { host: `not-${hostname()}`, pid: 1, startedAt: '', space: 'elsewhere' };
    const lock = join(cli.beside('state/weakincentives/workspaces'), workspace, 'lock');
    writeFileSync(lock, JSON.stringify({ ...ofMachine, token: 'a', leaseOwner: 'b' }));
    const database = openDatabase(cli.beside('runs.db'));
    database.exec(
      `update wink_leases set owner = 'b', process = '${JSON.stringify(ofMachine)}', until_ms = 9e15, timeout_ms = 9e15`,
    );
    const refused = await again();
    expect(refused.stderr).toMatch(inUse);

    const { sqliteJournal } = await import('weakincentives/sqlite');
    await using leases = sqliteJournal({ file: cli.beside('runs.db') });
    await leases.revoke(`folder:${realpathSync(cli.folder)}`);
    cli.openGate();
    const { code, stderr } = await again();
    expect(code, stderr).toBe(0);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
  });
});
