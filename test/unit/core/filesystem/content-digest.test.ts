import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { contentDigest, digestOf } from '../../../../src/core/filesystem/content/file-content.ts';
import { fileContent } from '../../../../src/core/filesystem/index.ts';

describe('digestOf', () => {
  it('is the same for equal bytes and another for any single changed byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (data, at, by) => {
          const changed = data.slice();
          const index = at % data.length;
          changed[index] = ((data[index] ?? 0) + by) % 256;
          expect(digestOf(data.slice())).toBe(digestOf(data));
          expect(digestOf(new Uint8Array([9, ...data, 9]).subarray(1, -1))).toBe(digestOf(data));
          expect(digestOf(changed)).not.toBe(digestOf(data));
          expect(digestOf(new Uint8Array([...data, 0]))).not.toBe(digestOf(data));
        },
      ),
    );
  });

  it('begins with the length and MurmurHash3, as its authors publish it for whole blocks', () => {
    expect(digestOf(new TextEncoder().encode('test'))).toMatch(/^4-ba6bd213[0-9a-f]{8}$/);
    expect(digestOf(new Uint8Array())).toMatch(/^0-00000000[0-9a-f]{8}$/);
  });

  it('distinguishes zeros from empty content, and different positions', () => {
    const contents = [
      [],
      [0],
      [0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0, 0],
      [1, 0],
      [0, 1],
      [1, 0, 0, 0, 0],
      [0, 0, 0, 0, 1],
    ];
    expect(new Set(contents.map((bytes) => digestOf(new Uint8Array(bytes)))).size).toBe(contents.length);
  });

  it('has two halves that do not collide together: 200,000 short strings, all different in 64 bits', () => {
    const digests = new Set<string>();
    const halves = [new Set<string>(), new Set<string>()] as const;
    for (let index = 0; index < 200_000; index += 1) {
      const digest = digestOf(new TextEncoder().encode(index.toString(36).padStart(8, '-')));
      digests.add(digest);
      halves[0].add(digest.slice(2, 10));
      halves[1].add(digest.slice(10));
    }
    expect(digests.size).toBe(200_000);
    // Of 32 bits that are as good as random 4.7 pairs are expected to be alike.
    for (const half of halves) expect(half.size).toBeGreaterThan(200_000 - 25);
  });
});

describe('contentDigest', () => {
  it('looks at the bytes of a content once', () => {
    const bytes = new TextEncoder().encode('some text');
    const content = fileContent(bytes);
    const digest = contentDigest(content);
    expect(digest).toBe(digestOf(content.data()));
    bytes.fill(0);
    expect(contentDigest(content)).toBe(digest);
  });

  it('of a content of another implementation is the one of its bytes', () => {
    const data = new Uint8Array([1, 2, 3]);
    expect(contentDigest({ bytes: 3, text: () => undefined, data: () => data })).toBe(digestOf(data));
  });

  it('of what a write replaced is the one of the original, and to ask for it is to read', async () => {
    const files = new MemoryFilesystem();
    await files.write('a.txt', 'old');
    const fork = files.fork();
    await fork.view.write('a.txt', 'new');
    const [change] = fork.changes();
    expect(change?.before && contentDigest(change.before)).toBe(digestOf(new TextEncoder().encode('old')));
    await files.write('a.txt', 'else');
    expect(fork.conflicts()).not.toEqual([]);
  });

  it('of what a write replaced is read also by the one who asks for it again', async () => {
    const files = new MemoryFilesystem({ files: { 'a.txt': 'old' } });
    const forks = [files.fork(), files.fork()];
    for (const fork of forks) {
      await fork.view.write('a.txt', 'new');
      const [change] = fork.changes();
      expect(change?.before && contentDigest(change.before)).toBe(digestOf(new TextEncoder().encode('old')));
    }
    await files.write('a.txt', 'else');
    for (const fork of forks) expect(fork.conflicts()).toEqual(['file a.txt']);
  });
});
