import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { treeBefore } from '../support/host-commit.ts';
import { type Ending, ending, root, run, start, stateHome } from './wink.ts';

let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-apply-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A folder with these files. */
function workspace(files: Readonly<Record<string, string>>): string {
  const work = mkdtempSync(join(folder, 'work-'));
  for (const [path, text] of Object.entries(files)) put(join(work, path), text);
  return work;
}

type Call = readonly [name: string, input: object];

let agents = 0;

/** A module with an agent that makes these calls, one a turn; `own` declares its further tools under that name. */
function agent(calls: readonly Call[], own = 'const own = [];'): string {
  const turns = calls.map(([name, input]) => JSON.stringify({ toolCalls: [{ name, arguments: input }] }));
  return put(
    join(folder, `agents/${agents++}.ts`),
    `
import { writeFileSync } from 'node:fs';
import { defineAgent, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';
${own}
const template = promptTemplate({
  ns: 'tests', key: 'writer',
  sections: [section({ title: 'T', key: 't', template: () => 'Write.', tools: own }), vfsToolsSection()],
});
export default defineAgent({ template, adapter: scriptedAdapter([${turns.join(', ')}, { text: 'Done.' }]) });
`,
  );
}

const write = (path: string, content = 'new\n'): Call => ['write_file', { file_path: path, content }];
const read = (path: string): Call => ['read_file', { file_path: path }];
const edit = (path: string, from: string, to: string): Call => [
  'edit_file',
  { file_path: path, old_string: from, new_string: to },
];
const remove = (path: string): Call => ['rm', { path }];

/** Writes half of what it has to, says so, and never ends. */
const hangs = `
const own = [tool({
  name: 'hang', description: 'Hangs.', effects: 'state',
  execute: async (_params, { filesystem, progress }) => {
    await filesystem.write('half.md', 'half');
    progress('half is written');
    setInterval(() => undefined, 1000);
    return new Promise<ReturnType<typeof ToolResult.error>>(() => undefined);
  },
})];
`;

/** Changes the file on the disk, beside the file system, whenever it has read it. */
const meddles = (path: string): string => `
let times = 0;
const own = [tool({
  name: 'append', description: 'Appends.', effects: 'state',
  execute: async (_params, { filesystem }) => {
    const { text } = await filesystem.read('notes.md');
    writeFileSync(${JSON.stringify(path)}, 'theirs ' + times++ + '\\n');
    await filesystem.write('notes.md', text + 'mine\\n');
    return ToolResult.ok(null, 'Appended.');
  },
})];
`;

/** Changes the file on the disk and reads nothing. */
const comesLate = (path: string): string => `
const own = [tool({
  name: 'late', description: 'Comes late.', effects: 'read',
  execute: async () => {
    writeFileSync(${JSON.stringify(path)}, 'theirs 2\\n');
    return ToolResult.ok(null, 'Late.');
  },
})];
`;

/** Runs and sends the process a signal when its hanging call has written half of it. */
function stopped(args: readonly string[], signal: NodeJS.Signals): Promise<Ending> {
  const child = start([...args, '--json']);
  const ended = ending(child);
  let seen = '';
  let isAsked = false;
  child.stdout.on('data', (data: Buffer) => {
    seen += data.toString();
    if (!isAsked && seen.includes('half is written')) isAsked = child.kill(signal);
  });
  return ended;
}

const lastLine = ({ stdout }: Ending): unknown => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

