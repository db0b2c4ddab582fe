import {
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
import { binding, Filesystem, promptTemplate, Session } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { vfsToolsSection } from 'weakincentives/suite';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../../src/cli/arguments.ts';
import { rewindCommand } from '../../../../src/cli/rewind/rewind-command.ts';
import { openFolder } from '../../../../src/cli/run/open-folder.ts';
import { MemoryJournals } from '../durable/journals.ts';
import { fakeEnvironment } from '../support.ts';

let journals: MemoryJournals;
let root: string;

const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});

beforeEach(async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-rewind-')));
  root = join(folder, 'work');
  mkdirSync(root);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  journals = new MemoryJournals();
  await using filesystem = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
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

async function rewind(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const asked = readArguments(['rewind', ...argv]);
  if (asked.kind !== 'rewind') throw new Error(JSON.stringify(asked));
  const environment = fakeEnvironment();
  const code = await rewindCommand(asked, environment, { journals, open: openFolder });
  return { code, text: environment.stdout.text() };
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

  it('names what another process has changed, writes nothing, and ends with 3', async () => {
    writeFileSync(join(root, 'b.md'), 'theirs\n');
    const { code, text } = await rewind('one', '--to', '0', '--apply');
    expect(code).toBe(3);
    expect(text).toContain('changed by another process: b.md\nnothing was written');
    expect(files()).toEqual(['a.md', 'b.md']);
    expect(readFileSync(join(root, 'b.md'), 'utf8')).toBe('theirs\n');
  });

  it.each([
    [['other', '--to', '1'], 'the journal has no run "other"'],
    [['one', '--to', '7'], 'it has 2 commits, and none has the number 7'],
    [['one', '--to', 'call-9'], 'it has made no call "call-9"'],
  ])('refuses %j', async (argv, message) => {
    await expect(rewind(...argv)).rejects.toThrow(message);
  });

  it.each([
    [['rewind'], 'no run given'],
    [['rewind', 'one'], 'say how far to go back'],
    [['rewind', 'one', 'two', '--to', '1'], 'one run at a time'],
    [['rewind', 'one', '--to', '1', '--journal='], 'the name of the journal is empty'],
  ])('reads no %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});
