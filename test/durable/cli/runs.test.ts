import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { DurableCli } from './durable-cli.ts';

let cli: DurableCli;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
});
afterEach(() => {
  cli[Symbol.dispose]();
});

const written = (): readonly string[] => readdirSync(cli.folder).sort();

describe.runIf(isBuiltin('node:sqlite'))(
  'a run that was killed when a commit was decided and not in the folder',
  () => {
    beforeEach(async () => {
      cli.openGate();
      cli.killAt('b.md');
      const killed = await cli.run(
        'run',
        cli.agent,
        cli.folder,
        '--durable',
        '--apply=each',
        '--run-id',
        'first',
      );
      expect(killed.code).toBe(null);
      cli.killAt(undefined);
      expect(existsSync(join(cli.folder, 'b.md'))).toBe(false);
    });

    it('is resumed with that commit', async () => {
      const resumed = await cli.run('resume', 'first');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
      expect(readFileSync(join(cli.folder, 'b.md'), 'utf8')).toBe('b.md\n');
    });

    it('is announced as such once another run writes there, and settled', async () => {
      const other = await cli.run('run', cli.agent, cli.folder, '--apply=each', '--max-turns', '1');
      expect(other.stderr).toContain(
        'wink: run first was interrupted after 2 commits, the last of which is not in the folder: wink resume first, or wink runs settle first.\n',
      );
      const settled = await cli.run('runs', 'settle', 'first');
      expect(settled).toMatchObject({
        code: 0,
        stdout: 'wrote b.md\nthe folder has all commits of first.\n',
      });
      expect(written()).toEqual(['a.md', 'b.md']);
      expect((await cli.run('runs', 'settle', 'first')).stdout).toBe(
        'the folder has all commits of first.\n',
      );
      expect((await cli.run('runs')).stdout).toMatch(/^first +interrupted /m);
      expect((await cli.run('resume', 'first')).code).toBe(0);
      expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
    });

    it('leaves what others have written in its place', async () => {
      writeFileSync(join(cli.folder, 'b.md'), 'mine\n');
      const settled = await cli.run('runs', 'settle', 'first');
      expect(settled.code, settled.stderr).toBe(3);
      expect(settled.stdout).toBe(
        'left b.md: another process has changed it\nthe folder has the commits of first but for what others have changed.\n',
      );
      expect(readFileSync(join(cli.folder, 'b.md'), 'utf8')).toBe('mine\n');
    });
  },
);

describe.runIf(isBuiltin('node:sqlite'))('a run that was killed while it wrote a file', () => {
  it.each([
    ['each', 'a.md', []],
    ['each', 'c.md', ['a.md', 'b.md']],
    // All files are written in one commit, which is undone.
    ['end', 'a.md', []],
    ['end', 'c.md', []],
  ])('is resumed with --apply=%s and %s, and leaves all files', async (mode, name, before) => {
    cli.openGate();
    cli.killAt(name);
    const killed = await cli.run(
      'run',
      cli.agent,
      cli.folder,
      `--apply=${mode}`,
      '--durable',
      '--run-id',
      'first',
    );
    expect(killed.code).toBe(null);
    cli.killAt(undefined);
    const listed = await cli.run('runs', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ status: mode === 'end' ? 'finished' : 'interrupted' });
    const looked = await cli.run('run', cli.agent, cli.folder, '--apply', '--max-turns', '1');
    expect(looked.stderr).toContain('an earlier run was killed while it wrote');
    expect(written()).toEqual(before);

    const resumed = await cli.run('resume', 'first');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(written()).toEqual(['a.md', 'b.md', 'c.md']);
    for (const file of written()) expect(readFileSync(join(cli.folder, file), 'utf8')).toBe(`${file}\n`);
  });
});

describe.runIf(isBuiltin('node:sqlite'))('a folder whose files others have changed', () => {
  it('is named by settle, and refused by resume unless it says what is to become of it', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply=each');
    writeFileSync(join(cli.folder, 'a.md'), 'mine\n');
    const settled = await cli.run('runs', 'settle', 'first');
    expect(settled).toMatchObject({
      code: 3,
      stdout:
        'left a.md: another process has changed it\nthe folder has the commits of first but for what others have changed.\n',
    });
    cli.openGate();
    for (const checked of [[], ['--files', 'check']]) {
      const refused = await cli.run('resume', 'first', ...checked);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(
        'wink: the folder is not as the run left it: a.md. Nothing was written; to continue with what is there: wink resume first --files as-is; to write over it what the run left: wink resume first --files restore.\n',
      );
    }
    expect((await cli.run('runs')).stdout).toMatch(/^first +interrupted /m);
    expect(readFileSync(join(cli.folder, 'a.md'), 'utf8')).toBe('mine\n');

    const resumed = await cli.run('resume', 'first', '--files', 'as-is');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain(
      'turn 3: the run continues after 2 commits and 1 interruption; changed since: file a.md\n',
    );
    expect(readFileSync(join(cli.folder, 'a.md'), 'utf8')).toBe('mine\n');
  });

  it('is made as the run left it with --files restore, but for what is in the way', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply=each');
    rmSync(join(cli.folder, 'a.md'));
    mkdirSync(join(cli.folder, 'a.md'));
    writeFileSync(join(cli.folder, 'a.md/theirs.md'), 'theirs\n');
    writeFileSync(join(cli.folder, 'b.md'), 'mine\n');
    cli.openGate();
    const refused = await cli.run('resume', 'first', '--files', 'restore');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      'wink: the folder cannot be made as the run left it: a.md. Move what is in the way; to continue with what is there: wink resume first --files as-is.\n',
    );
    expect(readFileSync(join(cli.folder, 'b.md'), 'utf8')).toBe('mine\n');

    rmSync(join(cli.folder, 'a.md'), { recursive: true });
    const resumed = await cli.run('resume', 'first', '--files', 'restore');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('turn 3: the run continues after 2 commits and 1 interruption\n');
    for (const file of ['a.md', 'b.md', 'c.md'])
      expect(readFileSync(join(cli.folder, file), 'utf8')).toBe(`${file}\n`);
  });

  it('has no changes of a run that writes at its end, as settle says', async () => {
    await cli.interrupted('SIGKILL', '--durable', '--apply');
    const settled = await cli.run('runs', 'settle', 'first');
    expect(settled).toMatchObject({
      code: 1,
      stdout: 'the changes of first are not in the folder: wink resume first writes them at its end.\n',
    });
  });
});

describe.runIf(isBuiltin('node:sqlite'))('a journal that is named and does not exist', () => {
  it.each([
    ['runs'],
    ['resume', 'first'],
    ['approvals', 'list'],
    ['query', 'first', 'select 1'],
    ['rewind', 'first', '--to', '1'],
    ['fork', 'first', '--at', '1'],
  ])('is not taken for an empty one by wink %s', async (...words) => {
    const file = join(cli.folder, '..', 'misspelled.db');
    const asked = await cli.run(...words, '--journal', file);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toBe(`wink: the journal "${file}" does not exist.\n`);
    expect(existsSync(file)).toBe(false);
  });
});
