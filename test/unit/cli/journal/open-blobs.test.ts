import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blobsPlace, type OpenBlobsOptions, openBlobs } from '../../../../src/cli/journal/open-blobs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wink-blobs-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const named = (blobs: string | undefined) => ({ journal: undefined, blobs });

describe('the place of the blobs', () => {
  it.each([
    [undefined, {}, undefined],
    [undefined, { WINK_BLOBS: '' }, undefined],
    [undefined, { WINK_BLOBS: 'blobs' }, { kind: 'folder', path: 'blobs' }],
    [named(undefined), { WINK_BLOBS: 'blobs' }, { kind: 'folder', path: 'blobs' }],
    [named('store.mjs'), { WINK_BLOBS: 'blobs' }, { kind: 'module', path: 'store.mjs' }],
    [named('store.ts'), {}, { kind: 'module', path: 'store.ts' }],
  ])('is that of %o and %o', (names, variables, place) => {
    expect(blobsPlace(names, variables)).toEqual(place);
  });

  it('is no address', () => {
    expect(() => blobsPlace(named('s3://bucket/runs'), {})).toThrow(/not in one of "s3": .* s3Blobs\(/);
  });
});

describe('the store of a place', () => {
  const open = (kind: 'folder' | 'module', name: string, ifAbsent: OpenBlobsOptions['ifAbsent'] = 'refuse') =>
    openBlobs({ kind, path: join(root, name) }, { ifAbsent, cacheFolder: undefined });
  const ofModule = (text: string) => {
    writeFileSync(join(root, 'store.mjs'), text);
    return open('module', 'store.mjs');
  };

  it('is a folder that is there, or is made', async () => {
    await expect(open('folder', 'blobs')).rejects.toThrow(/folder of blobs ".*blobs" does not exist\.$/);
    await expect(open('folder', 'blobs', 'shared')).rejects.toThrow(/does not exist; make it on the disk/);
    const store = await open('folder', join('made', 'blobs'), 'make');
    expect(statSync(join(root, 'made', 'blobs')).mode & 0o777).toBe(0o700);
    await store.put('a/b', new Uint8Array([7]));
    mkdirSync(join(root, 'blobs'));
    expect(await (await open('folder', join('made', 'blobs'))).get('a/b')).toEqual(Buffer.from([7]));
    expect(await (await open('folder', 'blobs')).get('a/b')).toBeUndefined();
  });

  it('is no file, and nothing below one', async () => {
    writeFileSync(join(root, 'file'), '');
    await expect(open('folder', 'file')).rejects.toThrow(/are a file: name a folder, or a module/);
    await expect(open('folder', join('file', 'blobs'), 'make')).rejects.toThrow(
      /cannot be made: a part of its path is not a directory/,
    );
  });

  it('is what a module exports as default', async () => {
    const store = await ofModule(`
      const contents = new Map();
      class Store {
        async put(key, bytes) { contents.set(key, bytes); }
        async get(key) { return contents.get(key); }
        async remove(keys) { for (const key of keys) contents.delete(key); }
      }
      export default new Store();
    `);
    await store.put('k', new Uint8Array([1]));
    expect(await store.get('k')).toEqual(new Uint8Array([1]));
  });

  it.each([
    [
      'export const store = 1;',
      'exports no blob store as default: it has no default export. A store has put(',
    ],
    ['export default { get() {} };', 'what it exports has no put(), remove(). A store has'],
    ['export default { put() {}, get() {}, remove() {}, list: 1 };', 'its list is not a function'],
    ['export default null;', 'has no put(), get(), remove()'],
    ['throw new Error("there is no bucket");', 'cannot be loaded: there is no bucket.'],
    ['export default {', 'cannot be loaded: '],
  ])('is not in the module %j', async (text, message) => {
    await expect(ofModule(text)).rejects.toThrow(message);
  });

  it('is not in a module that is not there', async () => {
    await expect(open('module', 'absent.mjs', 'make')).rejects.toThrow(
      /the blob store ".*absent\.mjs" cannot be read: no such file or directory/,
    );
  });
});
