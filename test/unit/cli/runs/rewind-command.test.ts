import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  binding,
  defineAgent,
  Filesystem,
  PolicyDecision,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { rewindCommand } from '../../../../src/cli/runs/rewind-command.ts';
import { killLanding } from '../../host/host-filesystem/killed-landing.ts';
import { addHeldRun, addRun, MemoryJournals } from '../journal/journals.ts';
import { fakeEnvironment, ofAgent, parts, request } from '../support.ts';

let journals: MemoryJournals;
let root: string;
let stateDirectory: string;
/** The modes in which folders were opened. */
let modes: unknown[];

const open: typeof openFolder = (folder, workspace, mode, options) => {
  modes.push(mode);
  return openFolder(folder, workspace, mode, { ...options, stateDirectory });
};

const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});

/** A run with one commit. */
async function evaluate(runId: string, act: (filesystem: Filesystem) => Promise<void>): Promise<void> {
  await using filesystem = await openHostFilesystem({ root, stateDirectory });
  const change = tool({
    name: 'change',
    description: 'Changes files.',
    effects: 'state' as const,
    execute: async (_params, context) => {
      if (context.filesystem === undefined) throw new TypeError('There are files.');
      await act(context.filesystem);
      return ToolResult.ok(null, 'Changed.');
    },
  });
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'changer',
    sections: [section({ title: 'Task', key: 'task', template: 'Change.', tools: [change] })],
  }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
  const adapter = scriptedAdapter([{ toolCalls: [{ name: 'change' }] }, { text: 'Done.' }]);
  await adapter.evaluate(prompt, { journal: journals.journal(), runId });
}

beforeEach(async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-rewind-')));
  root = join(folder, 'work');
  stateDirectory = join(folder, 'state');
  modes = [];
  mkdirSync(root);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  journals = new MemoryJournals();
  await using filesystem = await openHostFilesystem({ root, stateDirectory });
  await using session = new Session();
  const prompt = promptTemplate({ ns: 'tests', key: 'writer', sections: [vfsToolsSection()] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: filesystem })] },
  );
  const adapter = scriptedAdapter([
    { toolCalls: [write('a.md', 'one\n')] },
    { toolCalls: [write('b.md', 'two\n')] },
    { text: 'Done.' },
  ]);
  await adapter.evaluate(prompt, { session, journal: journals.journal(), runId: 'one' });
});

async function rewind(
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly text: string; readonly said: string }> {
  const asked = readArguments(['rewind', ...argv]);
  if (asked.kind !== 'rewind') throw new Error(JSON.stringify(asked));
  const environment = fakeEnvironment();
  const code = await rewindCommand(asked, environment, { journals, open });
  return { code, text: environment.stdout.text(), said: environment.stderr.text() };
}

const files = (): readonly string[] => readdirSync(root).sort();

