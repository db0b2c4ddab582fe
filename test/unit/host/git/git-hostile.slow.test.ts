import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { draws } from '../../../support/draws.ts';
import { tempFolder } from '../temp-folder.ts';
import { type CallGit, type GitAnswer, gitTools, noGit, TestRepository } from './git-repository.ts';

/** A repository of an attacker: each program that it names writes a marker. */
interface Hostile {
  readonly repository: TestRepository;
  /** The names of the programs that ran. */
  readonly markers: () => readonly string[];
}

/** The config of an attacker, after the commits are made. */
function arm(repository: TestRepository): Hostile {
  const folder = tempFolder();
  const program = (name: string): string =>
    repository.writeProgram(`.git/evil/${name}`, `#!/bin/sh\necho ran >${join(folder, name)}\ncat\n`);
  const entries = [
    ['core.fsmonitor', 'fsmonitor'],
    ['core.pager', 'pager'],
    ['pager.log', 'pager-log'],
    ['core.editor', 'editor'],
    ['core.sshCommand', 'ssh'],
    ['core.askPass', 'askpass'],
    ['core.alternateRefsCommand', 'alternate-refs'],
    ['diff.external', 'diff-external'],
    ['diff.evil.command', 'diff-command'],
    ['diff.evil.textconv', 'textconv'],
    ['filter.evil.clean', 'clean'],
    ['filter.evil.smudge', 'smudge'],
    ['filter.evil.process', 'filter-process'],
    ['merge.evil.driver', 'merge'],
    ['gpg.program', 'gpg'],
    ['gpg.ssh.program', 'gpg-ssh'],
    ['credential.helper', 'credential'],
    ['uploadpack.packObjectsHook', 'pack-objects'],
    ['remote.origin.vcs', 'vcs'],
  ] as const;
  const config = entries.map(([key, name]) => [key, program(name)] as const);
  for (const [key, value] of config) repository.git('config', key, value);
  for (const name of ['log', 'diff', 'show', 'blame', 'rev-parse', 'diff-tree', 'cat-file', 'ls-tree'])
    repository.git('config', `alias.${name}`, `!${program(`alias-${name}`)}`);
  repository.git('config', 'log.showSignature', 'true');
  repository.git('config', 'include.path', 'evil/config');
  repository.git('config', 'includeIf.gitdir:/.path', 'evil/config');
  repository.git('config', 'core.attributesFile', join(repository.path, '.git/evil/attributes'));
  repository.git('config', 'core.hooksPath', '.git/evil');
  repository.git('config', 'remote.origin.url', `ext::${program('remote')}`);
  repository.git('config', 'remote.origin.promisor', 'true');
  repository.write('.git/evil/config', `[diff]\n\texternal = ${program('included')}\n`);
  repository.write('.git/evil/attributes', '* diff=evil filter=evil merge=evil textconv=evil\n');
  repository.write('.git/info/attributes', '* diff=evil filter=evil\n');
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-auto-gc'])
    repository.writeProgram(`.git/hooks/${hook}`, `#!/bin/sh\necho ran >${join(folder, hook)}\n`);
  return { repository, markers: () => readdirSync(folder) };
}

async function callAll(call: CallGit, revision = 'HEAD', path = 'a.txt'): Promise<readonly GitAnswer[]> {
  return [
    await call('git_log', { revision, files: true }),
    await call('git_log', { revision, path }),
    await call('git_show', { revision }),
    await call('git_show', { revision, path }),
    await call('git_diff', { from: revision, to: 'HEAD' }),
    await call('git_diff', { from: 'HEAD', to: revision, path }),
    await call('git_blame', { revision, path }),
  ];
}

function hostile(): Hostile {
  const repository = TestRepository.create();
  repository.commit('First', {
    'a.txt': 'one\n',
    '.gitattributes': '* diff=evil filter=evil merge=evil\n',
  });
  repository.commit('Second', { 'a.txt': 'two\n' });
  return arm(repository);
}

