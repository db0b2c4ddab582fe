import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binding, type Filesystem as Files, Filesystem, promptTemplate, section } from 'weakincentives';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import type { FilesystemFork } from '../../../../src/core/filesystem/index.ts';
import { act } from '../../../support/act.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

function linkedFolders(): TestFolders {
  const folders = testFolders({ 'run.sh': 'run', 'plain.md': 'plain', 'docs/a.md': 'a' });
  chmodSync(join(folders.root, 'run.sh'), 0o755);
  chmodSync(join(folders.root, 'plain.md'), 0o644);
  symlinkSync('plain.md', join(folders.root, 'to-file'));
  symlinkSync('docs', join(folders.root, 'to-folder'));
  symlinkSync('nowhere-secret', join(folders.root, 'dangling'));
  return folders;
}

/** What a change says beside contents. */
function attributesOf(fork: Pick<FilesystemFork, 'changes'>): readonly object[] {
  return fork.changes().map(({ before: _before, after: _after, ...rest }) => rest);
}

describe('a change of a file in a host folder', () => {
  it('has the permissions that the file has afterwards, unless they are the usual ones', async () => {
    const folders = linkedFolders();
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.copy('run.sh', 'copied.sh');
    await fork.view.move('plain.md', 'moved.md');
    await fork.view.write('run.sh', 'run faster');
    await fork.view.write('new.sh', 'new');
    expect(attributesOf(fork)).toEqual([
      { path: 'copied.sh', kind: 'created', entry: 'file', from: 'run.sh', mode: 0o755 },
      { path: 'moved.md', kind: 'created', entry: 'file', from: 'plain.md' },
      { path: 'new.sh', kind: 'created', entry: 'file' },
      { path: 'plain.md', kind: 'removed', entry: 'file' },
      { path: 'run.sh', kind: 'modified', entry: 'file', mode: 0o755 },
    ]);
    filesystem.apply(fork.patch());
    const modes = ['copied.sh', 'moved.md', 'run.sh'].map((path) => statSync(join(folders.root, path)).mode);
    expect(modes.map((mode) => mode & 0o7777)).toEqual([0o755, 0o644, 0o755]);
  });

  it('has the permissions of the file that was written before it was copied or moved', async () => {
    const folders = linkedFolders();
    mkdirSync(join(folders.root, 'bin'));
    for (const path of ['bin/a.sh', 'b.sh']) {
      writeFileSync(join(folders.root, path), path);
      chmodSync(join(folders.root, path), 0o750);
    }
    const filesystem = await openHost(folders);
    // Committed by parts, as the calls of a run are before the run ends.
    const run = filesystem.fork();
    for (const change of [
      (view: Files) => view.edit('run.sh', [{ oldText: 'run', newText: 'ran' }]),
      (view: Files) => view.copy('run.sh', 'again.sh'),
      (view: Files) => view.write('again.sh', '!', { mode: 'append' }),
      (view: Files) => view.move('run.sh', 'moved.sh'),
      (view: Files) => view.write('bin/a.sh', 'new'),
      (view: Files) => view.move('bin', 'sbin'),
      (view: Files) => view.remove('plain.md'),
      (view: Files) => view.copy('again.sh', 'plain.md'),
      (view: Files) => view.remove('b.sh'),
      (view: Files) => view.write('b.sh', 'made again'),
    ]) {
      const call = run.view.fork();
      await change(call.view);
      run.view.apply(call.patch());
    }
    filesystem.apply(run.patch());
    const modeOf = (path: string): number => statSync(join(folders.root, path)).mode & 0o7777;
    expect(
      Object.fromEntries(
        ['again.sh', 'moved.sh', 'sbin/a.sh', 'plain.md', 'b.sh'].map((path) => [path, modeOf(path)]),
      ),
    ).toEqual({
      'again.sh': 0o755,
      'moved.sh': 0o755,
      'sbin/a.sh': 0o750,
      'plain.md': 0o755,
      // The folder has one file in the place of another.
      'b.sh': 0o750,
    });
  });

  it('has the permissions of a removed file', async () => {
    const fork = (await openHost(linkedFolders())).fork();
    await fork.view.remove('run.sh');
    expect(attributesOf(fork)).toEqual([{ path: 'run.sh', kind: 'removed', entry: 'file', mode: 0o755 }]);
  });

  it('has the permissions of what was moved over it', async () => {
    const fork = (await openHost(linkedFolders())).fork();
    await fork.view.remove('plain.md');
    await fork.view.move('run.sh', 'plain.md');
    expect(attributesOf(fork)).toEqual([
      {
        path: 'plain.md',
        kind: 'modified',
        entry: 'file',
        from: 'run.sh',
        mode: 0o755,
        replacedMode: 0o644,
      },
      { path: 'run.sh', kind: 'removed', entry: 'file', mode: 0o755 },
    ]);
  });

  it('has the target of a link that was moved, copied, removed or replaced', async () => {
    const fork = (await openHost(linkedFolders())).fork();
    await fork.view.move('to-file', 'moved');
    await fork.view.remove('to-folder');
    await fork.view.remove('dangling');
    await fork.view.write('dangling', 'a file');
    await fork.view.write('to-file', 'a file');
    expect(attributesOf(fork)).toEqual([
      { path: 'dangling', kind: 'modified', entry: 'file', replacedLink: 'nowhere-secret' },
      { path: 'moved', kind: 'created', entry: 'file', from: 'to-file', link: 'plain.md' },
      { path: 'to-file', kind: 'modified', entry: 'file', replacedLink: 'plain.md' },
      { path: 'to-folder', kind: 'removed', entry: 'directory', link: 'docs' },
    ]);
  });

  it('has the outermost directory that was removed with it', async () => {
    const folders = testFolders({ 'a/b/c.md': 'c', 'a/d.md': 'd', 'e/f.md': 'f' });
    const fork = (await openHost(folders)).fork();
    await fork.view.remove('a', { recursive: true });
    await fork.view.remove('e/f.md');
    const removed = fork.changes().map(({ path, removedWith }) => ({ path, removedWith }));
    expect(removed).toEqual([
      { path: 'a/b/c.md', removedWith: 'a' },
      { path: 'a/d.md', removedWith: 'a' },
      { path: 'e/f.md', removedWith: undefined },
    ]);
  });

  it('has the former path of a link to a directory that was moved', async () => {
    const folders = testFolders({ 'a/b.md': 'b', 'c/d.md': 'd' });
    symlinkSync('../a', join(folders.root, 'c/link'));
    const fork = (await openHost(folders)).fork();
    await fork.view.move('c', 'e');
    expect(fork.changes()).toContainEqual({
      path: 'e/link',
      kind: 'created',
      entry: 'directory',
      link: '../a',
      from: 'c/link',
    });
  });

  it('is in the record of the run, redacted', async () => {
    const filesystem = await openHost(linkedFolders());
    const work = act('work', async ({ filesystem: files }) => {
      await files.move('run.sh', 'bin.sh');
      await files.move('dangling', 'moved');
      await files.remove('to-folder');
      await files.write('to-folder', 'a file');
    });
    const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools: [work] });
    const prompt = promptTemplate({ ns: 'test', key: 'prompt', sections: [task] }).bind(
      {},
      { resources: [binding(Filesystem, { instance: filesystem })] },
    );
    const lines: string[] = [];
    const observer = runRecorder({ write: (line) => void lines.push(line) });
    await scriptedAdapter([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }]).evaluate(prompt, {
      observers: [observer],
      redact: (text) => text.replaceAll('secret', '***').replaceAll('docs', 'folder'),
    });
    const [call] = (await readRunRecord(lines)).calls;
    const files = call?.attempts.at(-1)?.files ?? [];
    expect(files.map(({ path, mode, link, replacedLink }) => ({ path, mode, link, replacedLink }))).toEqual([
      { path: 'bin.sh', mode: 0o755 },
      { path: 'dangling', link: 'nowhere-***' },
      { path: 'moved', link: 'nowhere-***' },
      { path: 'run.sh', mode: 0o755 },
      { path: 'to-folder', link: 'folder' },
      { path: 'to-folder' },
    ]);
  });
});
