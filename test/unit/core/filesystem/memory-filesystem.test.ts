import { describe, expect, it } from 'vitest';
import { FilesystemError, MemoryFilesystem } from 'weakincentives';
import { applyConcurrently } from './support.ts';

describe('MemoryFilesystem', () => {
  it('takes its times from the clock; a move or copy keeps them', async () => {
    let time = 1;
    const filesystem = new MemoryFilesystem({ files: { a: 'x' }, clock: { now: () => time } });
    time = 2;
    await filesystem.write('b', 'x');
    time = 3;
    await filesystem.copy('a', 'c');
    await filesystem.move('b', 'd');
    const times = await Promise.all(
      ['a', 'c', 'd'].map(async (path) => (await filesystem.stat(path))?.modifiedAtMs),
    );
    expect(times).toEqual([1, 1, 2]);
  });

  it.each<readonly [ConstructorParameters<typeof MemoryFilesystem>[0], string]>([
    [{ maxBytes: -1 }, 'argument-invalid'],
    [{ maxFiles: 1.5 }, 'argument-invalid'],
    [{ maxFileBytes: Number.NaN }, 'argument-invalid'],
    [{ files: { '../a': '' } }, 'path-outside-root'],
    [{ files: { a: '', '/a': '' } }, 'path-taken'],
    [{ files: { a: '', 'a/b': '' } }, 'path-not-directory'],
    [{ files: { a: '12' }, maxBytes: 1 }, 'filesystem-quota-exceeded'],
    [{ files: { a: '12' }, maxFileBytes: 1 }, 'file-too-large'],
  ])('is not made from %j', (options, code) => {
    expect(() => new MemoryFilesystem(options)).toThrow(expect.objectContaining({ code }));
  });

  it('starts with the content of a snapshot, and goes its own way', async () => {
    const first = new MemoryFilesystem({ files: { 'd/a': '1', b: '2' } });
    const base = await first.snapshot();
    const second = new MemoryFilesystem({ base, files: { b: 'changed' } });
    await second.remove('d', { recursive: true });
    expect((await second.read('b')).text).toBe('changed');
    expect((await first.glob('**')).paths).toEqual(['b', 'd/a']);
    expect(() => new MemoryFilesystem({ base, maxFiles: 1 })).toThrow(
      expect.objectContaining({ code: 'filesystem-quota-exceeded' }),
    );
  });

  it('cannot be filled by copying folders into each other', async () => {
    const filesystem = new MemoryFilesystem({ files: { 'bomb/0': '' } });
    const blowUp = async (): Promise<void> => {
      for (let round = 1; round < 60; round += 1) {
        await filesystem.copy('bomb', 'twin');
        await filesystem.move('bomb', `next/left`);
        await filesystem.move('twin', 'next/right');
        await filesystem.move('next', 'bomb');
      }
    };
    await expect(blowUp()).rejects.toMatchObject({ code: 'filesystem-quota-exceeded' });
    const folders = new MemoryFilesystem();
    await folders.mkdir('bomb');
    const blowUpFolders = async (): Promise<void> => {
      for (let round = 1; round < 60; round += 1) {
        await folders.copy('bomb', 'twin');
        await folders.move('bomb', `next/left`);
        await folders.move('twin', 'next/right');
        await folders.move('next', 'bomb');
      }
    };
    await expect(blowUpFolders()).rejects.toMatchObject({ code: 'filesystem-quota-exceeded' });
  });

  it('finds the difference of two snapshots, and of one to the present', async () => {
    const filesystem = new MemoryFilesystem({ files: { 'd/a': '1', 'd/b': '2', e: '3' } });
    const before = await filesystem.snapshot();
    await filesystem.write('d/a', 'x');
    await filesystem.remove('d/b');
    const after = await filesystem.snapshot();
    await filesystem.write('f', 'y');
    const described = (changes: ReturnType<typeof MemoryFilesystem.diff>): readonly string[] =>
      changes.map(
        ({ kind, path, before: old, after: now }) => `${kind} ${path} ${old?.text()} ${now?.text()}`,
      );
    expect(described(MemoryFilesystem.diff(before, after))).toEqual([
      'modified d/a 1 x',
      'removed d/b 2 undefined',
    ]);
    expect(described(MemoryFilesystem.diff(after, before))).toEqual([
      'modified d/a x 1',
      'created d/b undefined 2',
    ]);
    expect(described(filesystem.changesSince(after))).toEqual(['created f undefined y']);
    expect(MemoryFilesystem.diff(before, before)).toEqual([]);
    const invented = { kind: 'filesystem-snapshot' as const, [Symbol.asyncDispose]: async () => undefined };
    expect(() => MemoryFilesystem.diff(before, invented)).toThrow(/was not taken/);
  });

  it('uses a released snapshot for nothing', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: '1' } });
    const released = await filesystem.snapshot();
    const other = await filesystem.snapshot();
    await released[Symbol.asyncDispose]();
    const uses = [
      () => MemoryFilesystem.diff(released, other),
      () => MemoryFilesystem.diff(other, released),
      () => filesystem.changesSince(released),
      () => new MemoryFilesystem({ base: released }),
    ];
    for (const use of uses) expect(use).toThrow(expect.objectContaining({ code: 'snapshot-released' }));
  });

  it('keeps what was made of a snapshot when that is released', async () => {
    const snapshot = await new MemoryFilesystem({ files: { a: '1' } }).snapshot();
    const copy = new MemoryFilesystem({ base: snapshot });
    await snapshot[Symbol.asyncDispose]();
    expect((await copy.read('a')).text).toBe('1');
  });

  it('counts a snapshot as a read once its content is read', async () => {
    const { looked, notLooked } = await applyConcurrently(
      new MemoryFilesystem({ files: { a: '1' } }),
      async (view) => {
        const before = await view.snapshot();
        return { look: () => MemoryFilesystem.diff(before, before) };
      },
    );
    expect(notLooked).toEqual([]);
    expect(looked).toEqual(['tree .']);
  });

  it('commits in one synchronous step', () => {
    const filesystem = new MemoryFilesystem({ files: { a: '1' } });
    const fork = filesystem.fork();
    void fork.view.write('a', '2');
    expect(fork.conflicts()).toEqual([]);
    expect(filesystem.apply(fork.patch())).toBeUndefined();
    expect(fork.changes()[0]?.after?.text()).toBe('2');
    expect(filesystem.fork().conflicts()).toEqual([]);
  });

  it('hands out contents that cannot be changed', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: '1' } });
    const fork = filesystem.fork();
    await fork.view.write('a', '2');
    const [change] = fork.changes();
    change?.after?.data().fill(0);
    expect((await fork.view.read('a')).text).toBe('2');
    expect(change?.before?.data()).toEqual(new Uint8Array([0x31]));
    expect(change?.before?.bytes).toBe(1);
  });

  it('makes a fork that gets a patch of elsewhere depend on everything', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: '1' } });
    const [first, second, third] = [filesystem.fork(), filesystem.fork(), filesystem.fork()];
    await first.view.write('b', '2');
    second.view.apply(first.patch());
    expect((await second.view.read('b')).text).toBe('2');
    await third.view.write('c', '3');
    filesystem.apply(third.patch());
    expect(second.conflicts()).toEqual(['tree .']);
  });

  it('shares what did not change with every fork and snapshot', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`wide/f${index}`, `${index}`]),
    );
    const filesystem = new MemoryFilesystem({ files });
    const fork = filesystem.fork();
    await fork.view.write('wide/f7', 'x');
    expect(fork.patch().changes).toMatchObject([{ op: 'put', path: 'wide/f7' }]);
    await fork.view.move('wide', 'moved');
    // A whole folder is one operation.
    expect(
      fork
        .patch()
        .changes.map(({ op, path }) => `${op} ${path}`)
        .sort(),
    ).toEqual(['put moved', 'remove wide']);
    await fork.view.move('moved', 'wide');
    expect(fork.patch().changes).toMatchObject([{ op: 'put', path: 'wide/f7' }]);
  });

  it('reports errors that name the path relative to the root', async () => {
    const error = await new MemoryFilesystem().read('/a/./b').catch((thrown: unknown) => thrown);
    expect(FilesystemError.isInstance(error) && error.details).toEqual({ path: 'a/b' });
  });
});
