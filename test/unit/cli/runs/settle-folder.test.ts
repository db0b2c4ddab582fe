import { beforeEach, describe, expect, it } from 'vitest';
import {
  Filesystem,
  FilesystemError,
  type JournaledRun,
  promptTemplate,
  type RunJournal,
  Session,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import type { OpenedFolder, openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { settleFolder } from '../../../../src/cli/runs/settle-folder.ts';
import { findRun } from '../../../../src/core/runtime/index.ts';
import { openedFolder } from '../support.ts';

let journal: RunJournal;
let run: JournaledRun;
let closed: number;

beforeEach(async () => {
  journal = memoryJournal();
  closed = 0;
  await using session = new Session();
  const template = promptTemplate({ ns: 'tests', key: 'empty', sections: [] });
  await scriptedAdapter([{ text: 'Done.' }]).evaluate(template.bind(), { session, journal, runId: 'one' });
  const found = await findRun(journal, 'one');
  if (found === undefined) throw new Error('no run');
  run = { ...found, workspace: '/work' };
});

/** A folder that lacks the last commit of the run, and what becomes of it. */
function folderWith(land: NonNullable<Filesystem['~land']>): () => Promise<OpenedFolder> {
  const folder = openedFolder({});
  return async () => ({
    ...folder,
    filesystem: Object.assign(folder.filesystem, { '~land': land }),
    pending: [{ runId: 'one', commit: 1, paths: ['a'] }],
    close: async () => {
      closed += 1;
    },
  });
}

describe('settleFolder', () => {
  it('names what was written, and what was left', async () => {
    const report = { landed: ['a'], present: ['b'], outside: [] };
    expect(
      await settleFolder(
        journal,
        run,
        folderWith(() => report),
      ),
    ).toEqual({
      lines: ['wrote a', 'the folder has all commits of one.'],
      exitCode: 0,
    });
    expect(
      await settleFolder(
        journal,
        run,
        folderWith(() => ({ ...report, outside: ['c\u0007'] })),
      ),
    ).toEqual({
      lines: [
        'wrote a',
        'left "c\\u0007": another process has changed it',
        'the folder has the commits of one but for what others have changed.',
      ],
      exitCode: 3,
    });
    expect(closed).toBe(2);
  });

  it('does nothing for a folder that lacks no commit of the run', async () => {
    const open = async () => openedFolder({});
    expect((await settleFolder(journal, run, open)).lines).toEqual(['the folder has all commits of one.']);
  });

  it.each([
    [['run', '/a.ts'], false, ['one writes nothing to its folder.'], 0],
    [
      ['run', '/a.ts', '--apply'],
      false,
      ['the changes of one are not in the folder: wink resume one writes them at its end.'],
      1,
    ],
    [['run', '/a.ts', '--apply'], true, ['the folder has all commits of one.'], 0],
    [['run', '/a.ts', '--apply=each'], false, ['the folder has all commits of one.'], 0],
  ])(
    'says of a run that was called by %j (applied: %j) what its folder has',
    async (call, isApplied, lines, exitCode) => {
      const process = { host: 'elsewhere', pid: 1, startedAt: '' };
      const info = { call, isApplied, process, rows: 0, lease: { owner: 'a', epoch: 1 } };
      const open = async () => openedFolder({});
      expect(await settleFolder(journal, { ...run, info }, open)).toEqual({ lines, exitCode });
    },
  );

  it('opens the folder under a lease of the journal', async () => {
    const opened: Parameters<typeof openFolder>[] = [];
    const open = async (...parameters: Parameters<typeof openFolder>) => {
      opened.push(parameters);
      return openedFolder({});
    };
    await settleFolder(journal, run, open);
    expect(opened).toEqual([['/work', { defaultExcludes: false }, 'each', { journal }]]);
  });

  it('says that the disk refuses', async () => {
    const open = folderWith(() => {
      throw new FilesystemError('filesystem-storage-failed', 'The disk is full.');
    });
    expect(await settleFolder(journal, run, open)).toEqual({
      lines: ['nothing was written: The disk is full.'],
      exitCode: 1,
    });
    expect(closed).toBe(1);
  });

  it('refuses a run that is running, one without a folder, and a folder that cannot be opened', async () => {
    const open = async () => openedFolder({});
    await expect(settleFolder(journal, { ...run, status: 'running' }, open)).rejects.toThrow(
      'the run "one" is still running.',
    );
    const { workspace: _none, ...without } = run;
    await expect(settleFolder(journal, without, open)).rejects.toThrow('the run "one" works on no folder.');
    const gone = async () => {
      throw new UsageError('there is no folder "/work".');
    };
    await expect(settleFolder(journal, run, gone)).rejects.toThrow('there is no folder "/work".');
  });
});
