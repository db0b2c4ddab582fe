import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  type Prompt,
  promptTemplate,
  type ResumeRunOptions,
  type RunEvent,
  type RunJournal,
  RunRefusedError,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { findRun, summaryOf } from '../../../../src/core/runtime/index.ts';
import { diskTree } from '../../../support/disk-tree.ts';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

const given = {
  'changed.md': 'before',
  'twice.md': 'before',
  'moved.md': 'moves',
  'removed.md': 'goes',
  'tool.sh': '#!/bin/sh\n',
  'old/a.md': 'a',
  'old/b.md': 'b',
  'alone.md': 'not touched',
};

type Act = (files: Filesystem) => Promise<unknown>;

/** What the calls of a run do, one commit each. */
const acts: readonly Act[] = [
  (files) => files.write('made/deep/new.md', 'first'),
  async (files) => {
    await files.write('changed.md', 'after');
    await files.write('twice.md', 'once');
  },
  (files) => files.move('moved.md', 'made/moved.md'),
  (files) => files.remove('removed.md'),
  (files) => files.remove('old', { recursive: true }),
  async (files) => {
    await files.write('made/deep/new.md', 'second');
    await files.write('twice.md', 'twice');
    await files.write('made/gone.md', 'for a while');
  },
  (files) => files.remove('made/gone.md'),
  (files) => files.mkdir('empty'),
  (files) => files.copy('tool.sh', 'made/tool.sh'),
  (files) => files.move('link', 'made/link'),
];

function promptOf(filesystem: Filesystem): Prompt {
  const act = tool({
    name: 'act',
    description: 'Does the next thing.',
    effects: 'state',
    inputSchema: z.object({ index: z.number() }),
    execute: async ({ index }, { filesystem: files }) => {
      await acts[index]?.(files);
      return ToolResult.ok(null, 'Done.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'files-of-run',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Act.', tools: [act] })],
  }).bind();
}

/** A copy of the folder as it was given to the run. */
function freshFolder(): TestFolders {
  const folders = testFolders(given);
  chmodSync(join(folders.root, 'tool.sh'), 0o755);
  symlinkSync('alone.md', join(folders.root, 'link'));
  return folders;
}

const script = (stop?: () => void) =>
  scriptedAdapter((_conversation, { turn }) => {
    if (turn > acts.length) stop?.();
    return turn <= acts.length
      ? { toolCalls: [{ name: 'act', arguments: { index: turn - 1 } }] }
      : { text: 'done' };
  });

/** A run that was stopped after all its calls, and the folder that it left. */
async function stoppedRun() {
  const folders = freshFolder();
  const journal = memoryJournal();
  const stop = new AbortController();
  await using filesystem = await openHostFilesystem(folders);
  const session = new Session({ id: 's' });
  await expect(
    script(() => stop.abort()).evaluate(promptOf(filesystem), {
      journal,
      runId: 'r',
      session,
      input: 'go',
      signal: stop.signal,
    }),
  ).rejects.toMatchObject({ code: 'evaluation-aborted' });
  return { journal, folders };
}

type Stopped = Awaited<ReturnType<typeof stoppedRun>>;

