import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  FilesystemError,
  openToolRuntime,
  type Prompt,
  promptTemplate,
  Session,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { settleInterrupted } from '../../../../src/cli/journal/settle-interrupted.ts';
import { journalNamesOf } from '../../../../src/cli/options/journal-names.ts';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

const promptOn = (filesystem: Filesystem): Prompt =>
  promptTemplate({ ns: 'tests', key: 'served', sections: [vfsToolsSection()] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: filesystem })] },
  );

const writing = (path: string, content: string) => ({
  callId: path,
  name: 'write_file',
  arguments: { file_path: path, content },
});

/** What ends a process in the middle of a commit: before its row is durable, or after that and before the disk has it. */
type Cut = 'before its decision' | 'after its decision';

interface Killed {
  readonly folders: TestFolders;
  readonly journal: WatchedJournal;
}

/** A runtime that has written `a.md`, and is cut off while it writes `b.md`. */
async function killed(cut: Cut, runId = 'run'): Promise<Killed> {
  const folders = testFolders({});
  let isCut = false;
  const blocker = join(folders.root, 'b.md');
  const journal = watchedJournal(({ rows }) => {
    if (!isCut || !rows.some(({ type }) => type === 'commit')) return;
    if (cut === 'before its decision') throw new Error('The process was killed.');
    // What was decided cannot take its place.
    mkdirSync(blocker);
    writeFileSync(join(blocker, 'in.md'), '');
  });
  await using filesystem = await openHostFilesystem(folders);
  const runtime = await openToolRuntime(promptOn(filesystem), {
    journal,
    runId,
    session: new Session({ id: 'session' }),
  });
  await runtime.call(writing('a.md', 'one\n'));
  isCut = true;
  await expect(runtime.call(writing('b.md', 'two\n'))).rejects.toMatchObject({ code: 'run-lost' });
  await runtime[Symbol.asyncDispose]();
  rmSync(blocker, { recursive: true, force: true });
  return { folders, journal };
}

/** Opens the folder as the next program does. */
async function settled({ folders, journal }: Killed, name?: string): Promise<readonly string[]> {
  const journalNames = journalNamesOf({ journal: name });
  await using filesystem = await openHostFilesystem(folders);
  const pending = filesystem.pendingCommits();
  const { lines } = await settleInterrupted({ journal, journalNames, filesystem, pending });
  if (lines.some((line) => line.startsWith('run '))) expect(filesystem.pendingCommits()).toEqual([]);
  return lines;
}

const namesIn = ({ root }: TestFolders): readonly string[] => readdirSync(root).sort();

describe('settleInterrupted', () => {
  it('brings a commit to the folder that was decided', async () => {
    const run = await killed('after its decision');
    expect(namesIn(run.folders)).toEqual(['a.md']);
    expect(await settled(run)).toEqual([
      'run run was cut off after its last call was decided; it is in the folder: b.md',
    ]);
    expect(readFileSync(join(run.folders.root, 'b.md'), 'utf8')).toBe('two\n');
    // It is done with: the next program finds nothing.
    expect(await settled(run)).toEqual([]);
  });

  it('leaves the folder as it was before a call that was not decided', async () => {
    const run = await killed('before its decision');
    expect(await settled(run)).toEqual([
      'run run was cut off before its last call was decided: the folder is as it was before that call',
    ]);
    expect(namesIn(run.folders)).toEqual(['a.md']);
    expect(await settled(run)).toEqual([]);
  });

  it('leaves what another process has put there, and names it', async () => {
    const run = await killed('after its decision');
    writeFileSync(join(run.folders.root, 'b.md'), 'theirs\n');
    expect(await settled(run)).toEqual([
      'run run was cut off after its last call was decided; nothing was written; left, since another process has changed it: b.md',
    ]);
    expect(readFileSync(join(run.folders.root, 'b.md'), 'utf8')).toBe('theirs\n');
  });

  it('names a run that another journal has, and leaves its mark', async () => {
    const run = await killed('after its decision');
    const other = { ...run, journal: watchedJournal() };
    const line =
      'the folder lacks a commit of run run, which is in another journal: wink runs settle run --journal FILE';
    expect(await settled(other)).toEqual([line]);
    expect(await settled(other)).toEqual([line]);
    expect(await settled(run)).toHaveLength(1);
    expect(namesIn(run.folders)).toEqual(['a.md', 'b.md']);
  });

  it('leaves an evaluation to those who resume it', async () => {
    const folders = testFolders({});
    let isCut = false;
    const journal = watchedJournal(({ rows }) => {
      if (isCut && rows.some(({ type }) => type === 'commit')) throw new Error('The process was killed.');
    });
    await using filesystem = await openHostFilesystem(folders);
    const { name, arguments: given } = writing('b.md', 'two\n');
    isCut = true;
    const run = scriptedAdapter([{ toolCalls: [{ name, arguments: given }] }, { text: 'Done.' }]).evaluate(
      promptOn(filesystem),
      { journal, runId: 'run' },
    );
    await expect(run).rejects.toMatchObject({ code: 'run-lost' });
    await filesystem[Symbol.asyncDispose]();
    await using again = await openHostFilesystem(folders);
    const pending = again.pendingCommits();
    expect(pending).toMatchObject([{ runId: 'run' }]);
    const options = { journal, journalNames: undefined, filesystem: again, pending };
    expect(await settleInterrupted(options)).toEqual({ left: pending, lines: [] });
    expect(again.pendingCommits()).toEqual(pending);
  });

  it('leaves a run that another process has', async () => {
    const run = await killed('after its decision');
    const lease = await run.journal.acquire('session');
    const busy =
      'the folder lacks a commit of run run, which another process has: wink runs settle run --journal j.db when it has ended';
    expect(await settled(run, 'j.db')).toEqual([busy]);
    expect(existsSync(join(run.folders.root, 'b.md'))).toBe(false);
    await lease.release();
    expect(await settled(run)).toHaveLength(1);
  });

  it('says that the disk refuses, and how to try it again', async () => {
    const { journal } = await killed('after its decision');
    const full = new FilesystemError('filesystem-storage-failed', 'The disk is full.');
    const filesystem: Pick<Filesystem, '~land'> = {
      '~land': () => {
        throw full;
      },
    };
    const pending = [{ runId: 'run', commit: 2, paths: ['b.md'] }];
    expect(await settleInterrupted({ journal, journalNames: undefined, filesystem, pending })).toMatchObject({
      left: [],
      lines: [
        'the last commit of run run could not be written to the folder: The disk is full; wink runs settle run tries it again',
      ],
    });
    // The lease was given back.
    await (await journal.acquire('session')).release();
  });

  it('names what a folder lacks that is written at the end of the next run', async () => {
    const { folders, journal } = await killed('after its decision');
    await using filesystem = await openHostFilesystem({ ...folders, writeOn: 'flush' });
    const pending = filesystem.pendingCommits();
    expect(await settleInterrupted({ journal, journalNames: undefined, filesystem, pending })).toMatchObject({
      left: [],
      lines: ['the folder lacks a commit of run run: wink runs settle run'],
    });
    expect(await settled({ folders, journal }).catch((error: unknown) => error)).toMatchObject({
      code: 'filesystem-locked',
    });
  });

  it('does not ask the journal where the folder lacks nothing', async () => {
    const journal = {
      ...watchedJournal(),
      runs: () => {
        throw new TypeError('It was asked.');
      },
    };
    const none = { journal, journalNames: undefined, filesystem: {}, pending: [] };
    expect(await settleInterrupted(none)).toEqual({ left: [], lines: [] });
  });
});
