import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { gitTools, noGit, TestRepository } from './git-repository.ts';

describe.skipIf(noGit !== undefined)(`the tools of gitSection${noGit ?? ''}`, () => {
  it('list, show and compare commits', async () => {
    const repository = TestRepository.create();
    const first = repository.commit('Add a\n\nBecause it is needed.', {
      'a.txt': 'one\ntwo\n',
      'src/b.txt': 'b\n',
    });
    const second = repository.commit('Change a', { 'a.txt': 'one\n2\n' });
    const call = await gitTools(repository.path);

    const log = await call('git_log');
    expect(log.text).toBe(
      `${second} 2024-05-01T12:00:00Z Ada <ada@example.org>: Change a\n${first} 2024-05-01T12:00:00Z Ada <ada@example.org>: Add a`,
    );
    expect((await call('git_log', { path: 'src' })).value).toMatchObject({ commits: [{ id: first }] });
    expect((await call('git_log', { not_in: first })).value).toMatchObject({ commits: [{ id: second }] });
    expect((await call('git_log', { files: true })).value).toMatchObject({
      commits: [{ files: ['a.txt'] }, { files: ['a.txt', 'src/b.txt'] }],
    });
    const page = await call('git_log', { limit: 1 });
    expect(page.value).toMatchObject({ commits: [{ id: second }], next_skip: 1 });
    expect(page.text).toContain('continue with skip=1');

    const shown = await call('git_show', { revision: 'HEAD~1' });
    expect(shown.text).toContain('    Because it is needed.');
    expect(shown.text).toContain('added a.txt\n@@ -0,0 +1,2 @@\n+one\n+two');
    const diff = await call('git_diff', { from: 'HEAD^', to: 'main' });
    expect(diff.value).toMatchObject({
      from: first,
      to: second,
      files: [{ path: 'a.txt', status: 'modified', patch: '@@ -1,2 +1,2 @@\n one\n-two\n+2' }],
    });
    expect((await call('git_diff', { from: 'HEAD^', path: 'src' })).value).toMatchObject({ total: 0 });
    expect((await call('git_diff', { from: 'HEAD^', names_only: true })).text).toBe('modified a.txt');

    expect((await call('git_show', { revision: first, path: 'a.txt' })).text).toBe('1 | one\n2 | two');
    expect((await call('git_show', { path: 'a.txt', offset: 1 })).text).toBe('2 | 2');
    expect((await call('git_show', { path: '.' })).text).toBe('a.txt\nsrc/');
    expect((await call('git_show', { path: 'src' })).text).toBe('b.txt');
    expect((await call('git_show', { path: 'none' })).message).toContain('There is no none in the commit');

    const blame = await call('git_blame', { path: 'a.txt' });
    expect(blame.value).toMatchObject({
      lines: [
        { line: 1, commit: first, author: 'Ada', date: '2024-05-01', text: 'one' },
        { line: 2, commit: second, text: '2' },
      ],
    });
    expect((await call('git_blame', { path: 'a.txt', limit: 1 })).text).toContain('continue with offset=1');
  });

  it('shows nothing after the end of a file, and says so; and that a line is cut', async () => {
    const repository = TestRepository.create();
    const id = repository.commit('Add', {
      'a.txt': 'one\ntwo\n',
      'long.txt': `short\n${'x'.repeat(300)}\nend\n`,
    });
    const call = await gitTools(repository.path, { section: { limits: { maxOutputCharacters: 100 } } });
    for (const name of ['git_show', 'git_blame']) {
      const after = await call(name, { path: 'a.txt', offset: 2 });
      expect(after).toMatchObject({
        success: true,
        text: '',
        message: `a.txt in commit ${id} has 2 lines; there are none after an offset of 2.`,
      });
      const cut = await call(name, { path: 'long.txt', offset: 1 });
      expect(cut.message).toContain('lines 2-2 of 3; line 2 has 300 characters and is cut');
      expect((await call(name, { path: 'long.txt', limit: 1 })).message).not.toContain('cut');
    }
  });

  it('names the byte order mark of a file, which no line has', async () => {
    const repository = TestRepository.create();
    repository.commit('Add', { 'a.cs': 'one\n' });
    repository.commit('Mark', { 'a.cs': '\uFEFFone\n', 'new.cs': '\uFEFFnew\n' });
    const call = await gitTools(repository.path);
    const shown = await call('git_show', { path: 'a.cs' });
    expect(shown.text).toBe('1 | one');
    expect(shown.message).toContain('lines 1-1 of 1 (byte order mark)');
    expect((await call('git_blame', { path: 'a.cs' })).value).toMatchObject({ lines: [{ text: 'one' }] });
    const diff = await call('git_diff', { from: 'HEAD^' });
    expect(diff.text).toContain('modified a.cs\n[no byte order mark before, one now]\n@@');
    expect(diff.text).toContain('[no byte order mark before, one now]\n@@ -0,0 +1,1 @@\n+new');
  });

  it('show renames, links, submodules, binary and large files by name', async () => {
    const repository = TestRepository.create();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    repository.commit('First', {
      'old.txt': lines,
      'bin.dat': new Uint8Array([1, 0, 2]),
      'big.txt': 'x'.repeat(2000),
    });
    repository.git('mv', 'old.txt', 'new.txt');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    repository.git('commit', '-q', '-m', 'Second');
    const call = await gitTools(repository.path, { section: { limits: { maxBlobBytes: 1000 } } });
    const shown = await call('git_show');
    expect(shown.text).toContain('renamed new.txt from old.txt');
    expect(shown.text).toContain(`now: submodule at ${'1'.repeat(40)}`);
    expect((await call('git_show', { path: 'sub' })).message).toContain('submodule at 1111');
    expect((await call('git_show', { path: 'bin.dat' })).message).toContain('binary, 3 bytes');
    expect((await call('git_show', { path: 'big.txt' })).message).toContain('2,000 bytes, more than');
    expect((await call('git_show', { revision: 'HEAD^' })).text).toContain('2,000 bytes, more than');
    expect((await call('git_blame', { path: 'sub' })).success).toBe(false);
  });

  it('cut their output by file, and say how to continue', async () => {
    const repository = TestRepository.create();
    const files = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`f${index}.txt`, `${index}\n`.repeat(40)]),
    );
    repository.commit('Many', files);
    const few = await gitTools(repository.path, { section: { limits: { maxFiles: 2 } } });
    const first = await few('git_show');
    expect(first.value).toMatchObject({
      changes: { files: [{ path: 'f0.txt' }, { path: 'f1.txt' }], next_skip: 2 },
    });
    expect(first.text).toContain('[3 more files; continue with skip=2]');
    expect((await few('git_show', { skip: 4 })).value).toMatchObject({
      changes: { files: [{ path: 'f4.txt' }] },
    });
    const short = await gitTools(repository.path, { section: { limits: { maxOutputCharacters: 60 } } });
    const cut = await short('git_show');
    expect(cut.value).toMatchObject({ changes: { files: [{ path: 'f0.txt' }], next_skip: 1 } });
    expect(cut.text).toContain('The rest of the changes of f0.txt is not shown');
  });

  it('read packed refs and objects, branches, tags and a detached HEAD', async () => {
    const repository = TestRepository.create();
    const first = repository.commit('First', { a: '1' });
    repository.git('tag', '-a', 'v1', '-m', 'one');
    repository.git('branch', 'topic/x');
    const second = repository.commit('Second', { a: '2' });
    repository.git('gc', '-q');
    repository.git('checkout', '-q', '--detach', first);
    const call = await gitTools(repository.path);
    for (const [revision, id] of Object.entries({
      HEAD: first,
      v1: first,
      'topic/x': first,
      main: second,
      [second.slice(0, 8)]: second,
      '@': first,
      'main^': first,
      'refs/heads/main': second,
    }))
      expect((await call('git_log', { revision, limit: 1 })).value).toMatchObject({ commits: [{ id }] });
    repository.git('worktree', 'list');
  });

  it('read a repository with SHA-256', async () => {
    const repository = TestRepository.create('--object-format=sha256');
    const id = repository.commit('First', { a: '1\n' });
    const call = await gitTools(repository.path);
    expect(id).toHaveLength(64);
    expect((await call('git_log')).value).toMatchObject({ commits: [{ id }] });
    expect((await call('git_show')).text).toContain('+1');
    expect((await call('git_blame', { path: 'a' })).value).toMatchObject({ lines: [{ commit: id }] });
  });

  it('say that a clone is shallow, and that an object is missing', async () => {
    const origin = TestRepository.create();
    origin.commit('First', { a: '1\n' });
    origin.commit('Second', { a: '2\n', b: 'b\n' });
    const target = tempFolder();
    execFileSync('git', ['clone', '-q', '--depth=1', `file://${origin.path}`, target], { stdio: 'pipe' });
    const shallow = await gitTools(target);
    expect((await shallow('git_log')).message).toBe(
      '1 commit, newest first. The repository is a shallow clone: older commits are missing.',
    );
    expect((await shallow('git_show', { revision: 'HEAD~1' })).message).toContain('shallow clone');

    origin.git('config', 'uploadpack.allowFilter', 'true');
    const partial = tempFolder();
    execFileSync(
      'git',
      ['clone', '-q', '--no-checkout', '--filter=blob:none', `file://${origin.path}`, partial],
      {
        stdio: 'pipe',
      },
    );
    const call = await gitTools(partial);
    expect((await call('git_log', { files: true })).value).toMatchObject({
      commits: [{ files: ['a', 'b'] }, {}],
    });
    expect((await call('git_show', { path: 'a' })).message).toContain('missing objects are never fetched');
    expect((await call('git_show')).text).toContain('missing objects are never fetched');
  });

  it('say that an empty repository has no history', async () => {
    const repository = TestRepository.create();
    const call = await gitTools(repository.path);
    expect((await call('git_log')).message).toContain('no commits yet');
  });

  it('read one copy of the refs for each call', async () => {
    const repository = TestRepository.create();
    repository.commit('First');
    const call = await gitTools(repository.path);
    expect((await call('git_log')).value).toMatchObject({ commits: [{ subject: 'First' }] });
    repository.commit('Second');
    expect((await call('git_log')).value).toMatchObject({
      commits: [{ subject: 'Second' }, { subject: 'First' }],
    });
  });

  it('stop git when the call is aborted', async () => {
    const repository = TestRepository.create();
    repository.commit('First');
    const call = await gitTools(repository.path, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(call('git_log')).rejects.toThrow('enough');
  });
});
