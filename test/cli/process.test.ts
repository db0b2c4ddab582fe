import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { command, ending, fingerprint, fixture, reviewAgent, root, run, start } from './wink.ts';

let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-cli-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the agent of examples/review', () => {
  it('shows on the fixture a denied call, a rolled-back call and calls that were re-run, and changes nothing on disk', async () => {
    const before = fingerprint(fixture);
    const { code, stdout, stderr } = await run(['run', reviewAgent, fixture]);
    expect(code, stderr).toBe(0);
    expect(fingerprint(fixture)).toBe(before);

    const rows = stdout.split('\n').filter((line) => /^\d+ +\d+ +[\d.]+ m?s /.test(line));
    const all = rows.map((row) => row.replace(/^\d+ +\d+ +[\d.]+ m?s +/, '').replace(/ {2,}/g, ' | '));
    const [setUp, ...work] = all;
    expect(setUp).toBe('planning_setup_plan | objective="Publish a review in…"… | committed');
    const told = work.filter((row) => !row.startsWith('planning_'));
    const write = told.findIndex((row) => row.startsWith('write_file'));
    expect(told.slice(write)).toEqual([
      expect.stringMatching(/^write_file \| REVIEW\.md \| denied by read-before-write: /),
      'read_file | REVIEW.md | committed',
      'write_file | REVIEW.md | committed',
      expect.stringMatching(/^publish_report \| rolled back: REVIEW\.md is not complete, 2 entries are/),
      'read_file | REVIEW.md | committed',
      'edit_file | REVIEW.md | committed',
      'publish_report | committed',
    ]);
    expect(told.filter((row) => row.includes('committed, on new state'))).toHaveLength(6);
    // Several files were read in one turn.
    const readingTurns = rows.filter((row) => row.includes('read_file')).map((row) => row.split(' ')[0]);
    expect(new Set(readingTurns).size).toBeLessThan(readingTurns.length / 2);

    expect(stdout).toContain('model:  rule-based model, no LLM');
    expect(stdout).toContain('--- a/REVIEW.md\n+++ b/REVIEW.md\n');
    expect(stdout).toContain('+- [ ] `docs/usage.md:10` broken link to ../src/labels.js');
    expect(stdout).toContain('+- [x] `src/zones.js:3` TODO: read the zones from a file');
    expect(stdout).toMatch(
      /^DONE {2}[^]*\n7 findings recorded, report published\.\n[^]*1 rolled back, 1 denied\.\n/,
    );
  });

  it('reviews the current folder when none is named', async () => {
    const here = join(folder, 'here');
    mkdirSync(here);
    writeFileSync(join(here, 'a.py'), '# TODO: here\n');
    const { code, stdout } = await run(['run', reviewAgent], { cwd: here });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^DONE {2}review on here: /);
    expect(stdout).toContain('+- [ ] `a.py:1` TODO: here');
    expect(readdirSync(here)).toEqual(['a.py']);
  });

  it('continues past what it cannot take, with a note', async () => {
    const odd = join(folder, 'odd');
    mkdirSync(odd);
    writeFileSync(join(odd, 'big.bin'), Buffer.alloc(52_428_800));
    writeFileSync(Buffer.concat([Buffer.from(`${odd}/caf`), Buffer.from([0xe9])]), 'x');
    writeFileSync(join(odd, 'a\u001b[31m.py'), '# TODO: red\n');
    const { code, stdout } = await run(['run', reviewAgent, odd]);
    expect(code).toBe(0);
    expect(stdout).toContain('note:   left out, larger than 32.0 MB: big.bin\n');
    expect(stdout).toContain('its name is no UTF-8 or not allowed: caf');
    expect(stdout).toContain('`"a\\u001b[31m.py":1` TODO: red');
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    [['run', reviewAgent, 'no-such-folder'], 'wink: there is no folder "no-such-folder".\n'],
    [['run', reviewAgent, 'package.json'], 'wink: "package.json" is not a directory.\n'],
    [
      ['run', reviewAgent, 'src', 'test'],
      'wink: wink run takes AGENT, DIR: 2 at most, not 3. See wink run --help.\n',
    ],
    [['run', '--colour'], 'wink: unknown option "--colour". See wink run --help.\n'],
    [['review'], 'wink: unknown command "review". Did you mean "view"? See wink help.\n'],
  ])('answers %j with one line and 2', async (args, line) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: line });
  });

  it('prints help and version', async () => {
    const help = await run(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('\n  run AGENT [DIR]      Run an agent; ');
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { stdout } = await run(['--version']);
    expect(manifest).toHaveProperty('version', stdout.trim());
  });

  it('takes what an agent was translated to from the folder of caches, until the agent changes', async () => {
    const caches = mkdtempSync(join(folder, 'caches-'));
    const agent = join(folder, 'translated.ts');
    const write = (name: string): void =>
      writeFileSync(
        agent,
        `import { defineAgent, promptTemplate } from 'weakincentives';
         import { scriptedAdapter } from 'weakincentives/testing';
         const template = promptTemplate({ ns: 'x', key: 'y', sections: [] });
         export default defineAgent({ template, name: '${name}' as string, workspace: false, adapter: scriptedAdapter([{ text: 'Done.' }]) });`,
      );
    const heading = async (): Promise<string | undefined> =>
      (await run(['run', agent], { variables: { XDG_CACHE_HOME: caches } })).stdout.split('\n')[0];
    write('first');
    expect(await heading()).toMatch(/^DONE {2}first: /);
    const modules = join(caches, 'weakincentives/modules');
    const [kept = ''] = readdirSync(modules);
    const translated = readFileSync(join(modules, kept), 'utf8');
    writeFileSync(join(modules, kept), translated.replace('first', 'kept'));
    expect(await heading()).toMatch(/^DONE {2}kept: /);
    write('second');
    expect(await heading()).toMatch(/^DONE {2}second: /);
  });

  it.runIf(existsSync('/dev/full'))('ends in order where the version cannot be written', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', '"$0" "$1" --version > /dev/full', process.execPath, command],
      {
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
  });

  describe('on a folder with work for a while', () => {
    let wide = '';

    beforeAll(() => {
      wide = join(folder, 'wide');
      for (let part = 0; part < 150; part++) {
        mkdirSync(join(wide, `part-${part}`), { recursive: true });
        for (let file = 0; file < 20; file++) {
          writeFileSync(
            join(wide, `part-${part}`, `f${file}.js`),
            '// TODO: later\nexport const x = () => 1;\n',
          );
        }
      }
    });

    it('stops on an interrupt, prints what was done and ends with 130', async () => {
      const child = start(['run', reviewAgent, wide]);
      const ended = ending(child);
      // The first line comes with the beginning; the folder takes hundreds of turns.
      child.stderr.once('data', () => child.kill('SIGINT'));
      const { code, stdout, stderr } = await ended;
      expect(code).toBe(130);
      expect(stdout).toMatch(/^INTERRUPTED {2}/);
      expect(stdout).toContain(
        '\n  The run was interrupted from the keyboard; what was running is rolled back.\n',
      );
      expect(stderr).not.toContain('    at ');
    });

    it('bounds the table and the diff', async () => {
      const { code, stdout } = await run(['run', reviewAgent, wide]);
      expect(code).toBe(0);
      expect(stdout.split('\n').length).toBeLessThan(300);
      expect(stdout).toMatch(/2000 x read_file/);
      expect(stdout).toMatch(/more of this kind in \d+ files/);
      expect(stdout).toContain('Not read, beyond 2000 files: ');
    });

    it('ends quietly when the reader of its output goes away', async () => {
      const child = start(['run', reviewAgent, wide, '--full']);
      const ended = ending(child);
      child.stdout.destroy();
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      expect(
        stderr.split('\n').filter((line) => line !== '' && !/^wink: (\S+ on \S+ with|turn \d)/.test(line)),
      ).toEqual([]);
    });
  });
});
