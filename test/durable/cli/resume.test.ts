import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ending } from '../../cli/wink.ts';
import { DurableCli, untilPaused } from './durable-cli.ts';

const hasSqlite = isBuiltin('node:sqlite');
let cli: DurableCli;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
});
afterEach(() => {
  cli[Symbol.dispose]();
});

const written = (): readonly string[] => readdirSync(cli.folder).sort();

describe.runIf(hasSqlite)('a run that was killed', () => {
  it.each([
    ['--apply', []],
    ['--apply=each', ['a.md', 'b.md']],
  ])('is announced by the next run, and resumed with %s', async (apply, kept) => {
    const killed = await cli.interrupted('SIGKILL', '--durable', apply);
    expect(killed.code).toBe(null);
    expect(killed.stderr).toContain(
      'wink: run first is kept in a journal; should it be interrupted: wink resume first.\n',
    );
    expect(written()).toEqual(kept);

    cli.openGate();
    const next = await cli.run('run', cli.agent, cli.folder);
    expect(next.stderr).toContain(
      'wink: run first was interrupted after 2 commits: wink resume first, or wink runs prune first.\n',
    );
    expect(written()).toEqual(kept);

    const resumed = await cli.run('resume', 'first');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('turn 3: the run continues after 2 commits and 1 interruption\n');
    expect(resumed.stdout).toContain('\nAll is written.\n');
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
    expect(readFileSync(join(cli.folder, 'b.md'), 'utf8')).toBe('b.md\n');

    const after = await cli.run('run', cli.agent, cli.folder);
    expect(after.stderr).not.toContain('was interrupted');
  });

  it('hides what the run hid, and is refused where it cannot', async () => {
    cli.further = { CUSTOMER: 'acme-of-somewhere' };
    cli.changeTask('Write three files for acme-of-somewhere.');
    await cli.interrupted('SIGKILL', '--durable', '--redact', 'CUSTOMER');
    cli.openGate();

    cli.further = {};
    const refused = await cli.run('resume', 'first');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('the run "first" names "CUSTOMER", which is not the name of');

    cli.further = { CUSTOMER: 'acme-of-somewhere' };
    expect((await cli.run('resume', 'first')).code).toBe(0);
    const record = cli.beside('first.jsonl');
    expect((await cli.run('runs', 'export', 'first', '--out', record)).code).toBe(0);
    const text = readFileSync(record, 'utf8');
    expect(text).toContain('Write three files for <CUSTOMER>.');
    expect(text).not.toContain('acme-of-somewhere');
  });

  it('is announced when a signal has stopped it, too', async () => {
    const stopped = await cli.interrupted('SIGTERM', '--durable', '--apply');
    expect(stopped.code).toBe(143);
    cli.openGate();
    const next = await cli.run('run', cli.agent, cli.folder);
    expect(next.stderr).toContain('wink: run first was interrupted after 2 commits: wink resume first, or');
    expect((await cli.run('resume', 'first')).code).toBe(0);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
    const after = await cli.run('run', cli.agent, cli.folder);
    expect(after.stderr).not.toContain('wink resume');
  });

  it('is resumed by one process at a time, as often as it is killed', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply=each');
    const child = cli.start('resume', 'first', '--json');
    const end = ending(child);
    await untilPaused(child);
    const second = await cli.run('resume', 'first');
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('the run "first" is still running');
    child.kill('SIGKILL');
    await end;

    cli.openGate();
    const resumed = await cli.run('resume', 'first', '--json');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stdout).toMatch(/"type":"run-resumed"[^\n]*"turn":3,"commits":2,"changed":\[\]/);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('is refused by --strict when its prompt has changed, and continues without', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply');
    cli.openGate();
    cli.changeTask('Write four files.');
    const strict = await cli.run('resume', 'first', '--strict');
    expect(strict.code).toBe(2);
    expect(strict.stderr).toContain('The run "first" was recorded with another prompt.');
    expect(written()).toEqual([]);

    const resumed = await cli.run('resume', 'first');
    expect(resumed.stderr).toContain(
      'turn 3: the run continues after 2 commits and 1 interruption; changed since: prompt, request\n',
    );
    expect(resumed.code).toBe(0);
  });

  it('writes nothing over what others have changed meanwhile', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply');
    cli.openGate();
    writeFileSync(join(cli.folder, 'b.md'), 'mine\n');
    const resumed = await cli.run('resume', 'first');
    expect(resumed.code, resumed.stderr).toBe(3);
    expect(resumed.stdout).toMatch(/^CONFLICT {2}/);
    expect(resumed.stdout).toContain('b.md');
    expect(written()).toEqual(['b.md']);

    rmSync(join(cli.folder, 'b.md'));
    expect((await cli.run('resume', 'first')).code).toBe(0);
    expect(readFileSync(join(cli.folder, 'b.md'), 'utf8')).toBe('b.md\n');
  });

  it('names its agent when that is gone', async () => {
    await cli.interrupted('SIGKILL', '--durable');
    rmSync(cli.agent);
    const resumed = await cli.run('resume', 'first');
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain(`the agent "${cli.agent}" cannot be read: no such file or directory.`);
  });

  it('is found in the journal that was named', async () => {
    const journal = cli.beside('runs.db');
    await cli.interrupted('SIGKILL', '--journal', journal);
    cli.openGate();
    expect((await cli.run('runs')).stdout).toBe('there are no runs.\n');
    const next = await cli.run('run', cli.agent, cli.folder, '--journal', journal);
    expect(next.stderr).toContain(`wink resume first --journal ${journal}, or wink runs prune first`);
    const resumed = await cli.run('resume', 'first', '--journal', journal);
    expect(resumed.stdout).toContain('\nAll is written.\n');
    expect(statSync(journal).mode & 0o777).toBe(0o600);
  });
});

