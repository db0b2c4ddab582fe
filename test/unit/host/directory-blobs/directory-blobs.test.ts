import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryBlobs } from 'weakincentives/node';
import { draws } from '../../../support/draws.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { tempFolder } from '../temp-folder.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);

function openStore() {
  const parent = tempFolder();
  const folder = join(parent, 'deep', 'contents');
  return { parent, folder, store: directoryBlobs({ folder }) };
}

describe('directoryBlobs', () => {
  it('keeps contents by their keys, and replaces them whole', async () => {
    const { store } = openStore();
    expect(await store.get('a/b')).toBeUndefined();
    await store.put('a/b', bytesOf('one'));
    await store.put('a/c', bytesOf(''));
    await store.put('d', bytesOf('three'));
    await store.put('a/b', bytesOf('two'));
    expect(textOf(await store.get('a/b'))).toBe('two');
    expect(textOf(await store.get('a/c'))).toBe('');
    await expect(store.get('a')).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
  });

  it('lists what is below a folder, what a killed process has left included', async () => {
    const { store, folder } = openStore();
    expect(await store.list?.('a/')).toEqual([]);
    await store.put('a/b/c', bytesOf('1'));
    await store.put('a/d', bytesOf('2'));
    await store.put('ab/e', bytesOf('3'));
    writeFileSync(join(folder, 'a', 'd-draft'), 'half');
    expect([...((await store.list?.('a/')) ?? [])].sort()).toEqual(['a/b/c', 'a/d', 'a/d-draft']);
  });

  it('removes contents and the directories that are empty then; unknown keys are nothing', async () => {
    const { store, folder } = openStore();
    await store.put('a/b/c', bytesOf('1'));
    await store.put('a/b/d', bytesOf('2'));
    await store.put('a/e', bytesOf('3'));
    await store.remove(['a/b/c', 'x/y', 'a/b/z']);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['d']);
    await store.remove(['a/b/d']);
    expect(readdirSync(join(folder, 'a'))).toEqual(['e']);
    await store.remove(['a/e']);
    expect(readdirSync(folder)).toEqual([]);
    await store.remove(['a/e']);
  });

  it('makes folders and files for their owner alone, and leaves no draft', async () => {
    const { store, folder } = openStore();
    await store.put('a/b', bytesOf('secret'));
    const modes = [folder, join(folder, 'a'), join(folder, 'a', 'b')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
  });

  it.each(['', '/a', 'a/', '../a', 'a/../b', 'a//b', './a', 'A', 'a.b', 'a\0', 'a\n', 'x'.repeat(1_025)])(
    'refuses the key %j',
    async (key) => {
      const { store, parent } = openStore();
      const refused = { code: 'path-invalid' };
      await expect(store.put(key, bytesOf('x'))).rejects.toMatchObject(refused);
      await expect(store.get(key)).rejects.toMatchObject(refused);
      await expect(store.remove([key])).rejects.toMatchObject(refused);
      expect(readdirSync(parent)).toEqual([]);
    },
  );

  it('follows no link within its folder', async () => {
    const { store, folder, parent } = openStore();
    await store.put('a/b', bytesOf('1'));
    const outside = join(parent, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'b'), 'of others');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'b'), join(folder, 'a', 'file'));
    for (const key of ['link/b', 'link/c'])
      await expect(store.put(key, bytesOf('2'))).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
    await expect(store.get('link/b')).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
    await expect(store.get('a/file')).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
    await expect(store.remove(['link/b'])).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
    // The link is replaced, not what it names.
    await store.put('a/file', bytesOf('3'));
    expect(readFileSync(join(outside, 'b'), 'utf8')).toBe('of others');
    expect(existsSync(join(outside, 'c'))).toBe(false);
  });

  it('says what the disk refuses, without the path', async () => {
    const { parent } = openStore();
    const closed = join(parent, 'closed');
    mkdirSync(closed, { mode: 0o500 });
    const store = directoryBlobs({ folder: join(closed, 'contents') });
    const error: unknown = await asOrdinaryUser(parent, () =>
      store.put('a', bytesOf('x')).then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    );
    expect(error).toMatchObject({
      code: 'filesystem-storage-failed',
      message: 'The folder of the contents of a journal cannot be used (EACCES).',
    });
    expect(JSON.stringify(error)).not.toContain(parent);
  });

  it('refuses options that it does not know', () => {
    // @ts-expect-error -- It has another name.
    expect(() => directoryBlobs({ directory: 'x' })).toThrow(/directory/);
  });

  it('is a map of keys, whatever is done at the same time', async () => {
    const key = fc.constantFrom('a', 'b/a', 'b/c', 'd/e/f');
    const act = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key, text: fc.string() }),
      fc.record({ kind: fc.constant('remove' as const), key, text: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        const { store } = openStore();
        const expected = new Map<string, string>();
        for (const { kind, key: name, text } of acts) {
          if (kind === 'put') {
            expected.set(name, text);
            await Promise.all([store.put(name, bytesOf(text)), store.put(name, bytesOf(text))]);
          } else {
            expected.delete(name);
            await store.remove([name]);
          }
        }
        for (const name of ['a', 'b/a', 'b/c', 'd/e/f'])
          expect(textOf(await store.get(name))).toBe(expected.get(name));
      }),
      { numRuns: draws(200) },
    );
  });
});
