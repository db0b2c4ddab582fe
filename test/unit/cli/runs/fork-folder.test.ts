import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { forkCommand } from '../../../../src/cli/fork-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { rewindCommand } from '../../../../src/cli/runs/rewind-command.ts';
import { addHeldRun, MemoryJournals } from '../journal/journals.ts';
import { type FakeEnvironment, fakeEnvironment, ofAgent, parts, request } from '../support.ts';

let journals: MemoryJournals;
let base: string;
let root: string;

const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const read = (path: string) => ({ name: 'read_file', arguments: { file_path: path } });
const agentOf = (turns: Parameters<typeof scriptedAdapter>[0]): AnyAgent =>
  defineAgent({
    template: promptTemplate({
      ns: 'tests',
      key: 'writer',
      sections: [section({ title: 'Task', key: 'task', template: 'Write.' }), vfsToolsSection()],
    }),
    name: 'the writer',
    adapter: scriptedAdapter(turns),
  });
const old = agentOf([
  { toolCalls: [write('a.md', 'old\n')] },
  { toolCalls: [write('b.md', 'old\n'), write('c.md', 'old\n')] },
  { toolCalls: [write('d.md', 'old\n')] },
  { text: 'Done.' },
]);
/** In its second turn it looks for what the other agent had written then. */
const other = agentOf([
  { toolCalls: [write('a.md', 'new\n')] },
  { toolCalls: [{ name: 'ls', arguments: {} }, read('a.md'), write('new.md', 'new\n')] },
  { text: 'Done.' },
]);

const partsOf = (agent: AnyAgent) =>
  parts(
    ofAgent(agent),
    {},
    {
      journals,
      open: (folder, workspace, mode, options) =>
        openFolder(folder, workspace, mode, { ...options, stateDirectory: join(base, 'state') }),
    },
  );

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'wink-fork-')));
  root = join(base, 'work');
  mkdirSync(root);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  journals = new MemoryJournals();
});

async function run(...options: readonly string[]): Promise<void> {
  const asked = request('run', 'agent.ts', root, '--durable', '--run-id', 'one', ...options);
  const environment = fakeEnvironment();
  expect(await runCommand(asked, environment, partsOf(old)), environment.stderr.text()).toBe(0);
}

async function forkWith(agent: AnyAgent, ...argv: readonly string[]): Promise<FakeEnvironment> {
  const asked = readArguments(['fork', 'one', '--run-id', 'two', '--json', ...argv]);
  if (asked.kind !== 'fork') throw new Error(JSON.stringify(asked));
  const environment = fakeEnvironment();
  expect(await forkCommand(asked, environment, partsOf(agent)), environment.stderr.text()).toBe(0);
  return environment;
}
const fork = (...argv: readonly string[]): Promise<FakeEnvironment> => forkWith(other, ...argv);

async function rewind(...argv: readonly string[]): Promise<void> {
  const asked = readArguments(['rewind', 'one', '--apply', ...argv]);
  if (asked.kind !== 'rewind') throw new Error(JSON.stringify(asked));
  expect(await rewindCommand(asked, fakeEnvironment(), partsOf(old))).toBe(0);
}

const files = (folder = root): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const infoOf = async (runId: string) =>
  (await journals.journal().runs()).find((each) => each.runId === runId);

describe('the folder of a fork', () => {
  it('is put back first when the run wrote to it as it went', async () => {
    await run('--apply=each');
    await expect(fork('--at', '1')).rejects.toThrow(
      'the folder is not as the run "one" had it after its commit 1: b.md, c.md, d.md differ. wink rewind one --to 1 --apply puts it back, or name a folder that is, such as a copy, with --workspace DIR.',
    );
    expect(await journals.journal().runs()).toHaveLength(1);
    expect(files()).toEqual({ 'a.md': 'old\n', 'b.md': 'old\n', 'c.md': 'old\n', 'd.md': 'old\n' });

    await rewind('--to', '1');
    const { stdout } = await fork('--at', '1');
    expect(files()).toEqual({ 'a.md': 'old\n', 'new.md': 'new\n' });
    expect(stdout.text()).toContain('old');
    expect(stdout.text()).not.toContain('b.md');
    expect(await infoOf('two')).toMatchObject({ status: 'finished', workspace: root });
    expect(journals.opened).toBe(0);
  });

  it('may be that of the run when the fork has all of its commits', async () => {
    await run('--apply=each');
    await forkWith(old, '--at', '4');
    expect(files()).toMatchObject({ 'd.md': 'old\n' });
  });

  it('may be another one, which is kept', async () => {
    await run('--apply=each');
    const copy = join(base, 'copy');
    cpSync(root, copy, { recursive: true });
    await expect(fork('--at', '1', '--workspace', copy)).rejects.toThrow(
      `wink rewind one --to 1 --workspace ${copy} --apply puts it back`,
    );
    await rewind('--to', '1', '--workspace', copy);
    await fork('--at', '1', '--workspace', copy);
    expect(files(copy)).toEqual({ 'a.md': 'old\n', 'new.md': 'new\n' });
    expect(files()).toMatchObject({ 'd.md': 'old\n' });
    const two = await infoOf('two');
    expect(two?.workspace).toBe(copy);
    expect(two?.info?.['request']).toMatchObject({ kind: 'run', workspace: copy });
    expect((await infoOf('one'))?.workspace).toBe(root);
  });

  it('has no changes of a run that wrote them at its end', async () => {
    await run('--apply');
    await expect(fork('--at', '1')).rejects.toThrow(
      'had it before its first commit: a.md, b.md, c.md and 1 more differ. wink rewind one --to 0 --apply puts it back',
    );
    await rewind('--to', '0');
    await fork('--at', '1');
    expect(files()).toEqual({ 'a.md': 'old\n', 'new.md': 'new\n' });
  });

  it('is as it was before a run that has not written to it', async () => {
    await run();
    await fork('--at', '1');
    expect(files()).toEqual({});
    await expect(fork('--at', '1')).rejects.toThrow('has a run "two" already');
  });

  it('is refused when another process has changed what the run has changed', async () => {
    await run();
    writeFileSync(join(root, 'b.md'), 'theirs\n');
    await expect(fork('--at', '1')).rejects.toThrow(
      'had it before its first commit: b.md differs. To fork the run, name a folder that is, such as a copy, with --workspace DIR.',
    );
    expect(files()).toEqual({ 'b.md': 'theirs\n' });
  });

  it('is refused while the run writes to it, and where it does not exist', async () => {
    await run('--apply=each');
    await expect(fork('--at', '1', '--workspace', join(base, 'none'))).rejects.toThrow('there is no folder');
    const { info } = (await infoOf('one')) ?? {};
    const lease = await addHeldRun(journals.journal(), 'going', { workspace: root, info: info ?? {} });
    const asked = readArguments(['fork', 'going', '--at', '1']);
    if (asked.kind !== 'fork') throw new Error(JSON.stringify(asked));
    await expect(forkCommand(asked, fakeEnvironment(), partsOf(other))).rejects.toThrow(
      'the run "going" is still running and writes to its folder: name a copy with --workspace DIR.',
    );
    await lease.release();
  });
});