describe.runIf(hasSqlite)('a run that was interrupted by Ctrl-C', () => {
  it('says how it is resumed, and is', async () => {
    const stopped = await cli.interrupted('SIGINT', '--durable', '--apply');
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('to continue it: wink resume first\n');
    cli.openGate();
    const resumed = await cli.run('resume', 'first', '--json');
    expect(resumed.code, resumed.stderr).toBe(0);
    const events = resumed.stdout.split('\n').filter((line) => line !== '');
    expect(events.map((line) => JSON.parse(line).type).slice(0, 3)).toEqual([
      'run-start',
      'run-resumed',
      'turn-start',
    ]);
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
      type: 'command-result',
      runId: 'first',
      outcome: 'done',
      text: 'All is written.',
    });
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
  });
});

describe.runIf(hasSqlite)('a run that has ended', () => {
  it('prints its answer again, and writes nothing a second time', async () => {
    cli.openGate();
    await cli.run('run', cli.agent, cli.folder, '--durable', '--apply', '--run-id', 'first');
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
    rmSync(join(cli.folder, 'a.md'));

    const again = await cli.run('resume', 'first');
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('wink: run first has ended; this is its answer.\n');
    expect(again.stdout).toContain('\nAll is written.\n');
    expect(written()).toEqual(['b.md', 'c.md']);
  });

  it('keeps its name', async () => {
    cli.openGate();
    await cli.run('run', cli.agent, cli.folder, '--durable', '--run-id', 'first');
    const second = await cli.run('run', cli.agent, cli.folder, '--durable', '--run-id', 'first');
    expect(second.code).toBe(2);
    expect(second.stderr).toBe(
      'wink: the journal has a run "first" already: wink resume first, or choose another --run-id.\n',
    );
  });
});

describe.runIf(hasSqlite)('a run that continues', () => {
  it('is stopped by another process, and can be resumed then', async () => {
    const child = cli.start('run', cli.agent, cli.folder, '--durable', '--run-id', 'first', '--json');
    const end = ending(child);
    await untilPaused(child);
    const busy = await cli.run('resume', 'first');
    expect(busy.code).toBe(2);
    expect(busy.stderr).toBe('wink: the run "first" is still running; wink runs stop first stops it.\n');
    const left = await cli.run('runs', 'prune', 'first');
    expect(left.stdout).toBe('left first: it is running\n');

    const stopped = await cli.run('runs', 'stop', 'first');
    expect(stopped.stdout).toBe('the run first was stopped; to continue it: wink resume first\n');
    cli.openGate();
    // The owner hears of it with its next row.
    const { code, stderr } = await end;
    expect(code).toBe(1);
    expect(stderr).toContain('run "first"');
    expect((await cli.run('runs')).stdout).toMatch(/^first +interrupted /m);
    expect((await cli.run('resume', 'first')).stdout).toContain('\nAll is written.\n');
  });
});

describe('what cannot be', () => {
  it.runIf(hasSqlite)('refuses an unknown run, and a journal inside the folder', async () => {
    const unknown = await cli.run('resume', 'none');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toBe('wink: the journal has no run "none": wink runs lists those that it has.\n');
    const inside = await cli.run('run', cli.agent, cli.folder, '--journal', join(cli.folder, 'j.db'));
    expect(inside.code).toBe(2);
    expect(inside.stderr).toContain('would be inside the folder that the agent works on.');
    expect(written()).toEqual([]);
  });

  it.skipIf(hasSqlite)('says which Node is needed', async () => {
    const { code, stderr } = await cli.run('run', cli.agent, cli.folder, '--durable');
    expect(code).toBe(2);
    expect(stderr).toContain('use Node 22.13 or later, a journal in PostgreSQL, or run without a journal.');
    expect(existsSync(cli.beside('state/weakincentives/journal.db'))).toBe(false);
  });
});