describe.skipIf(noGit !== undefined)(`a hostile repository${noGit ?? ''}`, () => {
  it('has programs that run when git works on it, which is what the other tests exclude', () => {
    const { repository, markers } = hostile();
    repository.git('-c', 'core.pager=cat', 'diff', 'HEAD~1');
    expect(markers()).not.toStrictEqual([]);
  });

  it('runs no program, and nothing in the folder changes', async () => {
    const { repository, markers } = hostile();
    const before = listing(repository.path);
    const answers = await callAll(await gitTools(repository.path), 'HEAD~1');
    expect(answers.map(({ success }) => success)).not.toContain(false);
    expect(answers[4]?.text).toContain('-one\n+two');
    expect(markers()).toStrictEqual([]);
    expect(listing(repository.path)).toStrictEqual(before);
  });

  it('leaves nothing in the folder for temporary files', async () => {
    const { repository } = hostile();
    const temporary = tempFolder();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const call = await gitTools(repository.path);
    await callAll(call);
    await callAll(call, 'no-such-revision');
    expect(readdirSync(temporary)).toStrictEqual([]);
  });

  it('cannot pass options by the names of revisions and paths', async () => {
    const { repository, markers } = hostile();
    const id = repository.git('rev-parse', 'HEAD');
    mkdirSync(join(repository.path, '.git/refs/heads/--output=x'), { recursive: true });
    repository.write('.git/refs/heads/--output=y', `${id}\n`);
    repository.write('.git/refs/heads/--output=x/z', `${id}\n`);
    appendFileSync(
      join(repository.path, '.git/packed-refs'),
      `${id} refs/heads/-O\n${id} refs/heads/a\u0001b\n${id} ../../../evil\n`,
    );
    const call = await gitTools(repository.path);
    for (const revision of [
      '--output=y',
      '-O',
      '--output=x/z',
      '--all',
      '-p',
      'a\u0001b',
      'HEAD..main',
      'HEAD:a.txt',
      ':/First',
      'HEAD^{/First}',
      'HEAD@{0}',
      '^HEAD',
      'HEAD^@',
      'main --all',
      '@{u}',
      'HEAD\n--all',
      '../../evil',
      ':0:a.txt',
      'HEAD^{tree}',
      'HEAD^!',
    ])
      for (const { success } of await callAll(call, revision))
        expect([revision, success]).toStrictEqual([revision, false]);
    for (const path of ['--output=x', '-p', ':(glob)**', ':/', ':!a.txt', '*', ':(attr:evil)'])
      for (const name of ['git_log', 'git_show', 'git_blame', 'git_diff']) {
        const { value } = await call(name, name === 'git_diff' ? { from: 'HEAD~1', path } : { path });
        expect([undefined, { commits: [] }, { files: [], total: 0 }]).toContainEqual(withoutIds(value));
      }
    expect((await call('git_log', { path: '*' })).value).toStrictEqual({ commits: [] });
    expect((await call('git_show', { path: '../x' })).success).toBe(false);
    expect(markers()).toStrictEqual([]);
    expect(existsSync(join(repository.path, 'x'))).toBe(false);
  });

  it('shows files whose names look like options or patterns as what they are', async () => {
    const repository = TestRepository.create();
    repository.commit('Odd', { '--output=x': 'o\n', ':(glob)**': 'g\n', '*': 's\n' });
    const call = await gitTools(repository.path);
    for (const [path, text] of [
      ['--output=x', 'o'],
      [':(glob)**', 'g'],
      ['*', 's'],
    ] as const) {
      expect((await call('git_show', { path })).text).toBe(`1 | ${text}`);
      expect((await call('git_blame', { path })).value).toMatchObject({ lines: [{ text }] });
      expect((await call('git_diff', { from: 'HEAD', path })).success).toBe(true);
    }
  });

  it.each([
    [
      '.git as a file',
      'names a repository outside',
      ({ path }: TestRepository) => {
        renameSync(join(path, '.git'), join(path, 'moved'));
        writeFileSync(join(path, '.git'), 'gitdir: moved\n');
      },
    ],
    [
      '.git as a link',
      '.git of the workspace is a symbolic link',
      ({ path }: TestRepository) => {
        renameSync(join(path, '.git'), join(path, 'moved'));
        symlinkSync('moved', join(path, '.git'));
      },
    ],
    [
      'no .git',
      'no directory ".git"',
      ({ path }: TestRepository) => rmSync(join(path, '.git'), { recursive: true }),
    ],
    [
      'core.worktree',
      'core.worktree',
      (repository: TestRepository) => repository.git('config', 'core.worktree', '/'),
    ],
    [
      'an unknown extension',
      'extension "evil"',
      (repository: TestRepository) => repository.git('config', 'extensions.evil', '1'),
    ],
    [
      'a later format',
      'format version "2"',
      (repository: TestRepository) => repository.git('config', 'core.repositoryformatversion', '2'),
    ],
    ['reftable', 'reftable', (repository: TestRepository) => repository.write('.git/reftable/x', '')],
    [
      'a common directory',
      'commondir',
      (repository: TestRepository) => repository.write('.git/commondir', '..'),
    ],
    [
      'alternates',
      'borrows objects',
      (repository: TestRepository) => repository.write('.git/objects/info/alternates', '/tmp\n'),
    ],
    [
      'objects as a link',
      '.git/objects of the workspace is a symbolic link',
      ({ path }: TestRepository) => link(path, 'objects'),
    ],
    [
      'refs as a link',
      '.git/refs of the workspace is a symbolic link',
      ({ path }: TestRepository) => link(path, 'refs'),
    ],
    [
      'heads as a link',
      '.git/refs/heads of the workspace is a symbolic link',
      ({ path }: TestRepository) => link(path, 'refs/heads'),
    ],
    [
      'a ref as a link',
      'is a symbolic link',
      ({ path }: TestRepository) => symlinkSync('/etc/passwd', join(path, '.git/refs/heads/x')),
    ],
    [
      'HEAD as a link',
      '.git/HEAD of the workspace is a symbolic link',
      ({ path }: TestRepository) => link(path, 'HEAD'),
    ],
    [
      'packs as a link',
      '.git/objects/pack of the workspace is a symbolic link',
      ({ path }: TestRepository) => link(path, 'objects/pack'),
    ],
    [
      'a pack as a link',
      'is a symbolic link',
      ({ path }: TestRepository) => symlinkSync('/etc/passwd', join(path, '.git/objects/pack/pack-1.pack')),
    ],
    [
      'an invalid HEAD',
      '.git/HEAD',
      (repository: TestRepository) => repository.write('.git/HEAD', 'ref: ../../x\n'),
    ],
  ] as const)('refuses %s by name', async (_case, words, change) => {
    const repository = TestRepository.create();
    repository.commit('First', { 'a.txt': '1' });
    change(repository);
    const answer = await (await gitTools(repository.path))('git_log');
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(words);
    expect(answer.message).not.toContain(repository.path);
  });

  it('cannot replace objects, or add history by grafts', async () => {
    const repository = TestRepository.create();
    const first = repository.commit('First', { 'a.txt': '1\n' });
    const second = repository.commit('Second', { 'a.txt': '2\n' });
    repository.git('replace', second, first);
    repository.write('.git/info/grafts', `${second}\n`);
    const call = await gitTools(repository.path);
    expect((await call('git_log')).value).toMatchObject({
      commits: [{ subject: 'Second' }, { subject: 'First' }],
    });
    expect((await call('git_log', { revision: `refs/replace/${second}` })).success).toBe(false);
  });

  it('has messages and names without control characters', async () => {
    const repository = TestRepository.create();
    const tree = repository.git('write-tree');
    const commit = repository.gitWith(
      Buffer.concat([
        Buffer.from(`tree ${tree}\nauthor E\u001b[2Jvil \u202e <e@x> 1 +0000\ncommitter E <e@x> 1 +0000\n\n`),
        Buffer.from([0x41, 0xff, 0xfe, 0x1b, 0x5b, 0x31, 0x6d, 0x42, 0x0d, 0x43, 0x0a]),
      ]),
      'hash-object',
      '-t',
      'commit',
      '-w',
      '--stdin',
      '--literally',
    );
    repository.git('update-ref', 'refs/heads/main', commit);
    const call = await gitTools(repository.path);
    const { text, message } = await call('git_log');
    expect(text).toContain('E[2Jvil');
    expect(`${text}${message}${(await call('git_show')).text}`).not.toMatch(/[^\P{C}\n]/u);
  });

  it('leaves out trees with names that are no paths', async () => {
    const repository = TestRepository.create();
    const blob = repository.gitWith('secret\n', 'hash-object', '-w', '--stdin');
    const tree = repository.gitWith(
      Buffer.concat(
        ['..', '.git', 'a/../.env', 'ok', Buffer.from([0xff])].map((name) =>
          Buffer.concat([
            Buffer.from('100644 '),
            Buffer.from(name),
            Buffer.from([0]),
            Buffer.from(blob, 'hex'),
          ]),
        ),
      ),
      'hash-object',
      '-t',
      'tree',
      '-w',
      '--stdin',
      '--literally',
    );
    const commit = repository.git('commit-tree', '-m', 'Odd', tree);
    repository.git('update-ref', 'refs/heads/main', commit);
    const call = await gitTools(repository.path);
    expect((await call('git_show', { path: '.' })).text).toBe('ok');
    const shown = await call('git_show');
    expect(shown.value).toMatchObject({ changes: { files: [{ path: 'ok' }], total: 1 } });
  });

  it('ends when it needs more time, memory or output than allowed', async () => {
    const repository = TestRepository.create();
    repository.commit('Big', { 'a.txt': 'x\n'.repeat(100_000) });
    const refs = await gitTools(repository.path, { section: { limits: { maxRefBytes: 10 } } });
    expect((await refs('git_log')).message).toContain('limits.maxRefBytes');
    const memory = await gitTools(repository.path, { section: { limits: { maxMemoryBytes: 1_048_576 } } });
    expect((await memory('git_log')).success).toBe(false);
    const program = repository.writeProgram('slow', '#!/bin/sh\nexec sleep 1000\n');
    const slow = await gitTools(repository.path, { section: { git: program, limits: { timeoutMs: 1 } } });
    expect((await slow('git_log')).message).toContain('did not finish within');
    const endless = repository.writeProgram('endless', '#!/bin/sh\nexec yes\n');
    const flood = await gitTools(repository.path, { section: { git: endless } });
    expect((await flood('git_log')).success).toBe(false);
  });
});