describe('wink rewind', () => {
  it('shows what it would do, and does it with --apply', async () => {
    const shown = await rewind('one', '--to', '1');
    expect(shown.code).toBe(0);
    expect(shown.text).toContain('-two');
    expect(shown.text).toContain(
      'nothing was written; --apply puts 1 path back to how one had the folder after its commit 1.',
    );
    expect(files()).toEqual(['a.md', 'b.md']);
    // Opening a folder to write to it undoes commits that were interrupted.
    expect(modes).toEqual([undefined]);
    const written = await rewind('one', '--to', 'call-1-1', '--apply');
    expect(written).toMatchObject({
      code: 0,
      text: expect.stringContaining('wrote 1 path: the folder is as one had it after its commit 1.'),
    });
    expect(files()).toEqual(['a.md']);
    expect((await rewind('one', '--to', '1')).text).toBe('the folder is as one had it after its commit 1.\n');
    await rewind('one', '--to', '0', '--apply');
    expect(files()).toEqual([]);
  });

  it('undoes a call with --before, by its id or by the number of its commit', async () => {
    const written = await rewind('one', '--before', 'call-2-1', '--apply');
    expect(written.text).toContain('wrote 1 path: the folder is as one had it after its commit 1.');
    expect(files()).toEqual(['a.md']);
    expect((await rewind('one', '--before', '1', '--apply')).text).toContain(
      'the folder is as one had it before its first commit.',
    );
    expect(files()).toEqual([]);
    await expect(rewind('one', '--before', '0')).rejects.toThrow(
      '--before 0 names no commit; the first commit is number 1.',
    );
    expect(readArguments(['rewind', 'one', '--before', '1', '--to', '1'])).toMatchObject({
      kind: 'usage-error',
      message: '--to and --before both say how far to go back: choose one.',
    });
  });

  describe('of a run with calls that were not committed', () => {
    beforeEach(async () => {
      await using filesystem = await openHostFilesystem({ root, stateDirectory });
      const fail = tool({
        name: 'fail',
        description: 'Fails.',
        effects: 'state',
        execute: () => ToolResult.error('It failed.'),
      });
      const outer = tool({
        name: 'outer',
        description: 'Has a call of its own.',
        effects: 'state',
        execute: async (_params, context) => {
          await context.filesystem?.write('outer.md', 'outer\n');
          return ToolResult.ok(null, 'Done.');
        },
      });
      const task = section({ title: 'Task', key: 'task', template: 'Do.', tools: [fail, outer] });
      const prompt = promptTemplate({
        ns: 'tests',
        key: 'refused',
        policies: [
          {
            name: 'no-drafts',
            check: ({ params }) =>
              JSON.stringify(params ?? null).includes('draft')
                ? PolicyDecision.deny('No drafts.')
                : PolicyDecision.allow(),
          },
        ],
        sections: [task, vfsToolsSection()],
      }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
      const adapter = scriptedAdapter([
        { toolCalls: [write('draft.md', 'x\n')] },
        { toolCalls: [write('one.md', 'one\n')] },
        { toolCalls: [{ name: 'fail', arguments: {} }] },
        { toolCalls: [{ name: 'write_file', arguments: { file_path: 1 } }] },
        { toolCalls: [{ name: 'read_file', arguments: { file_path: 'one.md' } }] },
        { toolCalls: [{ name: 'outer', arguments: {} }] },
        { toolCalls: [{ name: 'unknown', arguments: {} }] },
        { text: 'Done.' },
      ]);
      await adapter.evaluate(prompt, { journal: journals.journal(), runId: 'two' });
    });

    it.each([
      [
        '--before',
        'call-1-1',
        'was denied and has changed nothing: this goes back to before the next commit, number 1, of call-2-1.',
        ['a.md', 'b.md'],
      ],
      [
        '--to',
        'call-1-1',
        'was denied and has changed nothing: this goes back to before the next commit, number 1, of call-2-1.',
        ['a.md', 'b.md'],
      ],
      [
        '--before',
        'call-3-1',
        'was rolled back and has changed nothing: this goes back to before the next commit, number 2,',
        ['a.md', 'b.md', 'one.md'],
      ],
      [
        '--before',
        'call-4-1',
        'was rejected and has changed nothing: this goes back to before the next commit, number 2,',
        ['a.md', 'b.md', 'one.md'],
      ],
      ['--before', 'call-5-1', '', ['a.md', 'b.md', 'one.md']],
      [
        '--before',
        'call-7-1',
        'was rejected and has changed nothing, and no commit came after it.',
        ['a.md', 'b.md', 'one.md', 'outer.md'],
      ],
    ])('takes the next commit for %s %s, and says so', async (option, call, said, left) => {
      const { code, said: words } = await rewind('two', option, call, '--apply');
      expect(code).toBe(0);
      expect(words).toContain(said);
      expect(files()).toEqual(left);
    });

    it('refuses a call that the run has not made', async () => {
      await expect(rewind('two', '--before', 'call-9-9')).rejects.toThrow('it has made no call "call-9-9"');
    });
  });

  it('removes the directories that the run made, and those only', async () => {
    mkdirSync(join(root, 'older'));
    mkdirSync(join(root, 'shared'));
    await evaluate('deep', async (filesystem) => {
      await filesystem.write('made/deep/a.md', 'a\n');
      await filesystem.write('made/b.md', 'b\n');
      await filesystem.write('older/c.md', 'c\n');
      await filesystem.write('other/d.md', 'd\n');
    });
    writeFileSync(join(root, 'other/of-others.md'), 'x\n');
    const shown = await rewind('deep', '--to', '0');
    expect(shown.text).toContain('removed directory made/deep/\n');
    expect(files()).toContain('made');
    expect((await rewind('deep', '--to', '0', '--apply')).code).toBe(0);
    expect(files()).toEqual(['a.md', 'b.md', 'older', 'other', 'shared']);
    expect(readdirSync(join(root, 'other'))).toEqual(['of-others.md']);
    expect(readdirSync(join(root, 'older'))).toEqual([]);
  });

  it('says of a large file that it goes, and how large it is', async () => {
    await evaluate('large', async (filesystem) => {
      await filesystem.write('large.txt', 'x'.repeat(3_000_000));
      await filesystem.write('line.txt', `${'y'.repeat(2_000)}end\n`);
    });
    const { text } = await rewind('large', '--to', '0');
    expect(text).toContain('Large file a/large.txt removed (2.9 MB)\n');
    expect(text).toContain(' more characters> … ');
    expect(text).toContain('yyyend\n');
    expect(text.length).toBeLessThan(2_000);
    expect((await rewind('large', '--to', '0', '--full')).text.length).toBeGreaterThan(3_000_000);
  });

  it('names what another process has changed, writes nothing, and ends with 3', async () => {
    writeFileSync(join(root, 'b.md'), 'theirs\n');
    const { code, text } = await rewind('one', '--to', '0', '--apply');
    expect(code).toBe(3);
    expect(text).toContain('changed by another process: b.md\nnothing was written');
    expect(files()).toEqual(['a.md', 'b.md']);
    expect(readFileSync(join(root, 'b.md'), 'utf8')).toBe('theirs\n');
  });

  it('shows and makes directories, links and permissions', async () => {
    writeFileSync(join(root, 'run.sh'), 'run\n');
    writeFileSync(join(root, 'same.md'), 'run\n');
    chmodSync(join(root, 'run.sh'), 0o755);
    symlinkSync('a.md', join(root, 'link'));
    mkdirSync(join(root, 'old'));
    await evaluate('two', async (filesystem) => {
      await filesystem.remove('same.md');
      await filesystem.move('run.sh', 'same.md');
      await filesystem.remove('link');
      await filesystem.remove('old', { recursive: true });
      await filesystem.mkdir('made');
    });
    const shown = await rewind('two', '--to', '0', '--full');
    expect(shown.text.split('\n')).toEqual([
      'created link link to a.md',
      'removed directory made/',
      'created directory old/',
      '--- /dev/null',
      '+++ b/run.sh',
      '@@ -0,0 +1,1 @@',
      '+run',
      'mode of same.md: 644, was 755',
      'nothing was written; --apply puts 5 paths back to how two had the folder before its first commit.',
      '',
    ]);
    expect((await rewind('two', '--to', '0', '--apply')).code).toBe(0);
    expect(files()).toEqual(['a.md', 'b.md', 'link', 'old', 'run.sh', 'same.md']);
    const modeOf = (path: string): string => (statSync(join(root, path)).mode & 0o777).toString(8);
    expect(['run.sh', 'same.md'].map(modeOf)).toEqual(['755', '644']);
    expect(readlinkSync(join(root, 'link'))).toBe('a.md');
  });

  it('names a directory that it leaves, puts back the rest, and ends with 3', async () => {
    await evaluate('two', async (filesystem) => {
      await filesystem.mkdir('made');
      await filesystem.remove('a.md');
    });
    writeFileSync(join(root, 'made/theirs'), 'theirs');
    const shown = await rewind('two', '--to', '0');
    expect(shown).toMatchObject({
      code: 3,
      text: expect.stringContaining(
        'stays: made/, which has files of another process\nnothing was written; ',
      ),
    });
    const { code, text } = await rewind('two', '--to', '0', '--apply');
    expect(code).toBe(3);
    expect(text).toContain(
      'left: made/, which has files of another process\nwrote 1 path: but for the directories above, the folder is as two had it before its first commit.\n',
    );
    expect(files()).toEqual(['a.md', 'b.md', 'made']);
  });

  it('puts back another folder', async () => {
    const copy = join(root, '../copy');
    cpSync(root, copy, { recursive: true });
    expect((await rewind('one', '--to', '0', '--workspace', copy, '--apply')).code).toBe(0);
    expect(readdirSync(copy)).toEqual([]);
    expect(files()).toEqual(['a.md', 'b.md']);
  });

  const notWritten = 'the changes of two are not in the folder, so there is nothing to put back.\n';
  it.each([
    [[], notWritten],
    [['--apply'], 'nothing was written; --apply puts 1 path back'],
    [['--apply=each'], 'nothing was written; --apply puts 1 path back'],
    [['--apply=each', '--suspend'], 'nothing was written; --apply puts 1 path back'],
  ])('knows what a run with %j has written', async (options, message) => {
    const agent = defineAgent({
      name: 'writer',
      template: promptTemplate({ ns: 'tests', key: 'writer', sections: [vfsToolsSection()] }),
      adapter: scriptedAdapter([{ toolCalls: [write('c.md', 'three\n')] }, { text: 'Done.' }]),
    });
    const asked = request('run', 'agent.ts', root, '--durable', '--run-id', 'two', ...options);
    const environment = fakeEnvironment();
    expect(await runCommand(asked, environment, parts(ofAgent(agent), {}, { journals, open }))).toBe(0);
    const { code, text } = await rewind('two', '--to', '0');
    expect(code).toBe(0);
    expect(text).toContain(message);
    await expect(rewind('two', '--to', '7')).rejects.toThrow('none has the number 7');
  });

  it('says so when the changes of a run that failed were not written at its end', async () => {
    const agent = defineAgent({
      name: 'writer',
      template: promptTemplate({ ns: 'tests', key: 'writer', sections: [vfsToolsSection()] }),
      adapter: scriptedAdapter([{ toolCalls: [write('c.md', 'three\n')] }]),
    });
    const asked = request('run', 'agent.ts', root, '--durable', '--run-id', 'two', '--apply');
    const partsOfRun = parts(ofAgent(agent), {}, { journals, open });
    expect(await runCommand(asked, fakeEnvironment(), partsOfRun)).toBe(1);
    for (const options of [[], ['--apply']])
      expect(await rewind('two', '--to', '0', ...options)).toMatchObject({ code: 0, text: notWritten });
    expect(files()).toEqual(['a.md', 'b.md']);
  });

  it('refuses a run that is running, and one that works on no folder', async () => {
    await addRun(journals.journal(), 'nowhere');
    await expect(rewind('nowhere', '--to', '0')).rejects.toThrow('the run "nowhere" works on no folder.');
    const lease = await addHeldRun(journals.journal(), 'going', { workspace: root });
    await expect(rewind('going', '--to', '0')).rejects.toThrow('the run "going" is still running.');
    await lease.release();
  });

  it('refuses to write for a run that another process has begun to resume', async () => {
    const run = (await journals.journal().runs()).find(({ runId }) => runId === 'one');
    const lease = await journals.journal().acquire(run?.sessionId ?? '');
    journals.journal().runs = async () => (run === undefined ? [] : [run]);
    await expect(rewind('one', '--to', '0', '--apply')).rejects.toThrow('is still running');
    await lease.release();
    expect(files()).toEqual(['a.md', 'b.md']);
  });

  it('refuses a folder that lacks a commit, or has half of one', async () => {
    writeFileSync(join(root, 'run.sh'), 'run');
    await killLanding({ root, stateDirectory }, 'swap', 'other');
    const entries = files();
    await expect(rewind('one', '--to', '0')).rejects.toThrow(
      /^an earlier run was killed while it wrote .*; the next run with --apply restores the state before that\. So does wink runs settle one\.$/,
    );
    expect(files()).toEqual(entries);
    for (const options of [['--apply'], []]) {
      await expect(rewind('one', '--to', '0', ...options)).rejects.toThrow(
        'the folder lacks a commit of the run "other": wink runs settle other first.',
      );
    }
  });

  it.each([
    [['other', '--to', '1'], 'the journal has no run "other"'],
    [['one', '--to', '7'], 'it has 2 commits, and none has the number 7'],
    [['one', '--to', 'call-9'], 'it has made no call "call-9"; the last calls that it committed are "'],
  ])('refuses %j', async (argv, message) => {
    await expect(rewind(...argv)).rejects.toThrow(message);
  });

  it.each([
    [['rewind'], 'no run given'],
    [['rewind', 'one'], 'say how far to go back'],
    [['rewind', 'one', 'two', '--to', '1'], 'wink rewind takes RUN: 1 at most, not 2.'],
    [['rewind', 'one', '--to', '1', '--journal='], '--journal is empty'],
  ])('reads no %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});