async function resumeIn(folders: TestFolders, { journal }: Stopped, files?: ResumeRunOptions['files']) {
  await using filesystem = await openHostFilesystem(folders);
  const events: RunEvent[] = [];
  const outcome = await resumeRun({
    adapter: script(),
    prompt: promptOf(filesystem),
    journal,
    runId: 'r',
    ...(files === undefined ? {} : { files }),
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  const resumed = events.find((event) => event.type === 'run-resumed');
  if (outcome.finishReason === 'suspended') throw new Error('It asks nothing.');
  return { text: outcome.text, changed: resumed?.changed };
}

/** All paths that the run has changed, and that a fresh copy has otherwise. */
const differing = [
  'changed.md',
  'empty',
  'link',
  'made/deep/new.md',
  'made/link',
  'made/moved.md',
  'made/tool.sh',
  'moved.md',
  'old',
  'old/a.md',
  'old/b.md',
  'removed.md',
  'twice.md',
];

describe('a run whose folder is a fresh copy', () => {
  it('is refused, and the paths are named; nothing is run, and only the life is written', async () => {
    const run = await stoppedRun();
    const copy = freshFolder();
    const before = diskTree(copy.root);
    const rows = await run.journal.read('r');
    const error: unknown = await resumeIn(copy, run).catch((reason: unknown) => reason);
    expect(RunRefusedError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'run-files-differ',
      details: { runId: 'r', files: 'check', paths: differing },
    });
    expect(String(error)).toContain(
      'files of its folder are not as the run left them: "changed.md", "empty", "link", "made/deep/new.md", "made/link" and 8 more.',
    );
    expect(diskTree(copy.root)).toEqual(before);
    const after = await run.journal.read('r');
    expect(after.slice(0, rows.length)).toEqual(rows);
    expect(after.slice(rows.length).map(({ type }) => type)).toEqual(['life', 'life']);
    // It can still be resumed.
    expect(await resumeIn(run.folders, run)).toEqual({ text: 'done', changed: [] });
  });

  it('has with restore what the run left, and what it did not touch', async () => {
    const run = await stoppedRun();
    const copy = freshFolder();
    writeFileSync(join(copy.root, 'foreign.md'), 'theirs');
    writeFileSync(join(copy.root, 'alone.md'), 'changed by others');
    const left = diskTree(run.folders.root);
    expect(await resumeIn(copy, run, 'restore')).toEqual({ text: 'done', changed: [] });
    expect(lstatSync(join(copy.root, 'made/tool.sh')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(copy.root, 'made/link'))).toBe('../alone.md');
    expect(readFileSync(join(copy.root, 'foreign.md'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(copy.root, 'alone.md'), 'utf8')).toBe('changed by others');
    rmSync(join(copy.root, 'foreign.md'));
    writeFileSync(join(copy.root, 'alone.md'), given['alone.md']);
    expect(diskTree(copy.root)).toEqual(left);
  });

  it('continues with what is there when it is asked to, and names what differs', async () => {
    const run = await stoppedRun();
    const copy = freshFolder();
    const before = diskTree(copy.root);
    const changed = differing.map((path) => `file ${path}`);
    expect(await resumeIn(copy, run, 'as-is')).toEqual({ text: 'done', changed });
    expect(diskTree(copy.root)).toEqual(before);
  });

  it('returns the answer that it has without a look at the folder', async () => {
    const run = await stoppedRun();
    await resumeIn(run.folders, run);
    expect((await resumeIn(freshFolder(), run)).text).toBe('done');
  });
});

describe('a folder in which others have changed what a run left', () => {
  it.each<[string, (root: string) => void, readonly string[]]>([
    ['a content', (root) => writeFileSync(join(root, 'changed.md'), 'theirs'), ['changed.md']],
    ['permissions', (root) => chmodSync(join(root, 'made/tool.sh'), 0o644), ['made/tool.sh']],
    ['a removed file', (root) => rmSync(join(root, 'made/moved.md')), ['made/moved.md']],
    [
      'a file that the run removed',
      (root) => writeFileSync(join(root, 'removed.md'), 'again'),
      ['removed.md'],
    ],
    [
      'a link',
      (root) => {
        rmSync(join(root, 'made/link'));
        symlinkSync('../changed.md', join(root, 'made/link'));
      },
      ['made/link'],
    ],
    [
      'a directory for a file',
      (root) => {
        rmSync(join(root, 'twice.md'));
        mkdirSync(join(root, 'twice.md'));
      },
      ['twice.md'],
    ],
  ])('is refused for %s, and made right by restore', async (_what, change, paths) => {
    const run = await stoppedRun();
    const left = diskTree(run.folders.root);
    change(run.folders.root);
    await expect(resumeIn(run.folders, run)).rejects.toMatchObject({ details: { paths } });
    expect(await resumeIn(run.folders, run, 'restore')).toEqual({ text: 'done', changed: [] });
    expect(diskTree(run.folders.root)).toEqual(left);
  });

  it('is not restored over files that the run does not know', async () => {
    const run = await stoppedRun();
    rmSync(join(run.folders.root, 'twice.md'));
    mkdirSync(join(run.folders.root, 'twice.md'));
    writeFileSync(join(run.folders.root, 'twice.md/theirs.md'), 'theirs');
    const before = diskTree(run.folders.root);
    await expect(resumeIn(run.folders, run, 'restore')).rejects.toMatchObject({
      code: 'run-files-differ',
      message: expect.stringContaining('cannot be restored: "twice.md". Move what is in the way'),
    });
    expect(diskTree(run.folders.root)).toEqual(before);
  });

  it('is refused for a file in the place of one that the run has made and removed again', async () => {
    const run = await stoppedRun();
    const left = diskTree(run.folders.root);
    writeFileSync(join(run.folders.root, 'made/gone.md'), 'theirs');
    await expect(resumeIn(run.folders, run)).rejects.toMatchObject({ details: { paths: ['made/gone.md'] } });
    expect(await resumeIn(run.folders, run, 'restore')).toEqual({ text: 'done', changed: [] });
    expect(diskTree(run.folders.root)).toEqual(left);
  });

  it.each(['removed.md', 'made/gone.md'])(
    'is refused for a directory of others at %s, which restore does not empty',
    async (path) => {
      const run = await stoppedRun();
      mkdirSync(join(run.folders.root, path));
      writeFileSync(join(run.folders.root, path, 'theirs.md'), 'theirs');
      const before = diskTree(run.folders.root);
      for (const files of ['check', 'restore'] as const)
        await expect(resumeIn(run.folders, run, files)).rejects.toMatchObject({
          details: { files, paths: [path] },
        });
      expect(diskTree(run.folders.root)).toEqual(before);
    },
  );

  it('may have files of others in a directory that the run has removed', async () => {
    const run = await stoppedRun();
    mkdirSync(join(run.folders.root, 'old'));
    writeFileSync(join(run.folders.root, 'old/theirs.md'), 'theirs');
    expect(await resumeIn(run.folders, run)).toEqual({ text: 'done', changed: [] });
    expect(readFileSync(join(run.folders.root, 'old/theirs.md'), 'utf8')).toBe('theirs');
  });

  it('is not restored through a link that leads out of it', async () => {
    const run = await stoppedRun();
    const outside = testFolders({ 'deep/new.md': 'theirs', 'moved.md': 'theirs' });
    rmSync(join(run.folders.root, 'made'), { recursive: true });
    symlinkSync(outside.root, join(run.folders.root, 'made'));
    const before = [diskTree(run.folders.root), diskTree(outside.root)];
    const paths = ['made/deep/new.md', 'made/link', 'made/moved.md', 'made/tool.sh'];
    for (const files of ['check', 'restore'] as const)
      await expect(resumeIn(run.folders, run, files)).rejects.toMatchObject({ details: { files, paths } });
    expect([diskTree(run.folders.root), diskTree(outside.root)]).toEqual(before);
  });

  it.each([0o002, 0o077])('may have other permissions, such as with the umask %i', async (umask) => {
    const before = process.umask(umask);
    try {
      const run = await stoppedRun();
      // What a new file gets there.
      expect(lstatSync(join(run.folders.root, 'made/deep/new.md')).mode & 0o777).toBe(0o666 & ~umask);
      const left = diskTree(run.folders.root);
      expect(await resumeIn(run.folders, run)).toEqual({ text: 'done', changed: [] });
      // It has its answer by now.
      const copy = freshFolder();
      expect((await resumeIn(copy, run, 'restore')).text).toBe('done');
      expect(diskTree(copy.root)).toEqual(left);
      process.umask(before);
      const elsewhere = freshFolder();
      expect((await resumeIn(elsewhere, run, 'restore')).text).toBe('done');
      expect((await resumeIn(elsewhere, run, 'check')).text).toBe('done');
      // A copy that keeps what is executable only.
      for (const { name, mode } of [
        { name: 'made/deep/new.md', mode: 0o600 },
        { name: 'made/tool.sh', mode: 0o700 },
      ])
        chmodSync(join(elsewhere.root, name), mode);
      expect((await resumeIn(elsewhere, run, 'check')).text).toBe('done');
    } finally {
      process.umask(before);
    }
  });

  it('refuses an option that it does not know', async () => {
    const run = await stoppedRun();
    // Untyped code passes what it likes.
    const files = 'merge' as ResumeRunOptions['files'];
    await expect(resumeIn(run.folders, run, files)).rejects.toMatchObject({ details: { option: 'files' } });
  });
});

/** The rows of the run as a process left them that was killed when its last commit was decided. */
async function killedInLastCommit({ journal }: Stopped): Promise<RunJournal> {
  const rows = await journal.read('r');
  const last = rows.findLastIndex(({ type }) => type === 'commit');
  const killed = memoryJournal();
  const found = await findRun(journal, 'r');
  if (found === undefined) throw new Error('The journal has it.');
  const summary = summaryOf(found);
  const lease = await killed.acquire('s');
  await killed.append({ runId: 'r', rows: rows.slice(0, last + 1), summary }, lease);
  await lease.release();
  return killed;
}

describe('a run that was killed when its last commit was decided', () => {
  it('has that commit brought to its folder, whether it was there or not', async () => {
    const run = await stoppedRun();
    const journal = await killedInLastCommit(run);
    const left = diskTree(run.folders.root);
    expect(await resumeIn(run.folders, { ...run, journal }).then(({ changed }) => changed)).toEqual([]);
    expect(diskTree(run.folders.root)).toEqual(left);

    const undone = await stoppedRun();
    rmSync(join(undone.folders.root, 'made/link'));
    symlinkSync('alone.md', join(undone.folders.root, 'link'));
    const decided = { ...undone, journal: await killedInLastCommit(undone) };
    expect(await resumeIn(undone.folders, decided).then(({ changed }) => changed)).toEqual([]);
    expect(diskTree(undone.folders.root)).toEqual(left);
  });

  it('has nothing of it brought to a fresh copy, unless it is restored', async () => {
    const run = await stoppedRun();
    const decided = { ...run, journal: await killedInLastCommit(run) };
    const copy = freshFolder();
    const before = diskTree(copy.root);
    const ofLast = new Set(['link', 'made/link']);
    await expect(resumeIn(copy, decided)).rejects.toMatchObject({
      details: { paths: differing.filter((path) => !ofLast.has(path)) },
    });
    expect(diskTree(copy.root)).toEqual(before);
    expect((await resumeIn(copy, decided, 'restore')).changed).toEqual([]);
    expect(diskTree(copy.root)).toEqual(diskTree(run.folders.root));
  });

  it('is refused when others have changed what it was to change, and nothing is written', async () => {
    const run = await stoppedRun();
    const decided = { ...run, journal: await killedInLastCommit(run) };
    rmSync(join(run.folders.root, 'made/link'));
    writeFileSync(join(run.folders.root, 'made/link'), 'theirs');
    const before = diskTree(run.folders.root);
    await expect(resumeIn(run.folders, decided)).rejects.toMatchObject({ details: { paths: ['made/link'] } });
    expect(diskTree(run.folders.root)).toEqual(before);
  });
});