describe.each(['end', 'each'] as const)('wink run --apply=%s', (mode) => {
  const apply = `--apply=${mode}`;
  const whatStands =
    mode === 'each'
      ? 'Changes: 1 file, written to the folder (--full shows the diff).\n'
      : 'Changes: 1 file, not written because the run failed (--full shows the diff).\n';

  it('changes what the agent changed and leaves everything else as it was', async () => {
    const work = workspace({
      'crlf.txt': 'one\r\ntwo\r\n',
      'run.sh': '#!/bin/sh\n',
      'gone.txt': 'x',
      'kept/ignored.log': 'log',
      '.git/config': 'secret',
      'node_modules/x/index.js': 'x',
    });
    chmodSync(join(work, 'run.sh'), 0o750);
    symlinkSync('crlf.txt', join(work, 'link'));
    mkdirSync(join(work, 'empty'));
    utimesSync(join(work, 'kept/ignored.log'), 1000, 1000);
    const calls = [
      read('crlf.txt'),
      read('run.sh'),
      edit('crlf.txt', 'two', '2'),
      edit('run.sh', '/bin/sh', '/bin/bash'),
      remove('gone.txt'),
      write('deep/new.md'),
    ];
    const { code, stdout, stderr } = await run(['run', agent(calls), '--workspace', work, apply]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Changes: 3 files, 1 file removed, written to the folder.\n');
    expect(stdout).toContain('--- a/gone.txt\n+++ /dev/null\n');
    expect(stdout).toContain('-#!/bin/sh\n+#!/bin/bash\n');
    expect(readFileSync(join(work, 'crlf.txt'), 'utf8')).toBe('one\r\n2\r\n');
    expect(readFileSync(join(work, 'run.sh'), 'utf8')).toBe('#!/bin/bash\n');
    expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(work, 'link')).isSymbolicLink()).toBe(true);
    expect(statSync(join(work, 'kept/ignored.log')).mtimeMs).toBe(1_000_000);
    const names = ['.git', 'crlf.txt', 'deep', 'empty', 'kept', 'link', 'node_modules', 'run.sh'];
    expect(readdirSync(work).sort()).toEqual(names);
  });

  it('neither shows, writes nor removes what is left out', async () => {
    const work = workspace({
      '.git/config': 'secret',
      'package/index.js': 'x',
      'package/node_modules/y.js': 'y',
    });
    const calls = [read('.git/config'), write('.git/hooks/x'), remove('package')];
    const { code, stdout } = await run(['run', agent(calls), '--workspace', work, apply]);
    expect(code).toBe(0);
    expect(stdout).toContain('".git/hooks/x" is excluded from this workspace');
    expect(stdout).toContain('"package" contains entries that are excluded from this workspace');
    expect(stdout).not.toContain('secret');
    expect(existsSync(join(work, 'package/node_modules/y.js'))).toBe(true);
    expect(readdirSync(join(work, '.git'))).toEqual(['config']);
  });

  it('refuses a second run that is to write, lets one look, and takes the folder over from one that was killed', async () => {
    const work = workspace({ 'a.md': 'a' });
    const link = join(folder, `link-${mode}`);
    symlinkSync(work, link);
    const first = start(['run', agent([['hang', {}]], hangs), '--workspace', work, apply, '--json']);
    const ended = ending(first);
    await new Promise((resolve) => first.stdout.once('data', resolve));
    const looking = agent([read('a.md')]);
    expect(await run(['run', looking, '--workspace', link, apply])).toEqual({
      code: 2,
      stdout: '',
      stderr: `wink: the folder "${link}" is in use by process ${first.pid}, which writes to it. Wait until it has ended, or leave out --apply.\n`,
    });
    expect((await run(['run', looking, '--workspace', link])).code).toBe(0);
    first.kill('SIGKILL');
    await ended;
    expect((await run(['run', looking, '--workspace', link, apply])).code).toBe(0);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'has whole calls on the disk after %s, and the next run continues from there',
    async (signal) => {
      const work = workspace({ 'a.md': 'a' });
      const hanging = agent([write('first.md'), ['hang', {}]], hangs);
      const first = await stopped(['run', hanging, '--workspace', work, apply], signal);
      const names = mode === 'each' ? ['a.md', 'first.md'] : ['a.md'];
      expect(readdirSync(work)).toEqual(names);
      expect(first.code, first.stderr).toBe(signal === 'SIGINT' ? 130 : null);
      if (signal === 'SIGINT') {
        const left =
          mode === 'each'
            ? 'changes committed until then are in the folder: 1 file.'
            : 'no changes were written to the folder.';
        expect(first.stderr).toContain(`wink: interrupted.\nwink: ${left}\n`);
        expect(lastLine(first)).toMatchObject({
          outcome: 'interrupted',
          changes: [{ path: 'first.md' }],
          application: mode === 'each' ? { kind: 'applied', written: ['first.md'] } : { kind: 'skipped' },
        });
      }
      const next = await run(['run', agent([write('second.md')]), '--workspace', work, apply]);
      expect(next.code, next.stderr).toBe(0);
      expect(readdirSync(work)).toEqual([...names, 'second.md']);
    },
  );

  it('says after a failure what is in the folder', async () => {
    const work = workspace({ 'a.md': 'a' });
    const args = ['run', agent([write('first.md')]), '--workspace', work, apply, '--max-turns', '1'];
    const { code, stdout } = await run(args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED {2}writer on .*: 1 turn, 1 call, /);
    expect(stdout).toContain(whatStands);
    expect(existsSync(join(work, 'first.md'))).toBe(mode === 'each');
  });

  it('ends with 3 when somebody else changes the same file, which stays theirs', async () => {
    const work = workspace({ 'notes.md': 'old\n' });
    const path = join(work, 'notes.md');
    // Call by call, a call is given up after its third attempt. At the end, the change comes behind the call that wrote.
    const module =
      mode === 'each'
        ? agent([['append', {}], write('other.md')], meddles(path))
        : agent([read('notes.md'), write('notes.md'), ['late', {}], write('other.md')], comesLate(path));
    const { code, stdout } = await run(['run', module, '--workspace', work, apply]);
    expect(code, stdout).toBe(3);
    expect(readFileSync(path, 'utf8')).toBe('theirs 2\n');
    if (mode === 'each') {
      expect(stdout).toContain(
        '\n  Not every change was written: 1 conflict with the folder on disk.\n' +
          '  notes.md: was changed on disk while append ran, which failed.\n',
      );
      expect(readdirSync(work)).toEqual(['notes.md', 'other.md']);
    } else {
      expect(stdout).toContain(
        '\n  Nothing was written: 1 conflict with the folder on disk.\n' +
          '  notes.md: was changed on disk during the run.\n',
      );
      expect(stdout).toContain('one was changed on disk during the run');
      expect(readdirSync(work)).toEqual(['notes.md']);
    }
  });
});