describe.skipIf(noGit !== undefined)(`files that the workspace excludes${noGit ?? ''}`, () => {
  const secret = 'hunter2';

  function withSecrets(): TestRepository {
    const repository = TestRepository.create();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    repository.commit('First', {
      '.env': `${secret}\n${lines}\n`,
      'a.txt': '1\n',
      'x/.env': secret,
      y: 'f\n',
    });
    repository.git('mv', '.env', '.ENV');
    repository.commit('Second', { 'a.txt': '2\n' });
    // A file in the place of a directory with an excluded file, and the reverse.
    rmSync(join(repository.path, 'x'), { recursive: true });
    rmSync(join(repository.path, 'y'));
    repository.commit('Third', { x: 'file\n', 'y/.env': secret, 'y/k': 'k\n' });
    repository.git('mv', 'a.txt', 'b.txt');
    repository.commit('Fourth');
    return repository;
  }

  const files = { exclude: ['**/.env', 'vault/**'] };

  it('are in no output, also when they are renamed or have another case', async () => {
    const repository = withSecrets();
    const call = await gitTools(repository.path, { files });
    const answers: GitAnswer[] = [];
    for (const revision of ['HEAD', 'HEAD~1', 'HEAD~3'])
      for (const path of ['x', 'y', '.ENV']) answers.push(...(await callAll(call, revision, path)));
    for (const { all } of answers) expect(all).not.toContain(secret);
    for (const { text } of answers) expect(text.toLowerCase()).not.toContain('.env');
    expect((await call('git_show', { path: '.ENV' })).message).toContain('excluded from this workspace');
    expect((await call('git_show', { revision: 'HEAD~3' })).message).toContain('2 changes at paths');
    expect((await call('git_show', { revision: 'HEAD~1', path: 'y' })).text).toBe('k');
  });

  it('are shown as additions when they are renamed to a visible path', async () => {
    const repository = TestRepository.create();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    repository.commit('First', { '.env': `${secret}\n${lines}` });
    repository.git('mv', '.env', 'public.txt');
    repository.commit('Second', { 'public.txt': `nothing\n${lines}` });
    repository.git('mv', 'public.txt', '.env');
    repository.commit('Third', { '.env': `${secret}\n${lines}` });
    const call = await gitTools(repository.path, { files });
    const second = await call('git_show', { revision: 'HEAD~1' });
    expect(second.value).toMatchObject({ changes: { files: [{ path: 'public.txt', status: 'added' }] } });
    expect(second.all).not.toContain(secret);
    const third = await call('git_show');
    expect(third.value).toMatchObject({ changes: { files: [{ path: 'public.txt', status: 'deleted' }] } });
    expect(third.all).not.toContain(secret);
    expect((await call('git_blame', { revision: 'HEAD~1', path: 'public.txt' })).all).not.toContain(secret);
  });

  it('hide the rest when only some files are included', async () => {
    const repository = withSecrets();
    const call = await gitTools(repository.path, { files: { include: ['*.txt'] } });
    expect((await call('git_show', { path: '.' })).text).toBe('b.txt');
    expect((await call('git_show', { path: 'y/k' })).success).toBe(false);
    expect((await call('git_log', { files: true })).all).not.toContain(secret);
  });

  it('never appear, whatever revision and path a model names', async () => {
    const { repository, markers } = arm(withSecrets());
    const call = await gitTools(repository.path, { files });
    const before = listing(repository.path);
    const words = [
      'HEAD',
      'main',
      '~1',
      '^',
      '..',
      ':',
      '.env',
      '.ENV',
      'x',
      '/',
      '-',
      '--output=o',
      '@{0}',
      '^{tree}',
      '*',
      '(glob)',
      '\u0000',
      '\n',
      'a.txt',
      '!',
      '^{/Sec}',
      ':/',
    ];
    const text = fc.oneof(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
      fc.string({ minLength: 1, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom('HEAD', 'main~1', 'HEAD~3'), text),
        fc.oneof(fc.constantFrom('.env', '.ENV', './x/.env', 'y/.env', 'x', 'y'), text),
        fc.constantFrom('git_log', 'git_show', 'git_diff', 'git_blame'),
        async (revision, path, name) => {
          const params = name === 'git_diff' ? { from: revision, path } : { revision, path };
          const { all } = await call(name, params);
          expect(all).not.toContain(secret);
        },
      ),
      { numRuns: draws(60) },
    );
    expect(markers()).toStrictEqual([]);
    expect(listing(repository.path)).toStrictEqual(before);
  });
});

function link(path: string, part: string): void {
  const outside = join(tempFolder(), 'moved');
  cpSync(join(path, '.git', part), outside, { recursive: true });
  rmSync(join(path, '.git', part), { recursive: true });
  symlinkSync(outside, join(path, '.git', part));
}

function listing(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
}

function withoutIds(value: unknown): unknown {
  if (value === undefined) return undefined;
  const { from: _from, to: _to, ...rest } = Object(value);
  return rest;
}