describe('wink run after a run that was killed while it wrote', () => {
  const child = join(root, 'test/support/children/host-commit-child.ts');

  /** Leaves a folder in the middle of a commit, as a process does that is killed. */
  function halfWritten(): string {
    const work = workspace(treeBefore);
    const args = ['--import', 'jiti/register', child, work, join(stateHome, 'weakincentives'), '40'];
    expect(spawnSync(process.execPath, args, { cwd: root }).signal).toBe('SIGKILL');
    return work;
  }

  const leftBehind = (work: string): readonly string[] =>
    readdirSync(work, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.wink-'));

  it('restores the state before it and tells so, but only when it is to write', async () => {
    const work = halfWritten();
    const inTheMiddle = leftBehind(work);
    expect(inTheMiddle).not.toEqual([]);
    const looking = agent([read('other/untouched.txt')]);
    const first = await run(['run', looking, '--workspace', work]);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(
      /^wink: an earlier run was killed while it wrote [^\n]* and \d+ more; the next run with --apply restores the state before that\.\n/,
    );
    expect(leftBehind(work)).toEqual(inTheMiddle);
    const second = await run(['run', looking, '--workspace', work, '--apply=each', '--json']);
    expect(second.stderr).toMatch(
      /^wink: an earlier run was killed while it wrote [^\n]* and \d+ more; the state before that was restored\.\n/,
    );
    expect(leftBehind(work)).toEqual([]);
    for (const [path, text] of Object.entries(treeBefore)) {
      expect(readFileSync(join(work, path), 'utf8')).toBe(text);
    }
    const third = await run(['run', looking, '--workspace', work, '--apply']);
    expect(third.stderr).not.toContain('earlier run');
  });
});
